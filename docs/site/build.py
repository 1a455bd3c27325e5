#!/usr/bin/env python3
"""Builds the documentation site: pages, executed tutorials, Python and C++ reference, in one searchable, static folder.

    make docs
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import check_site  # noqa: E402
import cpp_reference  # noqa: E402
import notebooks  # noqa: E402
import pages  # noqa: E402
import python_reference  # noqa: E402

KATEX = Path("/usr/share/javascript/katex")
#: A font that puts the dots of θ̇ and q̈ above the letters; not all do.
CODE_FONTS = Path("/usr/share/fonts/truetype/noto")


def copy_assets(stage):
    """KaTeX and a font for code from Debian, so that nothing is fetched when a page is read."""
    assets = stage / "assets"
    (assets / "katex").mkdir(parents=True)
    for name in ("katex.min.js", "katex.min.css"):
        shutil.copy(KATEX / name, assets / "katex" / name)
    shutil.copytree(KATEX / "fonts", assets / "katex" / "fonts", ignore=shutil.ignore_patterns("*.ttf", "*.woff"))
    for name in ("NotoSansMono-Regular.ttf", "NotoSansMono-Bold.ttf"):
        shutil.copy(CODE_FONTS / name, assets / name)
    for name in ("formulas.js", "search-from-files.js", "style.css"):
        shutil.copy(HERE / name, assets / name)


def tutorial_pages(stage, work):
    """Executes the tutorials and adds their pages. Returns their names."""
    names = []
    for notebook in sorted((ROOT / "docs" / "tutorials").glob("*.ipynb")):
        executed = notebooks.executed(notebook, work / "tutorials")
        text = notebooks.markdown(executed, stage.folder / "tutorials", notebook.stem)
        stage.add_page(notebook, text)
        shutil.copy(notebook, stage.folder / "tutorials" / notebook.name)
        names.append(f"tutorials/{notebook.stem}.md")
    return names


def menu(names):
    return ", ".join(names)


def build(work, out):
    folder = work / "pages"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stage = pages.Stage(ROOT, folder)
    stage.add_all()
    tutorials = tutorial_pages(stage, work)
    python = python_reference.write(folder / "python-reference")
    cpp_reference.write(ROOT, work / "doxygen", folder / "cpp")
    if tutorials:
        stage.add_page(ROOT / "docs" / "tutorials" / "README.md")
        tutorials.insert(0, "tutorials/index.md")
    copy_assets(folder)
    settings = (HERE / "mkdocs.yml").read_text()
    for mark, value in (
        ("@SITE@", str(HERE)),
        ("@STAGE@", str(folder)),
        ("@OUT@", str(out)),
        ("@TUTORIALS@", menu(tutorials)),
        ("@PYTHON@", menu(f"python-reference/{name}.md" for name in python)),
        ("@CPP@", menu(["cpp/index.md"] + [f"cpp/{name}.md" for name in cpp_reference.FOLDERS])),
    ):
        settings = settings.replace(mark, value)
    (work / "mkdocs.yml").write_text(settings)
    environment = dict(os.environ, PYTHONPATH=f"{HERE}:{os.environ.get('PYTHONPATH', '')}")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", work / "mkdocs.yml"], check=True, env=environment)
    index = (out / "search" / "search_index.json").read_text()
    (out / "search" / "search_index.js").write_text(f"__search_index({index})\n")
    check_site.check(out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "docs-parts", help="folder for what is between")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs", help="folder of the site")
    options = parser.parse_args()
    build(options.work.resolve(), options.out.resolve())
    print(f"file://{options.out.resolve()}/index.html")
