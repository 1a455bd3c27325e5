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
