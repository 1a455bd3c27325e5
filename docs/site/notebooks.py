#!/usr/bin/env python3
"""Runs the tutorials, as pages of the site and as tests.

    PYTHONPATH=build/dev/python docs/site/notebooks.py docs/tutorials/01-first-torque.ipynb

runs one as a test: with its exercises solved by the solutions it gives, each of which has to pass the check that follows it. A cell
with the tag `exercise` is for the reader to fill in; the next cell checks the answer and prints "Right" if it is; the solution is the code in the
<details> behind it. Exit code 77: a tool is missing, so that nothing was tested.
"""

import argparse
import base64
import copy
import os
import re
import resource
import struct
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
#: Notebooks are stored without outputs; this is as large as a text should be.
LARGEST = 60_000
SECONDS = 300
HERE = Path(__file__).resolve().parent

try:
    import ipykernel  # noqa: F401
    import matplotlib  # noqa: F401
    import nbclient
    import nbformat
except ImportError as missing:
    nbclient, lacking = None, missing


def read(path):
    return nbformat.read(path, as_version=4)


def is_exercise(cell):
    return cell.cell_type == "code" and "exercise" in cell.metadata.get("tags", [])


def solutions(notebook):
    """{index of the exercise: its solution}."""
    found, open_exercise = {}, None
    for i, cell in enumerate(notebook.cells):
        if is_exercise(cell):
            open_exercise = i
        elif cell.cell_type == "markdown" and "<details" in cell.source:
            code = re.search(r"```python\n(.*?)```", cell.source, re.DOTALL)
            if code and open_exercise is not None:
                found[open_exercise] = code[1]
                open_exercise = None
    return found


def run(notebook):
    """Executes a notebook in a folder of its own."""
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    os.environ["MATPLOTLIBRC"] = str(HERE / "matplotlibrc")
    # the kernel works in another folder
    paths = filter(None, os.environ.get("PYTHONPATH", "").split(":"))
    os.environ["PYTHONPATH"] = ":".join(os.path.abspath(path) for path in paths)
    with tempfile.TemporaryDirectory() as folder:
        nbclient.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    return notebook


def executed(path, folder):
    """The notebook as a reader first sees it, exercises open. Kept in `folder` as long as nothing it depends on changes."""
    import ulna

    kept = folder / path.name
    package = Path(ulna.__file__).parent
    newest = max(p.stat().st_mtime for p in [path, HERE / "matplotlibrc", *package.iterdir()])
    if kept.exists() and kept.stat().st_mtime > newest:
        return read(kept)
    notebook = run(read(path))
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, kept)
    return notebook


# --- as a page ---


def png_width(data):
    return struct.unpack(">I", data[16:20])[0]


def output(result, folder, name, number):
    """One output as Markdown; pictures become files."""
    if result.output_type == "stream":
        return "```text\n" + result.text.rstrip("\n") + "\n```" if result.name == "stdout" else ""
    if result.output_type == "error":
        return "```text\n" + re.sub("\x1b\\[[0-9;]*m", "", "\n".join(result.traceback)) + "\n```"
    data = result.data
    if "image/png" in data:
        picture = base64.b64decode(data["image/png"])
        file = f"{name}-{number}.png"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(picture)
        return f'![figure {number}]({file}){{ width="{png_width(picture) * 2 // 3}" }}'
    if "text/latex" in data:
        return "```math\n" + re.sub(r"^\$+(\\displaystyle)?|\$+$", "", data["text/latex"].strip()) + "\n```"
    if "text/markdown" in data:
        return data["text/markdown"]
    if "text/html" in data:
        return "\n".join(line for line in data["text/html"].splitlines() if line.strip())
    return "```text\n" + data["text/plain"] + "\n```"


def joined(outputs):
    """The same, with text that was printed in pieces in one."""
    all_outputs = []
    for result in outputs:
        last = all_outputs[-1] if all_outputs else None
        if last is not None and result.output_type == last.output_type == "stream" and result.name == last.name:
            all_outputs[-1] = nbformat.from_dict({**last, "text": last.text + result.text})
        else:
            all_outputs.append(result)
    return all_outputs


def markdown(notebook, folder, name):
    """The page of an executed notebook."""
    parts, pictures = [], 0
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source.replace("<details>", '<details markdown="1">'))
            continue
        code = f"```python\n{cell.source}\n```"
        parts.append(f'<div class="exercise" markdown="1">\n\n{code}\n\n</div>' if is_exercise(cell) else code)
        shown = []
        for result in joined(cell.get("outputs", [])):
            pictures += result.output_type != "stream" and "image/png" in result.get("data", {})
            shown.append(output(result, folder, name, pictures))
        if any(shown):
            parts.append('<div class="output" markdown="1">\n\n' + "\n\n".join(filter(None, shown)) + "\n\n</div>")
    title, _, rest = "\n\n".join(parts).partition("\n")
    hint = f'<a href="{name}.ipynb" download>Download this notebook</a> and run it with `jupyter notebook`.'
    return f"{title}\n\n{hint}\n{rest}\n"


# --- as a test ---


def solved(notebook):
    answers = solutions(notebook)
    for i, cell in enumerate(notebook.cells):
        if is_exercise(cell):
            if i not in answers:
                raise SystemExit(f"the exercise in cell {i} has no solution")
            cell.source = answers[i]
    return notebook


def printed(cell):
    return "".join(o.text for o in cell.get("outputs", []) if o.output_type == "stream")


def test(path):
    if path.stat().st_size > LARGEST:
        raise SystemExit(f"{path.name}: {path.stat().st_size} bytes; at most {LARGEST}")
    notebook = read(path)
    for cell in notebook.cells:
        if cell.cell_type == "code" and (cell.outputs or cell.execution_count):
            raise SystemExit(f"{path.name}: stored with outputs; clear them")
    exercises = [i for i, cell in enumerate(notebook.cells) if is_exercise(cell)]
    if not exercises:
        raise SystemExit(f"{path.name}: no exercise")
    if any(code.strip() == notebook.cells[i].source.strip() for i, code in solutions(notebook).items()):
        raise SystemExit(f"{path.name}: an exercise gives its own solution away")
    notebook = run(solved(copy.deepcopy(notebook)))
    for i in exercises:
        if "Right" not in printed(notebook.cells[i + 1]):
            raise SystemExit(f"{path.name}: the solution of cell {i} does not pass its check: {printed(notebook.cells[i + 1])}")
    outputs = [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]
    figures = sum("image/png" in o.get("data", {}) for o in outputs if o.output_type != "stream")
    if not figures:
        raise SystemExit(f"{path.name}: no figure")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{path.name}: {len(exercises)} exercises solved, {figures} figures, {used.ru_utime + used.ru_stime:.1f} s of CPU")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Runs a tutorial as a test.")
    parser.add_argument("notebook", type=Path)
    options = parser.parse_args()
    if nbclient is None:
        print(f"skipped: {lacking} (Debian: python3-nbclient, python3-ipykernel, python3-matplotlib)")
        sys.exit(SKIPPED)
    test(options.notebook)
