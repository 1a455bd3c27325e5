"""The code blocks of README.md and docs/, and how each is tested.

| block | is |
|---|---|
| cpp | compiled into the program docs_blocks, and run |
| python | run, after those above it on the page |
| sh, or no language and `ulna ...` | each command is run; output blocks right below it (text, math, c) are compared |
| no language and `$ ulna ...` | run and compared with what stands below; a line `...` stands for any lines |
| no language and `ulna VERB ... [--option]` | a synopsis: the verb has these options |
| text, math, others without a command | not code: a picture, a formula, an output |
| anything else | has a mark, or the test fails |

A mark is a comment on the line above the block: `<!-- not run: why -->`, `<!-- run: ulna info - -->` (the block is its standard input) or
`<!-- file: name -->` (the block is written to a file that later blocks use). Marks may also stand in given/<page>/marks, a line `first line of the block => mark` each.

`blocks.py generate FILE` writes the C++ program. What its blocks take for granted is in given/: common.hpp, and for a page README.md
given/README/cpp.hpp with a section `// block N` for each block that needs more. Its lines stand in front of the block in the same function, those below
`// outside` before the function.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGES = [Path("README.md"), *sorted(p.relative_to(ROOT) for p in (ROOT / "docs").rglob("*.md") if "site" not in p.parts)]
SHOWN = ("text", "math", "c")


@dataclass
class Block:
    page: Path
    line: int  #: of its fence
    language: str
    text: str
    mark: str = ""  #: the comment above it
    outputs: list = field(default_factory=list)  #: blocks that show what it prints

    @property
    def name(self):
        return f"{self.page}:{self.line}"

    @property
    def kind(self):
        if self.mark:
            return self.mark.split(":")[0]
        first = self.text.split(" ", 1)[0].strip()
        if self.language in ("cpp", "python"):
            return self.language
        if not self.language and self.text.startswith("$ "):
            return "console"
        if not self.language and first == "ulna":
            return "synopsis" if re.search(r"\[|\b[A-Z]{2,}", self.text) else "sh"
        if self.language == "sh":
            return "sh"
        return "shown" if self.language in SHOWN else "unknown"


def marks_of(page):
    """{first line of a block: its mark} of marks that do not stand on the page."""
    file = HERE / "given" / page.stem / "marks"
    return dict(line.split(" => ") for line in file.read_text().splitlines()) if file.exists() else {}


def blocks_of(page):
    """All blocks of a page; those that show the output of a command are in its `outputs`."""
    marks = marks_of(page)
    found, block, comment, lines = [], None, "", (ROOT / page).read_text().split("\n")
    for number, line in enumerate(lines, 1):
        fence = re.match(r" *```(\w*)", line)
        if fence and block is None:
            block = Block(page, number, fence[1], "", comment)
        elif fence:
            block.mark = block.mark or marks.get(block.text.split("\n", 1)[0], "")
            runs = found and found[-1].kind in ("sh", "run")
            if runs and block.language in SHOWN and not block.mark and found[-1].kind == "sh":
                found[-1].outputs.append(block)
            else:
                found.append(block)
            block = None
        elif block is not None:
            block.text += line + "\n"
        mark = re.match(r"<!-- ((?:not run|run|file): .*) -->$", line)
        comment = mark[1] if mark else ""
    return found


# --- the C++ program ---


def given(page):
    """{number of the block: what it takes for granted}."""
    file = HERE / "given" / page.stem / "cpp.hpp"
    parts = re.split(r"^// block (\d+)$", file.read_text(), flags=re.MULTILINE) if file.exists() else [""]
    return dict(zip(map(int, parts[1::2]), parts[2::2]))


def cpp_function(block, number, setup):  # `time` is one of C's functions, too
    """A block in a namespace of its own; what stands before `int main() {` stays outside of the function."""
    place = f'#line {block.line + 1} "{block.page}"\n'
    includes = "".join(line + "\n" for line in block.text.split("\n") if line.startswith("#include"))
    body = re.sub(r"^#include.*$", "", block.text, flags=re.MULTILINE)
    outside, main, inside = body.partition("int main() {\n")
    if not main:
        outside, inside = "", body
    inside_place = f'#line {block.line + 1 + outside.count(chr(10)) + bool(main)} "{block.page}"\n'
    inside += "}" * (inside.count("{") - inside.count("}"))
    name = f"{re.sub(r'[^A-Za-z]', '_', str(block.page))}_{number}"
    setup, _, before = setup.partition("// outside\n")
    given_place = f'#line 1 "given for {block.name}"\n'
    function = (f"namespace {name} {{\nusing namespace given;\nusing given::time;\n{given_place}{before}\n{place}{outside}\nvoid run() {{\n"
                f"{given_place}{setup}\n{inside_place}{{\n{inside_place}{inside}}}\n}}\n}}\n")
    return includes, function, name


def generate(out):
    includes, functions, rows = '#include "common.hpp"\n', "", ""
    for page in PAGES:
        setups, number = given(page), 0
        for block in blocks_of(page):
            if block.kind == "cpp":
                number += 1
                more, function, name = cpp_function(block, number, setups.get(number, ""))
                includes += more
                functions += function
                rows += f'  {{"{block.name}", {name}::run}},\n'
    text = f"{includes}\n{functions}\nconst std::vector<DocumentedBlock> blocks{{\n{rows}}};\n#include \"main.hpp\"\n"
    if not Path(out).exists() or Path(out).read_text() != text:
        Path(out).write_text(text)


if __name__ == "__main__":
    generate(sys.argv[2])
