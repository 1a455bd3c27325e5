"""The textbook formulations of robot dynamics, what they cost, and how well they agree."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, NamedTuple, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _core
from ._record import Record, table_html, table_text
from ._results import Array

if TYPE_CHECKING:
    from ._robot import Robot


@dataclass(frozen=True)
class OperationCount:
    """Floating-point operations. Each sine, cosine, ... is one trigonometric call, as the textbooks count."""

    multiplications: int
    additions: int  #: with subtractions
    divisions: int
    square_roots: int
    trigonometric: int

    def __str__(self) -> str:
        return f"{self.multiplications} mul, {self.additions} add"


class Formulation:
    """One formulation of M(q) a + bias(q, v) = tau, of rigid bodies alone: without friction and rotors.

    `name` is such as "lagrange-euler", `source` the book and section, `operations` the OperationCount of
    "inverse_dynamics", "mass_matrix" and "bias".
    """

    def __init__(self, robot: "Robot", core: Any, costs: Dict[str, Dict[str, int]]) -> None:
        self._robot, self._core = robot, core
        self.name: str = core.name
        self.source: str = core.source
        self.operations: Dict[str, OperationCount] = {k: OperationCount(**n) for k, n in costs.items()}

    def mass_matrix(self, q: Any) -> Array:
        """Mass matrix without rotors.

        q: (nq,)
        returns: M, (nv, nv)
        """
        return np.asarray(self._core.mass_matrix(self._robot.configuration_vector(q)))

    def bias(self, q: Any, v: Any) -> Array:
        """Torques that velocity and gravity need.

        q: (nq,)
        v: (nv,)
        returns: (nv,)
        """
        return np.asarray(self._core.bias(self._robot.configuration_vector(q), self._robot.velocity_vector(v)))

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Array:
        """Torques of a motion.

        q: (nq,)
        v: (nv,)
        a: (nv,)
        returns: tau, (nv,)
        """
        r = self._robot
        return np.asarray(
            self._core.inverse_dynamics(r.configuration_vector(q), r.velocity_vector(v), r.velocity_vector(a))
        )

    def __repr__(self) -> str:
        return f"Formulation('{self.name}', {self.source}: {self.operations['inverse_dynamics']})"


class Formulations:
    """The formulations that take a robot, by name or number: f["lagrange-euler"]. A table in a notebook."""

    _head = ("formulation", "source", "multiplications", "additions", "trigonometric")

    def __init__(self, robot: "Robot") -> None:
        made = [Formulation(robot, core, costs) for core, costs in _core.formulations(robot._engine)]
        self._all: Dict[str, Formulation] = {f.name: f for f in made}
        self.robot: str = robot.name
        #: OperationCount of ulna's own algorithms: "inverse_dynamics", "mass_matrix", "forward_dynamics"
        self.fast: Dict[str, OperationCount] = {
            k: OperationCount(**n) for k, n in _core.fast_costs(robot._engine).items()
        }

    def __getitem__(self, name: "str | int") -> Formulation:
        if isinstance(name, int):
            return list(self._all.values())[name]
        if name not in self._all:
            raise ValueError(f"there is no formulation '{name}'; there are {', '.join(self._all)}")
        return self._all[name]

    def __iter__(self) -> Iterator[Formulation]:
        return iter(self._all.values())

    def __len__(self) -> int:
        return len(self._all)

    @property
    def names(self) -> List[str]:
        """Their names."""
        return list(self._all)

    def _rows(self) -> List[Tuple[Any, ...]]:
        counts = [(f.name, f.source, f.operations["inverse_dynamics"]) for f in self]
        counts += [("ulna." + name, "of ulna", n) for name, n in self.fast.items()]
        return [(a, b, n.multiplications, n.additions, n.trigonometric) for a, b, n in counts]

    def __repr__(self) -> str:
        return f"Formulations of '{self.robot}'\n" + table_text(self._head, self._rows())

    def _repr_html_(self) -> str:
        return table_html(self._head, self._rows(), f"Operations of inverse dynamics of {self.robot}")


class Growth(NamedTuple):
    """How operations of inverse dynamics grow with the number of joints of a chain."""

    name: str
    source: str
    book: bool  #: as the book counts; otherwise counted from what runs
    joints: Array  #: (N,)
    multiplications: Array  #: (N,)
    additions: Array  #: (N,)


def operation_growth(joints: Sequence[int] = (1, 2, 3, 4, 5, 6, 7)) -> List[Growth]:
    """Operations of all formulations for chains of so many revolute joints, counted, and as the books count them.

    joints: numbers of joints, at most 64; some formulations take O(n^4) operations
    returns: one Growth for each formulation, those of the books last
    """
    from ._robot import Robot

    n = np.asarray(joints, dtype=int)
    if n.ndim != 1 or n.size == 0 or n.min() < 1:
        raise ValueError("joints: a list of numbers from 1 on is needed")
    counted = [Formulations(Robot(f"chain:{k}")) for k in n]
    rows: List[Tuple[str, str, bool, Sequence[float], Sequence[float]]] = []
    for f in counted[0]:
        costs = [of_chain[f.name].operations["inverse_dynamics"] for of_chain in counted]
        rows.append((f.name, f.source, False, [c.multiplications for c in costs], [c.additions for c in costs]))
    fast = [of_chain.fast["inverse_dynamics"] for of_chain in counted]
    rows.append(("ulna.inverse_dynamics", "of ulna", False, [c.multiplications for c in fast], [c.additions for c in fast]))
    rows += [(name, source, True, mul, add) for name, source, mul, add in _core.book_counts(n.tolist())]
    return [Growth(name, source, book, n, np.asarray(mul), np.asarray(add)) for name, source, book, mul, add in rows]


class Term(NamedTuple):
    """A term of the generalised d'Alembert equations along a motion."""

    element: str  #: "D12", "h3", "c2": joints count from 1
    kind: str  #: "D_tran", "D_rot" (accelerations, of translation and of rotation), "h_tran", "h_rot" (velocities), "gravity"
    share: float  #: the largest torque that it makes at a joint, over the largest that the joint needs
    kept: bool


