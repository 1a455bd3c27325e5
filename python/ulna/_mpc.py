"""Predictive control that identifies its robot, and trials of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._control import axis_of
from ._identify import friction_of
from ._record import Record, given
from ._results import Array
from ._supervise import Event

if TYPE_CHECKING:
    from ._robot import Robot

#: Where the robot is to be: a function of time that returns q, or (q, v).
Motion = Callable[[float], Any]


def reach_and_wave(robot: "Robot", start: Any, goal: Any, seconds: float = 2.0, amplitude: Any = 0.0, hz: Any = 0.25) -> Motion:
    """A motion from rest at one place to another, then waving about it; computed in C++.

    robot: the robot; loops are kept closed
    start, goal: (nv,)
    seconds: from one to the other
    amplitude: (nv,), or a number: rad or m, by which joints wave
    hz: (nv,), or a number: how often
    returns: a function of time that returns (q, v)
    """
    a, f = (np.array(np.broadcast_to(np.asarray(x, dtype=float), (robot.nv,))) for x in (amplitude, hz))
    begin, end = robot.configuration_vector(start), robot.configuration_vector(goal)
    motion: Motion = _core.reach_and_wave(robot._engine, begin, end, seconds, a, f)
    return motion


@dataclass(frozen=True, repr=False, eq=False)
class Payload(Record):
    """What a body was found to carry."""

    mass: float  #: kg
    deviation: float  #: its standard deviation; infinite: not known
    first_moment: Array  #: (3,), kg m: mass times its centre in the axes of the body's frame

    @property
    def known(self) -> bool:
        """False: the mass may as well be nothing."""
        return self.mass > 2.0 * self.deviation

    @property
    def com(self) -> Array:
        """Its centre of mass in the axes of the body's frame, (3,), m."""
        return np.asarray(self.first_moment / self.mass)


