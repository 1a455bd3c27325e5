"""Quadratic programs in stages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _core
from ._record import Record
from ._results import Array

#: Keys of a stage, and what they are made of: sizes of x, u, the next x, and rows g.
_KEYS = ("Q", "R", "S", "q", "r", "A", "B", "b", "C", "D", "x_lower", "x_upper", "u_lower", "u_upper", "g_lower", "g_upper", "price", "price_squared")


@dataclass(frozen=True, repr=False, eq=False)
class QpSolution(Record):
    """The solution of a quadratic program in stages."""

    status: str  #: "solved", "limited" (by iterations), "infeasible" or "failed"
    iterations: int
    report: str = field(repr=False)  #: one line
    x: List[Array] = field(repr=False)  #: states of the stages
    u: List[Array] = field(repr=False)  #: inputs
    multipliers: List[Array] = field(repr=False)  #: of the equations that yield the next states
    row_multipliers: List[Array] = field(repr=False)  #: of the bounds of (u, x, g): < 0 where the lower one holds, > 0 the upper one
    residuals: Tuple[float, float, float, float] = field(repr=False)  #: slope, defect, breach, gap: the largest that is left

    @property
    def solved(self) -> bool:
        """Whether it is a solution."""
        return self.status == "solved"


class QuadraticProgram:
    """A quadratic program in stages k = 0..N: what ulna's optimal control solves in each iteration, by itself.

        stage = dict(Q=Q, R=R, A=A, B=B, u_lower=-1.0, u_upper=1.0)
        qp = ulna.QuadraticProgram([stage] * N + [dict(Q=P)])
        qp.solve(x0).u[0]

    stages: of each, what is not zero or unbounded:
        minimise   1/2 x'Q x + 1/2 u'R u + u'S x + q'x + r'u      (S: (nu, nx))
        with       x_next = A x + B u + b
        and        x_lower <= x <= x_upper, u_lower <= u <= u_upper, g_lower <= C x + D u <= g_upper
        price, price_squared: of rows (u, x, g): a row with a finite price may leave its bounds by s for price s + price_squared s²/2
    tolerance: of what is left in all equations
    iterations: at most
    options: start, warm_start: sizes of the barrier

    Primal-dual interior point method with Riccati recursion, linear in the number of stages. Bounds of the first state do not count.
    """

    def __init__(self, stages: Sequence[Mapping[str, Any]], *, tolerance: float = 1e-6, iterations: int = 50, **options: float) -> None:
        if not stages:
            raise ValueError("a quadratic program needs stages")
        self._sizes = [_sizes(k, stage) for k, stage in enumerate(stages)]
        last = len(stages) - 1
        for k, (x, u, _) in enumerate(self._sizes):
            if k == last and u:
                raise ValueError(f"stage {k} is the last and has no input")
        sizes = [dict(x=x, u=u, g=g) for x, u, g in self._sizes]
        self._core = _core.QuadraticProgram(sizes, {**options, "tolerance": tolerance, "iterations": iterations})
        for k, stage in enumerate(stages):
            self.set_stage(k, stage)

    def set_stage(self, k: int, stage: Mapping[str, Any]) -> None:
        """Replaces a stage by another one of the same size.

        k: its number
        stage: as of the constructor
        """
        if not 0 <= k < len(self._sizes):
            raise ValueError(f"there is no stage {k}; there are {len(self._sizes)}")
        x, u, g = self._sizes[k]
        n = self._sizes[k + 1][0] if k + 1 < len(self._sizes) else 0

        def M(key: str, rows: int, columns: int) -> Array:
            return _matrix(k, stage, key, rows, columns)

        S = M("S", u, x)
        H = np.block([[M("R", u, u), S], [S.T, M("Q", x, x)]])
        F, G = np.hstack([M("B", n, u), M("A", n, x)]), np.hstack([M("D", g, u), M("C", g, x)])
        h = np.concatenate([M("r", u, 1), M("q", x, 1)])[:, 0]
        bounds = {
            side: np.concatenate([_bound(k, stage, f"{rows}_{side}", size, sign) for rows, size in (("u", u), ("x", x), ("g", g))])
            for side, sign in (("lower", -np.inf), ("upper", np.inf))
        }
        prices = {key: _bound(k, stage, key, u + x + g, rest) for key, rest in (("price", np.inf), ("price_squared", 0.0)) if key in stage}
        self._core.set_stage(k, {"H": H, "h": h, "F": F, "f": M("b", n, 1)[:, 0], "G": G, "bounds": {**bounds, **prices}})

    def solve(self, x0: npt.ArrayLike, *, start: str = "cold") -> QpSolution:
        """Solves it from a state.

        x0: state of stage 0
        start: "cold", "point" (from the last solution) or "multipliers" (from its multipliers)
        returns: QpSolution
        """
        return QpSolution(**self._core.solve(np.atleast_1d(np.asarray(x0, dtype=float)), start))

    def shift(self) -> None:
        """Every stage takes what the next one holds as where "point" begins: for a horizon that moves on."""
        self._core.shift()

    def __repr__(self) -> str:
        x, u, _ = self._sizes[0]
        return f"QuadraticProgram({len(self._sizes)} stages, {x} states, {u} inputs)"


def _sizes(k: int, stage: Mapping[str, Any]) -> Tuple[int, int, int]:
    unknown = [key for key in stage if key not in _KEYS]
    if unknown:
        raise ValueError(f"stage {k}: there is no '{unknown[0]}'; there are {', '.join(_KEYS)}")

    def size(ways: Dict[str, int]) -> int:
        for key, axis in ways.items():
            if key in stage:
                return int(np.atleast_2d(np.asarray(stage[key], dtype=float)).shape[axis])
        return 0

    x = size({"Q": 0, "A": 1, "S": 1, "C": 1})
    if x == 0:
        raise ValueError(f"stage {k}: Q or A is needed, which say how many states there are")
    return x, size({"R": 0, "B": 1, "S": 0, "D": 1}), size({"C": 0, "D": 0})


def _matrix(k: int, stage: Mapping[str, Any], key: str, rows: int, columns: int) -> Array:
    if key not in stage:
        return np.zeros((rows, columns))
    M = np.asarray(stage[key], dtype=float)
    if M.size != rows * columns or (M.ndim == 2 and M.shape != (rows, columns)):
        raise ValueError(f"stage {k}: {key} has shape {M.shape}; ({rows}, {columns}) is needed")
    return M.reshape(rows, columns)


def _bound(k: int, stage: Mapping[str, Any], key: str, size: int, rest: float) -> Array:
    x = np.asarray(stage.get(key, rest), dtype=float)
    if x.ndim > 1 or (x.ndim == 1 and len(x) != size):
        raise ValueError(f"stage {k}: {key} has shape {x.shape}; ({size},) is needed")
    return np.broadcast_to(x, (size,)).copy()
