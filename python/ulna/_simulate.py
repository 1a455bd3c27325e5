"""A robot that moves in time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._record import Record, given
from ._results import Array

if TYPE_CHECKING:
    from ._robot import Robot

#: Torques: none, always the same (a vector, or a dict by joint name), or a function tau(t, q, v).
Torque = Union[None, npt.ArrayLike, Mapping[str, float], Callable[[float, Array, Array], Any]]
#: Things that become of a robot, each in its time.
Changes = Optional[Sequence[Mapping[str, Any]]]


class SimulationError(RuntimeError):
    """A simulation cannot go on. `status` says why; `result` is the course until then, if it is recorded."""

    def __init__(self, status: str, time: float, result: Optional["SimulationResult"] = None) -> None:
        super().__init__(f"the simulation ends at t = {time:.6g} s: {status}")
        self.status, self.time, self.result = status, time, result

    def __reduce__(self) -> Tuple[Any, ...]:
        return (SimulationError, (self.status, self.time, self.result))


@dataclass(frozen=True)
class Work:
    """Where energy came from and went to, J. What the robot has grows by torques + wrenches + changes - damping - friction - stops."""

    torques: float  #: done by the drives
    wrenches: float  #: done by the surroundings
    changes: float  #: brought in when parameters were changed
    damping: float  #: lost in viscous
    friction: float  #: and in dry friction
    stops: float  #: lost when joints hit their stops
    corrections: float  #: taken from the velocities because the method had produced it


class Reading(NamedTuple):
    """What sensors make of a robot's state; may hold NaN if the options say so."""

    time: float
    q: Array  #: (nq,)
    v: Array  #: (nv,)
    tau: Array  #: (nv,)
    a: Array  #: (nv,); zero unless accelerations are read
    theta: Optional[Array]  #: (nv,), motors behind springs as seen at the joints
    omega: Optional[Array]
    link_torque: Optional[Array]  #: (nv,), torque sensors behind the springs


@dataclass(frozen=True, repr=False, eq=False)
class SimulationResult(Record):
    """The course of a motion: a row a sample."""

    robot: str
    joints: List[str] = field(repr=False)  #: names of the numbers in v, a, tau
    coordinates: List[str] = field(repr=False)  #: names of the numbers in q
    t: Array = field(repr=False)  #: (N,), s
    q: Array = field(repr=False)  #: (N, nq)
    v: Array = field(repr=False)  #: (N, nv)
    a: Array = field(repr=False)  #: (N, nv), under tau
    tau: Array = field(repr=False)  #: (N, nv), within the limits
    energy: Array = field(repr=False)  #: (N,), J
    balance: Array = field(repr=False)  #: (N,), J that came in less what was lost: energy grows by it
    work: Work = field(repr=False)  #: at the end
    counts: Dict[str, int] = field(repr=False)  #: steps, events, hits on stops, torques that were cut
    theta: Optional[Array] = field(repr=False, default=None)  #: (N, nv), motors behind springs
    link_torque: Optional[Array] = field(repr=False, default=None)  #: (N, nv), behind the springs
    q_measured: Optional[Array] = field(repr=False, default=None)  #: what sensors read
    v_measured: Optional[Array] = field(repr=False, default=None)
    tau_measured: Optional[Array] = field(repr=False, default=None)

    @property
    def energy_error(self) -> float:
        """How far the energy is from what the balance says, J; that of the method."""
        gained = self.energy - self.balance
        return float(np.ptp(gained)) if len(gained) else 0.0

    def _summary(self) -> str:
        return f"'{self.robot}': {np.ptp(self.t) if len(self.t) else 0:.4g} s, {len(self.t)} samples, energy error {self.energy_error:.2g} J"

    def columns(self, measured: bool = False) -> Dict[str, Array]:
        """Vectors by the names that logs have: t, q_<joint>, qd_<joint>, qdd_<joint>, tau_<joint>.

        `pandas.DataFrame(result.columns())` is a table of it, and `ulna.Log(result.columns())` a log.

        measured: what sensors read instead of the truth
        """
        if measured and self.q_measured is None:
            raise ValueError("the simulation has no sensors: give it sensors={...}")
        q, v, tau = (self.q_measured, self.v_measured, self.tau_measured) if measured else (self.q, self.v, self.tau)
        table: Dict[str, Array] = {"t": self.t}
        for prefix, names, x in (("q_", self.coordinates, q), ("qd_", self.joints, v), ("qdd_", self.joints, self.a), ("tau_", self.joints, tau)):
            if measured and prefix == "qdd_":
                continue
            table.update({prefix + name: x[:, i] for i, name in enumerate(names)})  # type: ignore[index]
        return table

    def __getitem__(self, name: str) -> Array:
        """A column by name: result["q_elbow"]."""
        table = self.columns()
        if name not in table:
            raise ValueError(f"there is no column '{name}'; there are {', '.join(table)}")
        return table[name]

    def plot(self, joints: Optional[Sequence[str]] = None) -> Any:
        """Positions, velocities and torques over time, and the energy; matplotlib must be installed.

        joints: names of those to be drawn; all if not given
        returns: the figure
        """
        from ._plot import courses

        return courses(
            self.t,
            [("q [rad, m]", self.coordinates, self.q), ("v [/s]", self.joints, self.v), ("tau [Nm, N]", self.joints, self.tau)],
            joints,
            [("energy [J]", self.energy)],
            title=self.robot,
        )


