"""Equations of motion in symbols."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._record import Record, table_text
from ._results import Array

if TYPE_CHECKING:
    from ._robot import Robot

_OF_STATE = {"M": r"(q)", "C": r"(q, \dot{q})", "h": r"(q, \dot{q})", "g": r"(q)", "s": "", "B": ""}


@dataclass(frozen=True, repr=False)
class Symbol(Record):
    """A parameter of the arm in its equations."""

    name: str  #: m1, l1, lc1, I1, g, ...
    meaning: str  #: "mass of link 'upper'"
    unit: str
    value: float  #: in this robot


class Equations:
    """Equations of motion of a small arm, tau = M(q) q'' + C(q, q') q' + g(q), as Robot.equations returns them.

    A notebook shows them as LaTeX; print() as text. Terms have the letters M, C, h = C q', g, and of robots with
    springs or coupled motors s and B. `eq["M"]` is a list of rows of text in ASCII.
    """

    def __init__(self, robot: "Robot", terms: Sequence[str], options: Dict[str, Any]) -> None:
        if not hasattr(_core, "Equations"):
            raise RuntimeError(
                "this ulna was built without GiNaC, which equations need; install it (Debian: apt install libginac-dev) "
                "and build again with -DULNA_WITH_GINAC=ON"
            )
        self._core = _core.Equations(robot._engine, {**options, "terms": list(terms)})
        self.terms: Tuple[str, ...] = tuple(terms)  #: letters of what was derived

    @property
    def robot(self) -> str:
        """The robot's name."""
        return str(self._core.robot)

    @property
    def symbols(self) -> List[Symbol]:
        """The parameters that occur, with meaning, unit and value."""
        return [Symbol._of(s) for s in self._core.symbols]

    @property
    def values(self) -> Dict[str, float]:
        """The parameters' numbers by name, as sympy's subs takes them."""
        return {s["name"]: s["value"] for s in self._core.symbols}

    @property
    def coordinates(self) -> Dict[str, str]:
        """Names of coordinates, th1 or d1, and the joints they are of; then those of motors behind springs, thm1."""
        both = [*self._core.coordinates, *self._core.motors]
        return {c["name"]: c["joint"] for c in both}

    def _require(self, term: str) -> None:
        if term not in self.terms:
            raise ValueError(f"term '{term}' was not derived; there are {', '.join(self.terms)}")

    def __getitem__(self, term: str) -> List[List[str]]:
        """All elements of a term, row by row, in ASCII."""
        self._require(term)
        return [list(row) for row in self._core.elements(term, "ascii")]

    def element(self, term: str, row: int, column: int = 0, notation: str = "ascii") -> str:
        """One element of a term.

        term: its letter
        row, column: from 0; vectors have one column
        notation: "ascii" (m2*l1*cos(th1 + th2)*th1'), "unicode" or "latex"
        """
        self._require(term)
        rows = self._core.elements(term, notation)
        return str(rows[row][column])

    def latex(self, term: Optional[str] = None) -> str:
        """A term, or all of them, as LaTeX.

        term: its letter; all terms, aligned, if it is not given
        """
        if term is None:
            lines = [self.latex(t).replace(" = ", " &= ", 1) for t in self.terms]
            return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"
        self._require(term)
        rows = self._core.elements(term, "latex")
        matrix = " \\\\ ".join(" & ".join(row) for row in rows)
        return f"{term}{_OF_STATE[term]} = \\begin{{bmatrix}} {matrix} \\end{{bmatrix}}"

    def value(self, term: str, q: Any, v: Any = None, theta: Any = None, omega: Any = None) -> Array:
        """A term as numbers, for the robot's own parameters.

        term: its letter
        q: (n,) positions; v: (n,) velocities, 0 if not given
        theta, omega: (n,) motors behind springs, as seen at the joints
        returns: (n, n) of matrices, (n,) of vectors
        """
        self._require(term)
        n = self._core.size
        zero = np.zeros(n)
        x = [zero if y is None else np.asarray(y, dtype=float) for y in (q, v, theta, omega)]
        for name, y in zip(("q", "v", "theta", "omega"), x):
            if y.shape != (n,):
                raise ValueError(f"{name} has shape {y.shape}, robot '{self.robot}' needs ({n},)")
        M = np.asarray(self._core.values(term, *x))
        return M if term in ("M", "C", "B") else M[:, 0]

    def equal(self, term: str, row: int, column: int, expression: str) -> bool:
        """Whether an element is identical to an expression.

        term, row, column: as of `element`
        expression: such as "m2*l1^2*(1/3 + cos(th2)/2)"; velocities are v1, v2, ...
        """
        self._require(term)
        return bool(self._core.equal(term, row, column, expression))

    def sympy(self, term: str) -> Any:
        """A term as a sympy.Matrix; velocities are symbols th1_dot, ... SymPy must be installed.

        term: its letter
        """
        sympy: Any = import_module("sympy")
        rows = [[_plain(x) for x in row] for row in self[term]]
        names = {name for row in rows for x in row for name in re.findall(r"[A-Za-z_]\w*", x)}
        symbols = {n: sympy.Symbol(n) for n in names if n not in ("sin", "cos", "tan", "sqrt")}
        return sympy.Matrix([[sympy.sympify(x, locals=symbols) for x in row] for row in rows])

    def c_code(self, terms: Optional[Sequence[str]] = None) -> str:
        """A function in C99 that fills terms from q and v.

        terms: their letters; all that were derived if not given
        """
        return str(self._core.c_function(list(terms or self.terms)))

    def _repr_latex_(self) -> str:
        return "$$" + self.latex() + "$$"

    def __str__(self) -> str:
        lines = [f"{self.robot}: τ = M(q) q̈ + C(q, q̇) q̇ + g(q)"]
        unicode: Callable[[str], str] = lambda name: str(self._core.name(name, "unicode"))
        rows: List[Tuple[Any, ...]] = [(unicode(n), "", "", joint) for n, joint in self.coordinates.items()]
        rows += [(unicode(s.name), s.value, s.unit, s.meaning) for s in self.symbols]
        lines.append(table_text(("symbol", "value", "unit", "is"), rows))
        for term in self.terms:
            elements = self._core.elements(term, "unicode")
            for r, row in enumerate(elements):
                for c, x in enumerate(row):
                    lines.append(f"{term}{r + 1}{c + 1 if len(row) > 1 else ''} = {x}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Equations('{self.robot}': {', '.join(self.terms)} of {self._core.size} joints)"


def _plain(expression: str) -> str:
    """As SymPy reads it: th1' is th1_dot, ^ is **."""
    return re.sub(r"(\w)'", r"\1_dot", expression).replace("^", "**")
