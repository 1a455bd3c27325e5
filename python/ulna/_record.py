"""Results as small objects: fields with the names of the literature, one line as text, a table in a notebook."""

from __future__ import annotations

from dataclasses import dataclass, fields
from html import escape
from typing import Any, Iterable, Mapping, Sequence, Type, TypeVar

import numpy as np

R = TypeVar("R", bound="Record")


def text_of(x: Any) -> str:
    """A value in a few characters."""
    if x is None:
        return ""
    if isinstance(x, (float, np.floating)):
        return f"{x:.4g}"
    if isinstance(x, np.ndarray):
        if x.size > 12:
            return f"array {x.shape}"
        return np.array2string(x, precision=4, suppress_small=True)
    return str(x)


def _cell(x: Any) -> str:
    # 4.2e-16 is no word to be broken at its hyphen
    kind = ' style="white-space: nowrap"' if isinstance(x, (int, float, np.number)) else ""
    return f"<td{kind}>{escape(text_of(x))}</td>"


def table_html(head: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> str:
    """A table as notebooks show it."""
    top = f"<p>{escape(title)}</p>" if title else ""
    cells = "".join(f"<th>{escape(h)}</th>" for h in head)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f"{top}<table><tr>{cells}</tr>{body}</table>"


def table_text(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The same as lines of text."""
    cells = [list(head)] + [[text_of(c) for c in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in cells)


@dataclass(frozen=True, repr=False, eq=False)
class Record:
    """Base of results. Values come from C++ as dicts whose keys are the fields."""

    @classmethod
    def _of(cls: Type[R], values: Mapping[str, Any], **more: Any) -> R:
        return cls(**{**values, **more})

    def _summary(self) -> str:
        """What stands in the parentheses of repr()."""
        shown = [(f.name, getattr(self, f.name)) for f in fields(self) if f.repr]
        return ", ".join(f"{name}={text_of(value)}" for name, value in shown)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._summary()})"

    def _rows(self) -> "list[tuple[str, Any]]":
        return [(f.name, getattr(self, f.name)) for f in fields(self) if f.repr]

    def _repr_html_(self) -> str:
        return table_html(("", type(self).__name__), self._rows())


def given(**options: Any) -> "dict[str, Any]":
    """Options but those that are None, which stand for C++'s own."""
    return {name: value for name, value in options.items() if value is not None}