class SimplifiedModel:
    """A model without the terms that hardly matter along a motion, as Robot.simplify returns it. A table in a notebook."""

    _head = ("term", "kind", "share", "kept")

    def __init__(self, robot: "Robot", q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, tolerance: float) -> None:
        if not 0.0 <= tolerance < 1.0:
            raise ValueError(f"tolerance is {tolerance}; a share from 0 to below 1 is needed")
        self._robot, self.tolerance = robot, tolerance
        self._points = self._motion(q, v, a)
        self._core = _core.SimplifiedModel(robot._engine, *self._points, tolerance)
        self.terms: List[Term] = [Term(*t) for t in self._core.terms]
        full, reduced = self._core.operations
        self.operations: Dict[str, OperationCount] = {"full": OperationCount(**full), "reduced": OperationCount(**reduced)}

    def _motion(self, *x: npt.ArrayLike) -> Tuple[Array, ...]:
        rows = tuple(np.atleast_2d(np.asarray(y, dtype=float)) for y in x)
        for name, y in zip("qva", rows):
            if y.shape != (len(rows[0]), self._robot.nv):
                raise ValueError(f"{name} has shape {y.shape}; ({len(rows[0])}, {self._robot.nv}) is needed")
            if not np.isfinite(y).all():
                raise ValueError(f"{name} is not finite")
        return rows

    @property
    def kept(self) -> List[Term]:
        """Terms that are kept."""
        return [t for t in self.terms if t.kept]

    @property
    def dropped(self) -> List[Term]:
        """Terms that are left out."""
        return [t for t in self.terms if not t.kept]

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Array:
        """Torques by the terms that are kept, of rigid bodies alone.

        q: (nq,)
        v: (nv,)
        a: (nv,)
        returns: tau, (nv,)
        """
        r = self._robot
        return np.asarray(self._core.inverse_dynamics(r.configuration_vector(q), r.velocity_vector(v), r.velocity_vector(a)))

    def error(self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike) -> Array:
        """The largest error along another motion, per joint, over the joint's largest torque there.

        q: (N, nq)
        v: (N, nv)
        a: (N, nv)
        returns: (nv,)
        """
        return np.asarray(self._core.error(*self._motion(q, v, a)))

    def __repr__(self) -> str:
        n, m = self.operations["full"], self.operations["reduced"]
        return (
            f"SimplifiedModel('{self._robot.name}': {len(self.kept)} of {len(self.terms)} terms, "
            f"{m.multiplications} of {n.multiplications} multiplications)"
        )

    def _repr_html_(self) -> str:
        return table_html(self._head, self.terms, repr(self))


