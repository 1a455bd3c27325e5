"""Writes the listings of pages into files: extract.py FOLDER PAGE... A block whose first line is a comment with a file name is that
file."""

import re
import sys
from pathlib import Path

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for page in sys.argv[2:]:
    for text in re.findall(r"^```c(?:pp)?\n(.*?)^```$", Path(page).read_text(), re.DOTALL | re.MULTILINE):
        name = re.match(r"(?:// |/\* )([\w.]+)(?: \*/)?\n", text)
        if name:
            (folder / name[1]).write_text(text)
