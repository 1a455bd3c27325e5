"""Links of README.md, CHANGELOG.md, docs/ and the tutorials lead to files, sections and pictures that exist."""

import json
import re
import sys

import pytest
from blocks import PAGES, ROOT

sys.path.insert(0, str(ROOT / "docs" / "site"))
from slugs import slug  # noqa: E402

NOTEBOOKS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))
FILES = [ROOT / "CHANGELOG.md", *(ROOT / page for page in PAGES), *NOTEBOOKS]


def text_of(file):
    """What is to be read: without code, of notebooks the words."""
    text = file.read_text()
    if file.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells)
    return re.sub(r"`[^`\n]*`", lambda code: "x" * len(code[0]), re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE))


def headings(file):
    text = re.sub(r"^ *```.*?^ *```", "", file.read_text(), flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"^#+ +(.*)$", text, re.MULTILINE)


def anchors(file):
    """As git hosts and the site make them: headings of the same name are numbered."""
    seen, out = {}, set()
    for heading in headings(file):
        name = slug(re.sub(r"\]\([^)]*\)", "", heading).replace("[", ""))
        seen[name] = seen.get(name, -1) + 1
        out.add(name if not seen[name] else f"{name}_{seen[name]}")
    return out


def broken(file):
    for target in re.findall(r"\]\(([^)\s]+)\)", text_of(file)) + re.findall(r'(?:src|href)="([^"]+)"', text_of(file)):
        if re.match(r"\w+:", target):
            continue
        path, _, section = target.partition("#")
        there = (file.parent / path).resolve() if path else file
        if not there.is_file():
            yield f"{target}: no such file"
        elif section and section not in anchors(there):
            yield f"{target}: no such section in {there.name}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_links_have_their_targets(file):
    assert not list(broken(file))


def test_every_page_is_in_the_menu_of_the_site():
    menu = (ROOT / "docs" / "site" / "mkdocs.yml").read_text()
    for page in PAGES:
        if page.parent.name == "docs":
            assert f": {page.name}\n" in menu, page


def test_every_tutorial_is_in_the_list():
    listed = (ROOT / "docs" / "tutorials" / "README.md").read_text()
    for notebook in NOTEBOOKS:
        assert f"]({notebook.name})" in listed, notebook.name


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Title\n[a](#title) [b](#none) [c](none.md) ![d](none.png) `[e](code)`\n```\n[f](code)\n```\n")
    assert len(list(broken(page))) == 3


def test_links_have_their_targets_on_the_site(tmp_path):
    """Pages have other names and places there."""
    from pages import Stage

    stage = Stage(ROOT, tmp_path)
    stage.add_all()
    stage.add_page(ROOT / "docs" / "tutorials" / "README.md")
    made = {tmp_path / "tutorials" / f"{notebook.stem}.md" for notebook in NOTEBOOKS}
    for page in tmp_path.rglob("*.md"):
        for target in re.findall(r"\]\(([^)\s#]+)", text_of(page)):
            if not re.match(r"\w+:", target):
                there = (page.parent / target).resolve()
                assert there.is_file() or there in made, f"{page.relative_to(tmp_path)}: {target}"
