"""docs/python.md has every public header of C++, and names what exists."""

import re
from pathlib import Path

import pytest

import ulna

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text()
ROWS = re.findall(r"^\| (`\w+`: .*?) \|(.*)\|(.*)\|$", PAGE.split("## What of C++ is in Python")[1], re.MULTILINE)


def headers_of(row):
    folder, *names = re.findall(r"`([\w/]+)`", row[0])
    return [f"{folder}/{name}" for name in names]


def test_every_public_header_has_one_row():
    include = ROOT / "include" / "ulna"
    public = {str(path.relative_to(include).with_suffix("")) for path in include.rglob("*/*.hpp")}
    public = {name for name in public if not name.endswith("_impl") and "/instantiate" not in name}
    named = [header for row in ROWS for header in headers_of(row)]
    assert sorted(named) == sorted(public)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: headers_of(row)[0])
def test_rows_name_what_exists_or_why_it_does_not(row):
    _, doors, missing = row
    assert doors.strip() or len(missing.strip()) > 10
    for name in re.findall(r"`([\w.]+)`", doors):
        target = ulna
        for part in name.split("."):
            target = getattr(target, part)


def test_every_function_is_in_the_table():
    named = set(re.findall(r"`Robot\.(\w+)`", PAGE))
    helpers = {"configuration_vector", "velocity_vector"}  # how arguments are read, not what C++ computes
    functions = {f for f in ulna._core.functions() if not f.endswith(("_vjp", "_jvp"))}
    assert functions - helpers <= named
