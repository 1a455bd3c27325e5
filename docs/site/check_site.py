"""Checks a built site: nothing is loaded from elsewhere, and every link within it has its target."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Attributes by which a browser loads something without being asked.
LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("object", "data")}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.anchors.add(value)
            if (tag, name) in LOADED and not (tag == "link" and dict(attributes).get("rel") in ("canonical", "prev", "next")):
                self.loaded.append(value)
            if tag == "a" and name == "href":
                self.links.append(value)


def problems(folder):
    pages = {path.resolve(): Page(path.read_text()) for path in folder.rglob("*.html")}
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for link in page.links + page.loaded:
            parts = urlsplit(link or "")
            if parts.scheme or parts.netloc:
                if link in page.loaded and parts.scheme != "data":
                    yield f"{path.relative_to(folder)}: loads {link}"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                yield f"{path.relative_to(folder)}: link to {link}, which does not exist"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{path.relative_to(folder)}: link to {link}: no such section"
    for sheet in folder.rglob("*.css"):
        text = sheet.read_text()
        if "url(http" in text or "url(//" in text or "@import url(http" in text:
            yield f"{sheet.relative_to(folder)}: loads from elsewhere"


def check(folder):
    found = sorted(set(problems(folder.resolve())))
    for line in found:
        print(line, file=sys.stderr)
    if found:
        raise SystemExit(f"{len(found)} problems in {folder}")


if __name__ == "__main__":
    check(Path(sys.argv[1]))
