"""Copies the Markdown of the project to where mkdocs reads it, with links that fit.

The pages are written to be read on a git host. On the site README.md is the home page, CHANGELOG.md is changes.md, and files that are
no pages but that a page links to become pages that show them.
"""

import os
import re
import shutil
from pathlib import Path

LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)\s#]+)(?P<section>#[^)\s]*)?\)")
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".py": "python", ".yaml": "yaml", ".yml": "yaml", ".txt": "text", ".urdf": "xml", ".json": "json"}


def place_on_site(root, file):
    """Where the site has a file of the project, or None if it is no page of its own."""
    path = file.relative_to(root)
    if path == Path("README.md"):
        return Path("index.md")
    if path == Path("CHANGELOG.md"):
        return Path("changes.md")
    if path.parts[0] == "docs" and path.suffix == ".ipynb":
        return Path(*path.parts[1:]).with_suffix(".md")
    if path == Path("docs/tutorials/README.md"):
        return Path("tutorials/index.md")
    if path.parts[0] == "docs" and path.suffix in (".md", ".svg", ".png", ".csv", ".urdf"):
        return Path(*path.parts[1:])
    return None


def title(page):
    """The heading of a page: a better name for it than that of its file."""
    return page.read_text().split("\n", 1)[0].lstrip("# ")


class Stage:
    """The folder that mkdocs reads."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.shown = set()

    def show_file(self, file):
        """A page with the text of a file of the project."""
        place = Path("source") / (str(file.relative_to(self.root)) + ".md")
        if place not in self.shown:
            self.shown.add(place)
            language = LANGUAGES.get(file.suffix, "cmake" if file.name == "CMakeLists.txt" else "text")
            self.write(place, f"# {file.relative_to(self.root)}\n\n````{language}\n{file.read_text()}````\n")
        return place

    def write(self, place, text):
        target = self.folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def relinked(self, text, file, place):
        """With each link to where its target is on the site."""

        def replace(match):
            words, link = match["text"], match["target"]
            if re.match(r"\w+:", link):
                return match[0]
            target = (file.parent / link).resolve()
            if not target.is_file():
                if (self.folder / place.parent / link).exists():  # made for this page
                    return match[0]
                raise SystemExit(f"{file.relative_to(self.root)}: link to {link}, which is not a file")
            on_site = place_on_site(self.root, target) or self.show_file(target)
            if words == link and words.endswith(".md"):
                words = title(target)
            return f"[{words}]({os.path.relpath(on_site, place.parent)}{match['section'] or ''})"

        # what is between fences is code
        parts = re.split(r"(^ *```.*?^ *```)", text, flags=re.DOTALL | re.MULTILINE)
        return "".join(part if i % 2 else LINK.sub(replace, part) for i, part in enumerate(parts))

    def add_page(self, file, text=None):
        place = place_on_site(self.root, file)
        self.write(place, self.relinked(file.read_text() if text is None else text, file, place))

    def add_all(self):
        for file in [self.root / "README.md", self.root / "CHANGELOG.md", *sorted((self.root / "docs").glob("*.md"))]:
            self.add_page(file)
        for picture in (self.root / "docs").iterdir():
            if picture.suffix in (".svg", ".png"):
                shutil.copy(picture, self.folder / picture.name)
