"""docs/python.md has every part of C++, and names what exists."""

import re
from pathlib import Path

import pytest

import ulna

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text()
ROWS = re.findall(r"^\| `(\w+)` \|(.*)\|(.*)\|$", PAGE.split("## What of C++ is in Python")[1], re.MULTILINE)


def test_every_public_folder_has_a_row():
    folders = {path.name for path in (ROOT / "include" / "ulna").iterdir() if path.is_dir()}
    assert folders == {row[0] for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_rows_name_what_exists_or_why_it_does_not(row):
    _, doors, missing = row
    assert doors.strip() or missing.strip()
    for name in re.findall(r"`([\w.]+)`", doors):
        target = ulna
        for part in name.split("."):
            target = getattr(target, part)


def test_every_function_is_in_the_table():
    named = set(re.findall(r"`Robot\.(\w+)`", PAGE))
    helpers = {"configuration_vector", "velocity_vector"}  # how arguments are read, not what C++ computes
    functions = {f for f in ulna._core.functions() if not f.endswith(("_vjp", "_jvp"))}
    assert functions - helpers <= named


def _numpy_blocks(page):
    return re.findall(r"```python\n(.*?)```", page, re.DOTALL)


def test_code_of_the_page_and_the_readme_runs(tmp_path, monkeypatch):
    """All blocks in order, but those of other packages and endless loops."""
    import numpy as np

    robot = ulna.Robot("panda")
    (tmp_path / "arm.urdf").write_text(robot.to_urdf())
    monkeypatch.chdir(tmp_path)
    Q = robot.random_configuration(1, 10)
    x = np.random.default_rng(1).normal(size=(8, 7))
    names = dict(np=np, text=robot.to_urdf(), q=Q[0], v=x[0], a=x[1], w=x[2], dq=x[3], dv=x[4], da=x[5])
    names.update(Q=Q, V=0 * Q, A=0 * Q, ulna=ulna, running=False)
    ran = 0
    for page in (PAGE, (ROOT / "README.md").read_text()):
        for block in _numpy_blocks(page):
            if "torch" in block or "scipy" in block:
                continue
            exec(block, names)
            ran += 1
    assert ran >= 5
