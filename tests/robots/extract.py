"""Writes the listings of docs/robots.md into files: extract.py PAGE FOLDER. A block whose first line is a comment with a file name is
that file."""

import re
import sys
from pathlib import Path

page, folder = Path(sys.argv[1]).read_text(), Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
for text in re.findall(r"^```c(?:pp)?\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
    name = re.match(r"(?:// |/\* )([\w.]+)(?: \*/)?\n", text)
    if name:
        (folder / name[1]).write_text(text)
