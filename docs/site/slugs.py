"""Anchors of headings as git hosts make them, so that links to sections work there and on the site."""

import re


def slug(text, separator="-"):
    """'J'F, and more' -> 'jf-and-more'."""
    text = re.sub(r"<[^>]*>|[`*]", "", text).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", separator)