class IdentifyingController:
    """A nonlinear model predictive controller that keeps identifying the robot it drives.

        controller = ulna.IdentifyingController(robot)
        controller.follow(lambda t: (q_ref(t), v_ref(t)))
        every millisecond:
            tau = controller.act(t, q, v)              # as soon as the state is measured
            drive(tau)
            controller.update(t, q, v, tau_measured)   # in the time that is left

    robot: as its maker describes it, which need not be true
    rate_hz: how often it acts
    identify: False: the model stays what it was
    observe_disturbance: whether torques that the model does not explain are added to those planned
    friction: what joints resist with, "viscous,coulomb"; by the robot if not given
    torques: "commanded" or "measured": which of them it is identified from
    payload_body: the body that carries what is picked up; the last if not given
    problem: {"steps": 15, "duration": 0.02, "weights": {...}, "limits": {...}, "frames": [...], "collisions": {...}}, as of RobotProblem
    deadline: s, of the solver per action
    options: filter_hz, torque_noise, disturbance_rate, online={...}, change_after, patience, safe_damping; see docs/mpc.md

    Its torques are finite and within the limits whatever is measured. An error in a reference function is raised by the next act
    or update, which is carried out all the same. One thread at a time; the GIL is released while it computes.
    """

    def __init__(
        self,
        robot: "Robot",
        *,
        rate_hz: float = 1000.0,
        identify: bool = True,
        observe_disturbance: bool = True,
        friction: Union[None, str, Sequence[str]] = None,
        torques: str = "commanded",
        payload_body: Optional[str] = None,
        problem: Optional[Mapping[str, Any]] = None,
        deadline: Optional[float] = None,
        **options: Any,
    ) -> None:
        how = given(
            rate_hz=rate_hz, identify=identify, observe_disturbance=observe_disturbance, torques=torques, deadline=deadline,
            problem=None if problem is None else dict(problem),
            payload_body=None if payload_body is None else _body(robot, payload_body),
            features=None if friction is None else friction_of(robot, friction, None)[0],
        )  # fmt: skip
        self._model = robot
        self._frames: List[str] = [f["frame"] for f in (problem or {}).get("frames", [])]
        self._core = _core.IdentifyingController(robot._engine, {**options, **how})

    def follow(self, motion: Motion) -> None:
        """Follows a motion from now on.

        motion: a function of time that returns q, or (q, v)
        """
        self._core.follow(motion)

    def go_to(self, q: Any, *, velocity: Optional[npt.ArrayLike] = None, acceleration: Optional[npt.ArrayLike] = None) -> float:
        """Goes smoothly to rest at a goal, from the reference of now; also while the robot moves. After the first `act`.

        q: (nq,)
        velocity, acceleration: (nv,), limits of the motion; half of the robot's velocities otherwise
        returns: when it arrives, s
        """
        limits = given(velocity=velocity, acceleration=acceleration)
        return float(self._core.go_to(q, {k: np.asarray(x, dtype=float) for k, x in limits.items()}))

    def act(self, time: float, q: Any, v: Any, *, measured_at: Optional[float] = None) -> Array:
        """The torques of now.

        time: s
        q: (nq,); v: (nv,): as measured; numbers that are not finite are a fault, not an error
        measured_at: when they were measured, s, if that was earlier
        returns: tau, (nv,)
        """
        return np.asarray(self._core.act(time, q, v, measured_at))

    def update(self, time: float, q: Any, v: Any, tau: Any) -> None:
        """Estimates from what was measured, and prepares the next action.

        time: s
        q: (nq,); v: (nv,): as given to `act`
        tau: (nv,), torques as measured with the state
        """
        self._core.update(time, q, v, tau)

    def update_wrench(self, body: str, q: Any, v: Any, a: Any, wrench: npt.ArrayLike, noise: npt.ArrayLike) -> None:
        """Estimates from a six-axis sensor in the joint of a body; before `update`.

        body: its name
        q: (nq,); v, a: (nv,)
        wrench: (6,), moment and force
        noise: (6,), standard deviations
        """
        number = _body(self._model, body)
        self._core.update_wrench(number, q, v, a, np.asarray(wrench, dtype=float), np.asarray(noise, dtype=float))

    def sent(self, tau: Any) -> None:
        """The torques that were sent instead of those of the last `act`, by a supervisor say.

        tau: (nv,)
        """
        self._core.sent(tau)

    def set_weights(self, **weights: Any) -> None:
        """Changes weights; counts from the next update on.

        weights: position, velocity, torque (nv,), terminal
        """
        self._core.set_weights(weights)

    def set_limits(self, **limits: Any) -> None:
        """Changes limits; counts from the next update on.

        limits: lower, upper, velocity, torque, torque_rate (nv,)
        """
        self._core.set_limits(limits)

    def set_target(self, frame: str, target: Union[npt.ArrayLike, Callable[[float], Any]]) -> None:
        """Where a frame of `problem`'s frames is to be.

        frame: its name
        target: (4, 4), or a function of time that returns it
        """
        task = self._task(frame)
        if callable(target):
            self._core.follow_target(task, target)
        else:
            self._core.set_target(task, np.asarray(target, dtype=float))

    def go_to_target(self, frame: str, target: npt.ArrayLike, **limits: float) -> None:
        """The same smoothly, from its target of now or from where it is.

        frame: its name
        target: (4, 4)
        limits: linear_velocity, linear_acceleration, angular_velocity, angular_acceleration
        """
        self._core.go_to_target(self._task(frame), np.asarray(target, dtype=float), limits)

    def clear_target(self, frame: str) -> None:
        """No matter where it is.

        frame: its name
        """
        self._core.clear_target(self._task(frame))

    def _task(self, frame: str) -> int:
        if frame not in self._frames:
            raise ValueError(f"frame '{frame}' has no weights; there are {', '.join(self._frames) or 'none'}: give problem={{'frames': [...]}}")
        return self._frames.index(frame)

    def set_obstacle(self, number: int, start: npt.ArrayLike, end: Optional[npt.ArrayLike] = None, radius: float = 0.1) -> None:
        """Moves an obstacle of `problem`'s collisions.

        number: from 0
        start, end: (3,), of its axis; a sphere if there is no end
        radius: m
        """
        self._core.set_obstacle(number, *axis_of(start, end), radius)

    def press(self, force: float) -> None:
        """Presses the frame of `problem`'s contact against its wall.

        force: N; 0: no more
        """
        self._core.press(force)

    def learn(self, on: bool) -> None:
        """Whether it identifies, from now on.

        on: it does
        """
        self._core.learn(on)

    def expect_change(self) -> None:
        """Something is about to be grasped or released: what the tip carries is learned anew."""
        self._core.expect_change()

    def reset(self) -> None:
        """State and plan begin anew with the next reading; what was identified stays."""
        self._core.reset()

    def set_robot(self, robot: "Robot") -> None:
        """The parameters it computes with from now on, where it does not identify them.

        robot: the same robot with other parameters
        """
        self._core.set_plant(robot._engine)

    def set_deadline(self, seconds: Optional[float]) -> None:
        """Of the solver, per action.

        seconds: s, or None
        """
        self._core.set_deadline(seconds)

    @property
    def robot(self) -> "Robot":
        """With the parameters of now: as identified."""
        from ._robot import Robot

        return Robot._of(self._core.engine())

    @property
    def payload(self) -> Payload:
        """What `payload_body` carries beyond what it did before the robot first changed."""
        return Payload._of(self._core.payload)

    @property
    def kind(self) -> str:
        """Where the last action is from: "planned", "older" (the last plan) or "safe" (no plan at all)."""
        return str(self._core.kind)

    @property
    def fault(self) -> str:
        """What was wrong with it: "none", "not_measured", "stale", "not_prepared", "late", "not_solved", "no_reference"."""
        return str(self._core.fault)

    @property
    def outcome(self) -> str:
        """Of the last sample: "learned", "doubted", "changed", "restored" or "ignored"."""
        return str(self._core.outcome)

    @property
    def report(self) -> Dict[str, Any]:
        """Of the solver."""
        return dict(self._core.report)

    @property
    def disturbance(self) -> Array:
        """Torques that the model does not explain, (nv,)."""
        return np.asarray(self._core.disturbance)

    @property
    def planned_torque(self) -> Array:
        """Torques of the last action as planned, before friction and disturbance are added, (nv,)."""
        return np.asarray(self._core.planned_torque)

    @property
    def parameters(self) -> Dict[str, float]:
        """What is identified, by name: "link7.m", ..., "joint3.coulomb"."""
        names = self._core.names
        return dict(zip(names, np.asarray(self._core.z)[: len(names)].tolist()))

    @property
    def plan(self) -> Tuple[float, List[Array], List[Array]]:
        """When it was made, s, and its states and inputs."""
        at, x, u = self._core.plan()
        return float(at), list(x), list(u)

    @property
    def times_us(self) -> Dict[str, float]:
        """Durations of the last act and update, and of identification in it, microseconds."""
        return {"act": self._core.act_us, "update": self._core.update_us, "identify": self._core.identify_us}

    def __repr__(self) -> str:
        return f"IdentifyingController('{self._model.name}', last action {self.kind}, fault {self.fault})"


