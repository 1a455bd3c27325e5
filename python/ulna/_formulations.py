"""The textbook formulations of robot dynamics, what they cost, and how well they agree."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Tuple

import numpy as np

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