class Simulation:
    """A robot in motion, step by step.

        sim = ulna.Simulation(robot, integrator="rk4")
        sim.set_state(q, v)
        while sim.time < 2.0:
            sim.step(robot.gravity_torque(sim.q), 0.001)

    robot: the robot
    integrator: "euler", "semi_implicit_euler", "midpoint" or "rk4"
    substep: s at most; a longer step is made of several
    adaptive: True, or {"relative": 1e-8, "absolute": 1e-10, "order": 5}: steps of SUNDIALS instead of the integrator's
    torque_limits: torques are cut off at the robot's effort limits
    stops: joints cannot leave their position limits
    loops: the robot's loops are closed; otherwise its tree moves
    sensors: {"position": {"noise": 1e-4, "delay": 1, ...}, "velocity": ..., "torque": ..., "seed": 1}; see docs/simulation.md

    Dry friction holds a joint that rests. Stops are inelastic. Of robots with springs, tau is what the motors exert, and
    `theta`, `omega` are where they are. One thread at a time.
    """

    def __init__(
        self,
        robot: "Robot",
        *,
        integrator: str = "rk4",
        substep: float = 1e-3,
        adaptive: Union[bool, Mapping[str, float]] = False,
        torque_limits: bool = True,
        stops: bool = True,
        loops: bool = True,
        sensors: Optional[Mapping[str, Any]] = None,
    ) -> None:
        options = dict(integrator=integrator, substep=substep, torque_limits=torque_limits, stops=stops, loops=loops)
        if adaptive is not False:
            options["adaptive"] = {} if adaptive is True else dict(adaptive)
        self.robot: "Robot" = robot  #: as its description has it; changes do not reach it
        self._core = _core.Simulation(robot._engine, options, None if sensors is None else dict(sensors))

    def set_state(self, q: Any = None, v: Any = None, time: float = 0.0) -> None:
        """Begins anew; work and counts are zero, and no torque acts.

        q: (nq,), where it is now if not given; loops that are open by less than 1 mm are closed
        v: (nv,), at rest if not given
        time: s
        """
        self._core.set_state(q, v, time)

    def set_motors(self, theta: Any, omega: Any) -> None:
        """Moves the motors of elastic joints.

        theta: (nv,), as seen at the joints; numbers of rigid joints are not read
        omega: (nv,)
        """
        self._core.set_motors(theta, omega)

    def set_wrenches(self, wrenches: Optional[Mapping[str, Any]], axes: str = "aligned") -> None:
        """What the surroundings exert from now on.

        wrenches: {frame: (6,)}: moment and force; None for nothing
        axes: 'aligned', 'local' or 'world'
        """
        self._core.set_wrenches(wrenches, axes)

    def hold(self, tau: Any) -> None:
        """Applies torques from now on.

        tau: (nv,), cut off at the limits
        """
        self._check(self._core.hold(tau))

    def step(self, tau: Any, h: float) -> None:
        """Goes on under a torque. If it fails, SimulationError is raised and all is as it was before.

        tau: (nv,); None: what is held already
        h: s
        """
        if tau is not None:
            self.hold(tau)
        self._check(self._core.step(h))

    def _check(self, status: str) -> None:
        if status != "moved":
            raise SimulationError(status, self.time)

    def run(
        self, duration: float, tau: Torque = None, *, period: float = 1e-3, record_every: int = 1, changes: Changes = None
    ) -> SimulationResult:
        """Goes on for a while, with a controller that is called every period, and returns the course.

        duration: s
        tau: None, (nv,), a dict by joint, or a function tau(t, q, v) of time and state; with sensors, of their readings
        period: s between calls of it
        record_every: of so many periods, one is recorded
        changes: what becomes of the robot, [{"at": 2.0, "payload": {"frame": "tool", "mass": 2.0, "com": [0, 0, 0.1]}}, ...];
            "drop" takes a payload off; {"at": 3, "until": 5, "friction": 1.3} multiplies friction; "gravity": (3,);
            "random": {"inertia": 0.2, "friction": 0.3} with "seed": another robot of the same kind
        returns: SimulationResult
        """
        if record_every < 1:
            raise ValueError(f"record_every is {record_every}; it must be at least 1")
        status, course = self._core.run(duration, period, tau, changes, record_every)
        result = SimulationResult._of(
            course,
            robot=self.robot.name,
            joints=self.robot.velocity_names,
            coordinates=self.robot.configuration_names,
            work=self.work,
            counts=self.counts,
        )
        if status != "moved":
            raise SimulationError(status, self.time, result)
        return result

    def read(self) -> Reading:
        """The sensors' reading of now; to be called once a period."""
        return Reading(**self._core.read())

    def change(self, **what: Any) -> None:
        """Changes the simulated robot now, and keeps account of the energy: change(payload={...}), change(friction=1.3).

        what: one of those of `run`'s changes, without "at"
        """
        self._core.change(what)

    @property
    def time(self) -> float:
        """How long it has moved since the state was set, s."""
        return float(self._core.time)

    @property
    def q(self) -> Array:
        """Configuration, (nq,)."""
        return np.asarray(self._core.q)

    @property
    def v(self) -> Array:
        """Velocity, (nv,)."""
        return np.asarray(self._core.v)

    @property
    def a(self) -> Array:
        """Acceleration under the torque that is held, (nv,)."""
        return np.asarray(self._core.acceleration)

    @property
    def tau(self) -> Array:
        """Torques that act, (nv,)."""
        return np.asarray(self._core.tau)

    @property
    def theta(self) -> Array:
        """Positions of motors behind springs as seen at the joints, (nv,); 0 of rigid joints."""
        return np.asarray(self._core.theta)

    @property
    def omega(self) -> Array:
        """Their speeds, (nv,)."""
        return np.asarray(self._core.omega)

    @property
    def link_torque(self) -> Array:
        """Torques of the springs, (nv,); of rigid joints those that act."""
        return np.asarray(self._core.link_torque)

    @property
    def energy(self) -> float:
        """Kinetic and potential, J; of rotors and springs, too."""
        return float(self._core.energy)

    @property
    def work(self) -> Work:
        """Where energy came from and went to since the state was set."""
        return Work(**self._core.work)

    @property
    def counts(self) -> Dict[str, int]:
        """Steps, events, hits on stops, torques that were cut off."""
        return dict(self._core.counts)

    @property
    def held(self) -> Dict[str, bool]:
        """Whether dry friction or a stop holds a joint coordinate, by name."""
        return dict(zip(self.robot.velocity_names, self._core.held()))

    @property
    def stop_loads(self) -> Array:
        """Torques by which stops hold joints, (nv,)."""
        return np.asarray(self._core.stop_loads())

    def __repr__(self) -> str:
        return f"Simulation('{self.robot.name}', t = {self.time:.6g} s, energy {self.energy:.4g} J)"


def simulate(robot: "Robot", duration: float, tau: Torque, q: Any, v: Any, options: Dict[str, Any], run: Dict[str, Any]) -> SimulationResult:
    """What Robot.simulate returns."""
    sim = Simulation(robot, **options)
    sim.set_state(q, v)
    return sim.run(duration, tau, **given(**run))