def smooth_reach_and_wave(robot: "Robot", start: Any, goal: Any, seconds: float = 2.0, amplitude: Any = 0.0, hz: Any = 0.25) -> Motion:
    """As reach_and_wave, by a polynomial of ninth degree, for robots with springs: four derivatives have no jumps.

    robot: the robot
    start, goal: (nv,)
    seconds: from one to the other
    amplitude: (nv,), or a number: rad or m, by which joints wave
    hz: (nv,), or a number: how often
    returns: a function of time that returns (q, v, a, jerk, snap)
    """
    a, f = (np.array(np.broadcast_to(np.asarray(x, dtype=float), (robot.nv,))) for x in (amplitude, hz))
    begin, end = robot.configuration_vector(start), robot.configuration_vector(goal)
    motion: Motion = _core.smooth_reach_and_wave(begin, end, seconds, a, f)
    return motion


class ElasticController:
    """A predictive controller for a robot with springs between motors and links, that identifies its links.

        controller = ulna.ElasticController(robot)
        controller.follow(ulna.smooth_reach_and_wave(robot, start, goal))
        every millisecond:
            tau = controller.act(t, q, v, theta, omega, link_torque)
            drive(tau)                                    # torques of the motors, seen at the joints
            controller.update(t)

    robot: as its maker describes it; motors that are coupled or carried by links are refused
    drives: "plan" (for links and motors), "feedforward" (for the rigid robot, with the deflection along the reference) or "ignore"
    bandwidth: rad/s, of "plan"
    options: as of IdentifyingController

    See docs/drives.md. One thread at a time; the GIL is released while it computes.
    """

    def __init__(self, robot: "Robot", *, drives: str = "plan", bandwidth: float = 40.0, **options: Any) -> None:
        self._name = robot.name
        self._core = _core.ElasticController(robot._engine, options, drives, bandwidth)

    def follow(self, motion: Motion) -> None:
        """Follows a motion of the links from now on.

        motion: a function of time that returns q, v, a, jerk and snap
        """
        self._core.follow(motion)

    def act(self, time: float, q: Any, v: Any, theta: Any, omega: Any, link_torque: Any) -> Array:
        """Torques of the motors, seen at the joints.

        time: s
        q, v: (nv,), of the links
        theta, omega: (nv,), of the motors, seen at the joints; of rigid joints q and v
        link_torque: (nv,), of the springs
        returns: tau, (nv,)
        """
        return np.asarray(self._core.act(time, q, v, theta, omega, link_torque))

    def update(self, time: float) -> None:
        """Estimates from the reading that was given to `act`, and prepares the next action.

        time: s
        """
        self._core.update(time)

    @property
    def kind(self) -> str:
        """As of IdentifyingController."""
        return str(self._core.kind)

    @property
    def fault(self) -> str:
        """As of IdentifyingController."""
        return str(self._core.fault)

    @property
    def payload(self) -> Payload:
        """What the last body was found to carry."""
        return Payload._of(self._core.payload)

    @property
    def times_us(self) -> Dict[str, float]:
        """Durations of the last act and update, and of identification in it, microseconds."""
        return {"act": self._core.act_us, "update": self._core.update_us, "identify": self._core.identify_us}

    def __repr__(self) -> str:
        return f"ElasticController('{self._name}', last action {self.kind}, fault {self.fault})"


