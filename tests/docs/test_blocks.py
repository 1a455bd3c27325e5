"""Every code block of README.md and docs/ runs, or says why not. See blocks.py."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from blocks import HERE, PAGES, ROOT, blocks_of

COMMAND = os.environ.get("ULNA_COMMAND", "")
PROGRAM = os.environ.get("ULNA_DOCS_BLOCKS", "")
SECONDS = 300


def run(words, folder, text=None):
    done = subprocess.run(words, cwd=folder, input=text, text=True, capture_output=True, timeout=SECONDS)
    return done


def run_line(line, folder, text=None, statuses=(0,)):
    """Runs one command of ulna, given as in a shell."""
    if not COMMAND:
        pytest.skip("the command ulna is not built")
    commands = [command.split() for command in line.split(" | ")]
    for words in commands:
        assert words[0] == "ulna", f"'{line}' is no command of ulna: mark the block"
        done = run([COMMAND, *words[1:]], folder, text)
        if "without GiNaC" in done.stderr:
            pytest.skip("ulna is built without GiNaC")
        assert done.returncode in statuses, f"{' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
        text = done.stdout
    return done


class Page:
    """Where the blocks of a page run: one folder, one Python namespace."""

    def __init__(self, page, folder):
        self.folder, self.names = folder, {}
        for name in ("examples", "robots"):
            (folder / name).symlink_to(ROOT / name)
        files = HERE / "given" / page.stem
        if files.is_dir():
            shutil.copytree(files, folder, dirs_exist_ok=True)
        if (folder / "setup").exists():
            for line in (folder / "setup").read_text().splitlines():
                run_line(line, folder)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    made = {}

    def place_of(page):
        if page not in made:
            made[page] = Page(page, tmp_path_factory.mktemp(page.stem))
        return made[page]

    return place_of


def sh(block, place):
    lines = re.sub(r"\\\n", " ", block.text).splitlines()
    commands = [line.split("  #")[0].strip() for line in lines if line.strip() and not line.startswith("#")]
    printed = ""
    for line in commands:
        printed += check_law(line, place.folder) or run_line(line, place.folder).stdout
    if block.outputs:
        # blocks of formulas are apart by an empty line
        shown = ""
        for one in block.outputs:
            shown += ("\n" if one.language == "math" and shown else "") + one.text
        assert printed == shown


def check_law(line, folder):
    """Commands whose result is known: the robot of docs/workflow.md is found again."""
    if not line.startswith("ulna identify ur5e fit_log.csv"):
        return None
    import json

    found = json.loads(run_line(line + " --json", folder).stdout)
    assert found["validation"]["total_percent"] < 0.5
    # offsets, which the robot has not, are not chosen
    assert found["friction"] == ["viscous", "coulomb"]
    assert found["excitation"]["rank"] == found["excitation"]["base_parameters"] == 48
    assert not found["findings"]
    # what was simulated differs from the file, which alone would be far off
    assert found["validation"]["repeated_percent"] < 50
    return " "


def console(block, place):
    command, _, shown = block.text.partition("\n")
    done = run_line(command.removeprefix("$ "), place.folder, statuses=(0, 1))
    # the page is 80 columns wide
    parts = [re.escape(" ".join(part.split())) for part in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE)]
    assert re.fullmatch(" .* ".join(parts), " ".join(done.stdout.split())), done.stdout


def synopsis(block, place):
    for line in block.text.replace("\n     ", " ").splitlines():
        verb = line.split()[1]
        if verb != "VERB":
            known = run_line(f"ulna {verb} --help", place.folder).stdout
            for option in re.findall(r"(?<![\w-])(--?[a-z][\w-]*)", line):
                assert re.search(rf"(?<![\w-]){option}(?![\w-])", known), f"ulna {verb} has no {option}"


def cpp(block, place):
    if not PROGRAM:
        pytest.skip("docs_blocks is not built")
    done = run([PROGRAM, block.name], place.folder)
    assert done.returncode == 0, done.stdout + done.stderr


def python(block, place):
    ulna = pytest.importorskip("ulna", reason="the Python package is not built")
    for package in re.findall(r"^(?:from|import) (\w+)", block.text, re.MULTILINE) + re.findall(r"\b(torch)\.", block.text):
        pytest.importorskip(package, reason=f"{package} is not installed")
    import numpy as np

    if not place.names:
        robot = ulna.Robot("panda")
        Q, x = robot.random_configuration(1, 10), np.random.default_rng(1).normal(size=(8, 7))
        place.names.update(ulna=ulna, np=np, robot=robot, text=robot.to_urdf(), q=Q[0], v=x[0], a=x[1], w=x[2], dq=x[3], dv=x[4], da=x[5])
        place.names.update(Q=Q, V=0 * Q, A=0 * Q, running=False)
        if not (place.folder / "arm.urdf").exists():
            (place.folder / "arm.urdf").write_text(robot.to_urdf())
    before = os.getcwd()
    os.chdir(place.folder)
    try:
        exec(compile("\n" * block.line + block.text, ROOT / block.page, "exec"), place.names)
    finally:
        os.chdir(before)


def mark_run(block, place):
    run_line(block.mark.removeprefix("run: "), place.folder, block.text, statuses=(0, 1))


def mark_file(block, place):
    (place.folder / block.mark.removeprefix("file: ")).write_text(block.text)


RUN = {"sh": sh, "console": console, "synopsis": synopsis, "cpp": cpp, "python": python, "run": mark_run, "file": mark_file}
ALL = [block for page in PAGES for block in blocks_of(page) if block.kind != "shown"]


@pytest.mark.parametrize("block", ALL, ids=lambda block: f"{block.name} {block.language or block.kind}")
def test_block(block, places):
    if block.kind == "not run":
        pytest.skip(block.mark.removeprefix("not run: "))
    assert block.kind in RUN, f"{block.name}: a block in '{block.language}' is not run; mark it, see tests/docs/blocks.py"
    RUN[block.kind](block, places(block.page))