@dataclass(frozen=True, repr=False)
class Compared(Record):
    """One formulation in a comparison."""

    name: str
    source: str
    error: float  #: the largest disagreement with the median of all, relative to the largest number
    multiplications: int
    additions: int
    seconds: float  #: of one call from Python, the best of several


class Comparison:
    """All formulations on the same random states, as Robot.compare_formulations returns them; a list of Compared."""

    _head = ("formulation", "source", "error", "multiplications", "additions", "seconds")

    def __init__(self, robot: str, states: int, rows: List[Compared]) -> None:
        self.robot, self.states, self.rows = robot, states, rows

    @property
    def error(self) -> float:
        """The largest disagreement of any."""
        return max(row.error for row in self.rows)

    def __iter__(self) -> Iterator[Compared]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def _cells(self) -> List[Tuple[Any, ...]]:
        return [(r.name, r.source, r.error, r.multiplications, r.additions, r.seconds) for r in self.rows]

    def __repr__(self) -> str:
        return f"Comparison of '{self.robot}' on {self.states} states\n" + table_text(self._head, self._cells())

    def _repr_html_(self) -> str:
        return table_html(self._head, self._cells(), f"{self.robot}, {self.states} random states")


def _best_time(call: Callable[[], Any]) -> float:
    def once() -> float:
        begin = perf_counter()
        call()
        return perf_counter() - begin

    return min(once() for _ in range(20))


def compare(robot: "Robot", states: int, seed: int) -> Comparison:
    """What Robot.compare_formulations returns."""
    if states < 1:
        raise ValueError(f"states is {states}; at least one is needed")
    formulations = Formulations(robot)
    rigid = robot.without_friction()
    random = np.random.default_rng(seed)
    q = robot.random_configuration(random, states)
    v, a = random.uniform(-1.0, 1.0, (2, states, robot.nv))
    calls: Dict[str, Callable[[Any, Any, Any], Array]] = {f.name: f.inverse_dynamics for f in formulations}
    # rotors are no part of the books' formulations
    calls["ulna.inverse_dynamics"] = lambda q, v, a: np.asarray(rigid.inverse_dynamics(q, v, a) - robot.armature * a)
    tau = {name: np.stack([call(*x) for x in zip(q, v, a)]) for name, call in calls.items()}
    middle = np.median(np.stack(list(tau.values())), axis=0)
    size = np.abs(middle).max(axis=1, keepdims=True)
    rows = []
    for name, call in calls.items():
        known = name in formulations.names
        n = formulations[name].operations["inverse_dynamics"] if known else formulations.fast["inverse_dynamics"]
        error = float(np.max(np.abs(tau[name] - middle) / np.where(size > 0, size, 1.0)))
        seconds = _best_time(lambda: call(q[0], v[0], a[0]))
        source = formulations[name].source if known else "of ulna"
        rows.append(Compared(name, source, error, n.multiplications, n.additions, seconds))
    return Comparison(robot.name, states, rows)