def _body(robot: "Robot", name: str) -> int:
    if name not in robot.body_names:
        raise ValueError(f"robot '{robot.name}' has no body '{name}'; there are {', '.join(robot.body_names)}")
    return robot.body_names.index(name)


@dataclass(frozen=True, repr=False, eq=False)
class TrialResult(Record):
    """What came of a trial."""

    robot: str
    finished: bool  #: False: the simulation could not go on, for the reason in `status`
    rms: float  #: rad, root of the mean over time and joints of squared errors of position
    status: str = field(repr=False)
    steps: int = field(repr=False)
    joints: List[str] = field(repr=False)
    error: Dict[str, Any] = field(repr=False)  #: rms, rms_from, largest, final, kept_away, rms_following
    times: Dict[str, float] = field(repr=False)  #: microseconds of a step: mean, p50, p95, p99, max, act_p50, identify_p50
    actions: Dict[str, int] = field(repr=False)  #: how many were planned, older, safe
    faults: Dict[str, int] = field(repr=False)
    changes_noticed: int = field(repr=False)
    payload: Payload = field(repr=False)  #: as identified
    parameters: Array = field(repr=False)  #: (10 joints,), as identified
    true_parameters: Array = field(repr=False)  #: of the simulated robot, at the end
    t: Array = field(repr=False)  #: (N,), s
    q: Array = field(repr=False)  #: (N, nq), true
    q_reference: Array = field(repr=False)  #: (N, nq)
    tau: Array = field(repr=False)  #: (N, nv)
    q_measured: Array = field(repr=False)
    tau_measured: Array = field(repr=False)
    mass: Array = field(repr=False)  #: (N, bodies), kg, in the controller's model
    true_mass: Array = field(repr=False)
    dry: Array = field(repr=False)  #: (N, nv), dry friction in the controller's model
    true_dry: Array = field(repr=False)
    supervised: Dict[str, int] = field(repr=False)  #: steps by the supervisor's state
    causes: Dict[str, int] = field(repr=False)  #: how many times each has begun
    events: List[Event] = field(repr=False)
    more: Dict[str, Any] = field(repr=False)  #: saturated, largest_speed, largest_torque, torque_breaches, ...

    def plot(self, joints: Optional[Sequence[str]] = None) -> Any:
        """Errors of position, torques, and the identified mass over time; matplotlib must be installed.

        joints: names of those to be drawn; all if not given
        returns: the figure
        """
        from ._plot import courses

        panels = [("q - reference [rad, m]", self.joints, self.q - self.q_reference), ("tau [Nm, N]", self.joints, self.tau)]
        last = {"identified": self.mass[:, -1], "true": self.true_mass[:, -1]}
        return courses(self.t, panels, joints, [("last body [kg]", last)], f"{self.robot}: rms {self.rms:.3g} rad")


