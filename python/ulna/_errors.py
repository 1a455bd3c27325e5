"""What is found in a robot's description, as objects."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Iterator, Tuple


@dataclass(frozen=True)
class Diagnostic:
    """One thing found in a description: an error, a warning or a note."""

    severity: str  #: "error", "warning" or "note"
    rule: str  #: stable name of the rule, e.g. "axis-not-unit"
    file: str
    line: int  #: 0 if the description was not read from a text
    column: int
    subject: str  #: e.g. "joint 'elbow'"
    seen: str  #: e.g. "axis 0 0 2 is not of unit length"
    assumed: str  #: what is used instead; empty for an error
    remedy: str
    text: str  #: all of it but the remedy, in one line

    @property
    def message(self) -> str:
        """What was seen, of what, and what is assumed instead."""
        return ": ".join(t for t in (self.subject, self.seen) if t) + (
            "; " + self.assumed if self.assumed else ""
        )

    def __str__(self) -> str:
        return self.text


class ModelError(ValueError):
    """A description is refused. str() lists the errors, `diagnostics` has everything that was found."""

    def __init__(self, message: str, diagnostics: Tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = tuple(diagnostics)

    def __reduce__(self) -> tuple:  # type: ignore[type-arg]
        return (ModelError, (str(self), self.diagnostics))


@dataclass(frozen=True)
class Report:
    """The result of `ulna.check`: true if the description is accepted."""

    accepted: bool
    diagnostics: Tuple[Diagnostic, ...]

    def __bool__(self) -> bool:
        return self.accepted

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.diagnostics)

    def __len__(self) -> int:
        return len(self.diagnostics)

    def __str__(self) -> str:
        lines = []
        for d in self.diagnostics:
            lines.append(str(d))
            if d.remedy:
                lines.append("    " + d.remedy)
        lines.append("accepted" if self.accepted else "refused")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(d.file)}:{d.line}</td><td>{d.severity}</td><td>{escape(d.message)}</td>"
            f"<td>{escape(d.remedy)}</td><td>{escape(d.rule)}</td></tr>"
            for d in self.diagnostics
        )
        head = "<tr><th>place</th><th>severity</th><th>what</th><th>remedy</th><th>rule</th></tr>"
        return f"<p>{'accepted' if self.accepted else 'refused'}</p><table>{head}{rows}</table>"
