"""Optimal control: of robots, and of problems of one's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._record import Record, given
from ._results import Array

if TYPE_CHECKING:
    from ._robot import Robot


@dataclass(frozen=True, repr=False, eq=False)
class Plan(Record):
    """A motion that was planned: N steps between N + 1 nodes."""

    status: str  #: "solved", "limited" (by iterations or time), "stalled", "infeasible" or "failed"
    cost: float
    iterations: int
    report: str = field(repr=False)  #: one line
    joints: List[str] = field(repr=False)  #: names of the numbers in v and tau
    coordinates: List[str] = field(repr=False)  #: names of the numbers in q
    t: Array = field(repr=False)  #: (N + 1,), s
    q: Array = field(repr=False)  #: (N + 1, nq)
    v: Array = field(repr=False)  #: (N + 1, nv)
    tau: Optional[Array] = field(repr=False)  #: (N, nv), at the beginning of each step; None where loops are closed by accelerations
    u: List[Array] = field(repr=False)  #: inputs of the stages
    defect: float = 0.0  #: the largest gap between a step's end and the next node
    breach: float = 0.0  #: the most by which a constraint is broken

    @property
    def solved(self) -> bool:
        """Whether it is a solution."""
        return self.status == "solved"

    @property
    def duration(self) -> float:
        """How long the motion takes, s."""
        return float(self.t[-1] - self.t[0])

    def __call__(self, t: npt.ArrayLike) -> Tuple[Array, Array]:
        """q and v at times, between nodes by straight lines.

        t: s
        returns: q (..., nq), v (..., nv)
        """
        at = np.asarray(t, dtype=float)
        both = [np.stack([np.interp(at, self.t, column) for column in x.T], axis=-1) for x in (self.q, self.v)]
        return both[0], both[1]

    def plot(self, joints: Optional[Sequence[str]] = None) -> Any:
        """Positions, velocities and torques over time; matplotlib must be installed.

        joints: names of those to be drawn; all if not given
        returns: the figure
        """
        from ._plot import courses

        panels = [("q [rad, m]", self.coordinates, self.q), ("v [/s]", self.joints, self.v)]
        if self.tau is not None:
            panels.append(("tau [Nm, N]", self.joints, self.tau))
        return courses(self.t, panels, joints, (), f"{self.status}, cost {self.cost:.4g}")


class RobotProblem:
    """How a robot is to move, as an optimal control problem: weighted squares of what it misses, within limits.

        problem = ulna.RobotProblem(robot, steps=40, duration=0.05)
        problem.set_goal(q_goal)
        plan = problem.solve(q, v)
        plan.t, plan.q, plan.tau; plan.plot()

    robot: the robot; dry friction jumps, so robot.without_friction() is easier to plan for
    steps: N, between N + 1 nodes
    duration: s, of each step
    transcription: "forward_dynamics" (inputs are torques) or "inverse_dynamics" (inputs are accelerations)
    integrator: of forward dynamics
    weights: {"position": (nv,), "velocity": (nv,), "torque": (nv,), "terminal": 10.0, "time": 0.0}
    limits: {"lower", "upper", "velocity", "torque", "torque_rate": (nv,), "price", "price_squared"}; the robot's own otherwise
    frames: [{"frame": name, "position": 100.0, "orientation": 10.0}], weights of frames that have targets
    collisions: {"floor": 0.0, "distance": 0.01, "obstacles": [{"from": (3,), "to": (3,), "radius": r}]}
    final_time: (least, most) s, where the final time is free
    final_given: (2 nv,) of bool: which numbers of (q, v) must be those of the goal at the end
    initial_given: (2 nv,) of bool: which are given at the first node
    loops: whether the loops of the robot's file are kept closed
    solver: {"tolerance": 1e-6, "iterations": 200, "exact_hessian": False}
    options: durations, threads, contact, loop_form, closed_at, collision_price, ...; see docs/control.md

    The cost is sum dt/2 (|q - q_r|² + |v - v_r|² + |tau - tau_r|² + frames) + terminal/2 (the same but tau).
    """

    def __init__(
        self,
        robot: "Robot",
        *,
        steps: int = 20,
        duration: float = 0.02,
        transcription: str = "forward_dynamics",
        integrator: str = "rk4",
        weights: Optional[Mapping[str, Any]] = None,
        limits: Optional[Mapping[str, Any]] = None,
        frames: Sequence[Mapping[str, Any]] = (),
        collisions: Optional[Mapping[str, Any]] = None,
        final_time: Optional[Tuple[float, float]] = None,
        final_given: Optional[Sequence[bool]] = None,
        initial_given: Optional[Sequence[bool]] = None,
        loops: bool = False,
        solver: Optional[Mapping[str, Any]] = None,
        **options: Any,
    ) -> None:
        how = given(
            steps=steps, duration=duration, transcription=transcription, integrator=integrator, weights=weights, limits=limits,
            frames=[dict(f) for f in frames], collisions=collisions, final_time=final_time, final_given=final_given,
            initial_given=initial_given, loops=loops,
        )  # fmt: skip
        self.robot = robot
        self._frames = [f["frame"] for f in how["frames"]]
        self._core = _core.RobotProblem(robot._engine, {**how, **options}, dict(solver or {}))
        self._warm = False

    @property
    def steps(self) -> int:
        """How many steps there are: N, between N + 1 nodes."""
        return int(self._core.steps)

    @property
    def weights(self) -> Dict[str, Any]:
        """Those that count now, by name."""
        return dict(self._core.weights)

    @property
    def limits(self) -> Dict[str, Any]:
        """Those that count now, by name."""
        return dict(self._core.limits)

    @property
    def pairs(self) -> List[str]:
        """What is kept from what: "link2 and link5", "link3 and obstacle 0"."""
        return list(self._core.pairs)

    def set_weights(self, **weights: Any) -> None:
        """Changes weights.

        weights: position, velocity, torque (nv,), terminal, time
        """
        self._core.set_weights(weights)

    def set_limits(self, **limits: Any) -> None:
        """Changes limits.

        limits: lower, upper, velocity, torque, torque_rate (nv,), price, price_squared
        """
        self._core.set_limits(limits)

    def set_goal(self, q: Any) -> None:
        """To be there at rest, from the first node on.

        q: (nq,)
        """
        self._core.set_goal(q)

    def set_reference(self, q: Any, v: Any = None, node: Optional[int] = None) -> None:
        """Where to be at nodes.

        q: (N + 1, nq), or (nq,) of one node
        v: likewise; at rest if not given
        node: which; all if not given
        """
        if node is not None:
            return self._core.set_reference(node, q, v)  # type: ignore[no-any-return]
        Q = np.asarray(q, dtype=float)
        if Q.shape != (self.steps + 1, self.robot.nq):
            raise ValueError(f"q has shape {Q.shape}; ({self.steps + 1}, {self.robot.nq}) is needed, or one node")
        for k in range(self.steps + 1):
            self._core.set_reference(k, Q[k], None if v is None else np.asarray(v, dtype=float)[k])

    def set_torque_reference(self, node: int, tau: Any) -> None:
        """The torque that torques are compared with; by default what holds the reference against gravity.

        node: of the step's beginning
        tau: (nv,)
        """
        self._core.set_torque_reference(node, tau)

    def set_target(self, frame: str, target: npt.ArrayLike, node: Optional[int] = None) -> None:
        """Where a frame of `frames` is to be.

        frame: its name
        target: (4, 4), its pose in the world
        node: at which node; at all if not given
        """
        if frame not in self._frames:
            raise ValueError(f"frame '{frame}' has no weights; there are {', '.join(self._frames) or 'none'}: give frames=[...]")
        self._core.set_target(self._frames.index(frame), node, np.asarray(target, dtype=float))

    def set_obstacle(self, number: int, start: npt.ArrayLike, end: Optional[npt.ArrayLike] = None, radius: float = 0.1) -> None:
        """Moves an obstacle of `collisions`.

        number: from 0
        start, end: (3,), of its axis; a sphere if there is no end
        radius: m
        """
        self._core.set_obstacle(number, *axis_of(start, end), radius)

    def set_contact(self, force: float, node: Optional[int] = None) -> None:
        """The force that the frame of `contact` presses with.

        force: N; 0: it does not touch
        node: at which node; at all if not given
        """
        self._core.set_contact(node, force)

    def set_robot(self, robot: "Robot") -> None:
        """Other parameters of the same robot, such as identified ones.

        robot: it
        """
        self._core.set_plant(robot._engine)

    def solve(self, q: Any, v: Any = None, *, warm: bool = False, seconds: Optional[float] = None, ipopt: Union[bool, Mapping[str, Any]] = False) -> Plan:
        """Plans the motion from a state.

        q: (nq,)
        v: (nv,); at rest if not given
        warm: begin at the last solution; otherwise on a straight line to the goal
        seconds: at most; what is found by then is returned as "limited"
        ipopt: True, or {"tolerance": 1e-8, "iterations": 1000}: solve with Ipopt instead
        returns: Plan
        """
        how = None if ipopt is False else {} if ipopt is True else dict(ipopt)
        report, text, course = self._core.solve(q, v, warm and self._warm, seconds, how)
        self._warm = True
        return Plan(
            status=report["status"], cost=report["cost"], iterations=report["iterations"], report=text,
            joints=self.robot.velocity_names, coordinates=self.robot.configuration_names, defect=report["defect"],
            breach=report["breach"], **{k: course[k] for k in ("t", "q", "v", "tau", "u")},
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"RobotProblem('{self.robot.name}': {self.steps} steps of {self._core.durations[0]:g} s)"


@dataclass(frozen=True, repr=False, eq=False)
class Solution(Record):
    """A solution of an OptimalControlProblem."""

    status: str  #: as of Plan
    cost: float
    iterations: int
    x: Array = field(repr=False)  #: (N + 1, states)
    u: Array = field(repr=False)  #: (N, inputs)
    report: str = field(repr=False)  #: one line
    slope: float = 0.0  #: of the Lagrangian, what is left
    defect: float = 0.0
    breach: float = 0.0

    @property
    def solved(self) -> bool:
        """Whether it is a solution."""
        return self.status == "solved"

    def plot(self) -> Any:
        """States and inputs over stages; matplotlib must be installed.

        returns: the figure
        """
        from ._plot import courses

        n, m = self.x.shape[1], self.u.shape[1]
        panels = [("x", [f"x{i}" for i in range(n)], self.x), ("u", [f"u{i}" for i in range(m)], self.u)]
        return courses(np.arange(float(len(self.x))), panels, None, (), f"{self.status}, cost {self.cost:.4g}")


#: A function of (k, x, u): k the stage, x (states,), u (inputs,).
Function = Callable[[int, Array, Array], Any]


class OptimalControlProblem:
    """An optimal control problem of one's own: functions of (k, x, u) in numpy, solved by ulna's SQP.

        def step(k, x, u):                                   # the next state
            rate = x[1] + 0.075 * (u[0] - 9.81 * np.sin(x[0]))
            return np.array([x[0] + 0.075 * rate, rate])

        def residual(k, x, u):                               # the stage costs half its square
            w = 10.0 if k == 40 else 0.1
            return np.array([w * (x[0] - np.pi), 0.3 * w * x[1], 0.1 * u[0]])

        problem = ulna.OptimalControlProblem(40, 2, 1, step, residual=residual, u_lower=-4, u_upper=4)
        problem.solve([0, 0]).plot()

    steps, states, inputs: N, and sizes of x and u
    next: the state at k + 1, of k < steps
    residual: numbers whose half squares are the cost of a stage
    cost: a number, for what is no sum of squares
    constraint: numbers that g_lower and g_upper bound at every stage
    u_lower, u_upper, x_lower, x_upper, g_lower, g_upper: numbers or arrays; nothing is bounded otherwise. The first state is given
    soft: price of what a unit beyond bounds of x and g costs; they are hard if not given
    derivatives: {"next": (k, x, u) -> (d/dx, d/du), "residual": ..., "constraint": ..., "cost": ... -> gradients}; those not given
        are taken by complex step, d f/dx_i = Im f(x + i h e_i) / h with h = 1e-20, exact to rounding [Squire, Trapp 1998]: functions
        must then do arithmetic on complex arrays (no abs, no comparison, no conversion to float; arctan2 is not analytic in numpy)

    At the last stage u is zero and does not count. The Hessian is J'J of the residuals, and the curvature of the cost by
    differences of its gradient, made convex.
    """

    def __init__(
        self,
        steps: int,
        states: int,
        inputs: int,
        next: Function,
        *,
        residual: Optional[Function] = None,
        cost: Optional[Function] = None,
        constraint: Optional[Function] = None,
        u_lower: npt.ArrayLike = -np.inf,
        u_upper: npt.ArrayLike = np.inf,
        x_lower: npt.ArrayLike = -np.inf,
        x_upper: npt.ArrayLike = np.inf,
        g_lower: npt.ArrayLike = -np.inf,
        g_upper: npt.ArrayLike = np.inf,
        soft: Optional[float] = None,
        derivatives: Optional[Mapping[str, Function]] = None,
    ) -> None:
        if residual is None and cost is None:
            raise ValueError("there is nothing to minimise: give residual or cost")
        self.steps, self.states, self.inputs = steps, states, inputs
        self._functions = {"next": next, "residual": residual, "cost": cost, "constraint": constraint}
        self._given = dict(derivatives or {})
        for name in self._given:
            if self._functions.get(name) is None:
                raise ValueError(f"derivatives: there is no function '{name}'; there are {', '.join(k for k, f in self._functions.items() if f)}")
        zero = np.zeros(states), np.zeros(inputs)
        self._constraints = 0 if constraint is None else len(np.atleast_1d(constraint(0, *zero)))
        sizes = [(states, inputs, self._constraints)] * steps + [(states, 0, self._constraints)]
        self._core = _core.StagewiseProblem(self, sizes, False)
        for k in range(steps + 1):
            m = inputs if k < steps else 0
            bounds = [(m, u_lower, u_upper), (states, x_lower, x_upper), (self._constraints, g_lower, g_upper)]
            if k == 0:
                bounds[1] = (states, -np.inf, np.inf)
            lower, upper = (np.concatenate([np.broadcast_to(np.asarray(b[i], dtype=float), (b[0],)) for b in bounds]) for i in (1, 2))
            price = None if soft is None else np.r_[np.full(m, np.inf), np.full(states + self._constraints, soft)]
            self._core.set_bounds(k, lower, upper, price, None)

    def solve(
        self, x0: npt.ArrayLike, *, x: Optional[npt.ArrayLike] = None, u: Optional[npt.ArrayLike] = None,
        tolerance: float = 1e-6, iterations: int = 200, seconds: Optional[float] = None,
    ) -> Solution:  # fmt: skip
        """Solves it from a first state.

        x0: (states,)
        x: (N + 1, states), where to begin; x0 throughout if not given
        u: (N, inputs), likewise; zero
        tolerance: of slopes, defects and breaches
        iterations, seconds: at most
        returns: Solution
        """
        first = np.asarray(x0, dtype=float)
        if first.shape != (self.states,):
            raise ValueError(f"x0 has shape {first.shape}; ({self.states},) is needed")
        X = np.tile(first, (self.steps + 1, 1)) if x is None else np.array(x, dtype=float)
        U = np.zeros((self.steps, self.inputs)) if u is None else np.array(u, dtype=float)
        if X.shape != (self.steps + 1, self.states) or U.shape != (self.steps, self.inputs):
            raise ValueError(f"x, u have shapes {X.shape}, {U.shape}; ({self.steps + 1}, {self.states}), ({self.steps}, {self.inputs}) are needed")
        X[0] = first
        report, text, xs, us = self._core.solve(first, list(X), [*U, np.zeros(0)], {"tolerance": tolerance, "iterations": iterations}, seconds)
        return Solution(
            report["status"], report["cost"], report["iterations"], np.stack(xs), np.stack(us[: self.steps]), text,
            report["slope"], report["defect"], report["breach"],
        )  # fmt: skip

    # --- what C++ calls ---

    def _function(self, name: str) -> Function:
        f = self._functions[name]
        if f is None:
            raise ValueError(f"there is no function '{name}'")
        return f

    def _values(self, name: str, k: int, x: Array, u: Array) -> Array:
        return np.asarray(np.atleast_1d(np.asarray(self._function(name)(k, x, u), dtype=float)))

    def _evaluate(self, k: int, x: Array, u: Array) -> Tuple[float, Array, Array]:
        by = u if k < self.steps else np.zeros(self.inputs)
        cost = 0.0
        if self._functions["residual"] is not None:
            r = self._values("residual", k, x, by)
            cost += 0.5 * float(r @ r)
        if self._functions["cost"] is not None:
            cost += float(self._values("cost", k, x, by)[0])
        g = self._values("constraint", k, x, by) if self._constraints else np.zeros(0)
        return cost, self._values("next", k, x, by) if k < self.steps else np.zeros(0), g

    def _slopes(self, name: str, k: int, x: Array, u: Array) -> Array:
        """By (u, x): rows of the function, one column per variable."""
        if name in self._given:
            dx, du = (np.atleast_2d(np.asarray(d, dtype=float)) for d in self._given[name](k, x, u))
            return np.hstack([du, dx])
        f = self._function(name)
        return complex_step(lambda z: f(k, z[self.inputs :], z[: self.inputs]), np.r_[u, x])

    def _linearise(self, k: int, x: Array, u: Array, multipliers: Any) -> Tuple[Any, ...]:
        last = k == self.steps
        by = np.zeros(self.inputs) if last else u
        m = 0 if last else self.inputs
        cost, next_x, g = self._evaluate(k, x, u)
        n = self.inputs + self.states
        H, h = np.zeros((n, n)), np.zeros(n)
        if self._functions["residual"] is not None:
            J = self._slopes("residual", k, x, by)
            H += J.T @ J
            h += J.T @ self._values("residual", k, x, by)
        if self._functions["cost"] is not None:
            h += self._slopes("cost", k, x, by)[0]
            H += self._curvature(k, x, by)
        skip = self.inputs - m
        F = self._slopes("next", k, x, by) if not last else np.zeros((0, m + self.states))
        G = self._slopes("constraint", k, x, by)[:, skip:] if self._constraints else np.zeros((0, m + self.states))
        return cost, next_x, g, H[skip:, skip:], h[skip:], F, G

    def _curvature(self, k: int, x: Array, u: Array) -> Array:
        """Of the cost, by central differences of its gradient, with negative eigenvalues set to zero."""
        z = np.r_[u, x]
        rows = []
        for i in range(len(z)):
            e = np.zeros(len(z))
            e[i] = 1e-5 * max(1.0, abs(z[i]))
            ahead, behind = (self._slopes("cost", k, (z + s * e)[self.inputs :], (z + s * e)[: self.inputs])[0] for s in (1, -1))
            rows.append((ahead - behind) / (2 * e[i]))
        H = np.stack(rows)
        w, V = np.linalg.eigh(0.5 * (H + H.T))
        return np.asarray((V * np.maximum(w, 0.0)) @ V.T)

    def __repr__(self) -> str:
        return f"OptimalControlProblem({self.steps} steps, {self.states} states, {self.inputs} inputs, {self._constraints} constraints)"


def axis_of(start: npt.ArrayLike, end: Optional[npt.ArrayLike]) -> Tuple[Array, Array]:
    """Both ends of a capsule's axis; one point twice is a sphere's middle."""
    first = np.asarray(start, dtype=float)
    return first, first if end is None else np.asarray(end, dtype=float)


def complex_step(f: Callable[[Any], Any], x: Array, h: float = 1e-20) -> Array:
    """Derivatives of a function that is analytic in numpy, exact to rounding: Im f(x + i h e_k) / h [Squire, Trapp 1998].

    f: takes (n,), returns (m,) or a number
    x: (n,)
    h: the step
    returns: (m, n)
    """
    columns = []
    for k in range(len(x)):
        z = np.array(x, dtype=complex)
        z[k] += 1j * h
        y = np.atleast_1d(np.asarray(f(z)))
        if not np.iscomplexobj(y):
            y = y.astype(complex)  # does not depend on this variable
        columns.append(y.imag / h)
    return np.asarray(np.stack(columns, axis=1))