def run_trial(
    robot: "Robot",
    motion: Motion,
    duration: float = 10.0,
    *,
    law: str = "mpc",
    knowledge: str = "identified",
    control: Optional[Mapping[str, Any]] = None,
    sensors: Optional[Mapping[str, Any]] = None,
    reality: Optional[Mapping[str, Any]] = None,
    changes: Optional[Sequence[Mapping[str, Any]]] = None,
    supervision: Optional[Mapping[str, Any]] = None,
    plant: str = "ulna",
    q0: Any = None,
    record_hz: float = 100.0,
    progress: Optional[Callable[[float], Any]] = None,
    **options: Any,
) -> TrialResult:
    """A robot that is not what its model says, and changes, is simulated, measured, driven and identified.

    robot: the model
    motion: a function of time that returns q, or (q, v); ulna.reach_and_wave is one. For a robot with springs, what
        ulna.smooth_reach_and_wave returns
    duration: s
    law: "mpc", "computed_torque" or "gravity_pd"
    knowledge: "identified", "offset_free", "fixed" or "perfect": which parameters the controller computes with
    control: options of IdentifyingController: {"rate_hz": 1000, "problem": {...}, ...}
    sensors: as of Simulation
    reality: in what the robot differs: {"link_side_torque": True, "ripple": 0.02, "drive_lag": 0.002, ...}; see docs/mpc.md
    changes: as of Simulation.run: [{"at": 4.0, "payload": {"frame": "panda_link8", "mass": 2.0}}]
    supervision: options of a Supervisor between controller and robot; {} for its defaults
    plant: "ulna" or "mujoco": what simulates the robot
    q0: (nq,), where it begins at rest; where the motion does if not given
    record_hz: samples a second of the course
    progress: called with the share that is over; False ends the trial
    options: simulation, faults, wrench_sensors, count_from, stiffness, skipped_updates, ...
    returns: TrialResult
    """
    how = given(
        duration=duration, law=law, knowledge=knowledge, control=control, sensors=sensors, reality=reality, changes=changes,
        supervision=supervision, plant=plant, record_hz=record_hz,
        q0=None if q0 is None else robot.configuration_vector(q0),
    )  # fmt: skip
    d = _core.run_trial(robot._engine, motion, {**how, **options}, progress)
    record = d.pop("record")
    kept = ("finished", "status", "steps", "error", "times", "actions", "faults", "changes_noticed", "parameters", "true_parameters", "supervised", "causes")
    more = {k: x for k, x in d.items() if k not in (*kept, "payload", "events")}
    record.pop("kind")
    return TrialResult(
        robot=robot.name, rms=d["error"]["rms"], joints=robot.velocity_names, payload=Payload._of(d["payload"]),
        events=[Event(*e) for e in d["events"]], more=more, **{k: d[k] for k in kept}, **record,
    )  # fmt: skip
