"""What stands between any controller and any robot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from . import _core
from ._record import given
from ._results import Array

if TYPE_CHECKING:
    from ._robot import Robot


class Event(NamedTuple):
    """Something that a supervisor noticed."""

    time: float  #: s
    cause: str  #: "torque_limit", "collision", ...
    ended: bool  #: whether it began or ended
    joint: int  #: coordinate; -1: of none in particular
    value: float  #: what was found, in the limit's unit
    limit: float  #: and what it was held against


class Supervisor:
    """Stands between any controller and any robot: limits, plausibility of sensors, collisions.

        supervisor = ulna.Supervisor(robot, rate_hz=1000)
        every millisecond:
            tau = supervisor.filter(t, q, v, tau_wanted, tau_measured=tau_measured)
            drive(tau)

    robot: the robot, whose limits are kept
    rate_hz: how often filter() is called
    reaction: to collisions: "report", "stop", "compliant" or "retreat"
    torque_side: "motor" or "link": where torques are measured
    limits: {"lower", "upper", "speed", "acceleration", "torque", "torque_rate": (nv,)} in place of the robot's
    options: collision_torque, collision_share, drive_delay, position_noise, observer_gain, ...; see docs/supervisor.md
    """

    def __init__(
        self,
        robot: "Robot",
        *,
        rate_hz: float = 1000.0,
        reaction: str = "stop",
        torque_side: str = "motor",
        limits: Optional[Mapping[str, Any]] = None,
        **options: Any,
    ) -> None:
        how = given(rate_hz=rate_hz, reaction=reaction, torque_side=torque_side, limits=limits)
        self._name, self._core = robot.name, _core.Supervisor(robot._engine, {**options, **how})

    def filter(
        self, time: float, q: npt.ArrayLike, v: npt.ArrayLike, tau: npt.ArrayLike, *, tau_measured: Optional[npt.ArrayLike] = None,
        reading_time: Optional[float] = None, robot: Optional["Robot"] = None,
    ) -> Array:  # fmt: skip
        """The torques to send, once a period.

        time: s
        q, v: (n,), as measured
        tau: (n,), what the controller wants
        tau_measured: (n,), what acted until now; not given where there are no sensors
        reading_time: when q, v and tau_measured were read, s; now if not given
        robot: as it is known now, such as controller.robot; the model itself if not given
        returns: (n,), finite and within the limits
        """
        x = [np.asarray(y, dtype=float) for y in (q, v, np.zeros(0) if tau_measured is None else tau_measured, tau)]
        at = time if reading_time is None else reading_time
        return np.asarray(self._core.filter(time, at, *x, None if robot is None else robot._engine))

    def reset(self) -> str:
        """Goes on after a fault or a stop; the cause that still lasts, or "none": accepted."""
        return str(self._core.reset())

    def request_hold(self, hold: bool) -> None:
        """Stops and holds the robot.

        hold: for as long as it is True
        """
        self._core.request_hold(hold)

    def restart(self) -> None:
        """As new: for a robot that was moved elsewhere."""
        self._core.restart()

    @property
    def state(self) -> str:
        """"run", "hold", "stop" or "fault"."""
        return str(self._core.state)

    @property
    def cause(self) -> str:
        """Why it is not running."""
        return str(self._core.cause)

    @property
    def brake(self) -> bool:
        """Whether the mechanical brakes are to be closed."""
        return bool(self._core.brake)

    @property
    def report(self) -> str:
        """State, cause, joint and figures in one line."""
        return str(self._core.report)

    @property
    def events(self) -> List[Event]:
        """The last 256, oldest first."""
        return [Event(*e) for e in self._core.events]

    @property
    def counts(self) -> Dict[str, int]:
        """How many times each cause has begun."""
        return dict(self._core.counts)

    @property
    def external_torque(self) -> Array:
        """What the surroundings exert, (n,), Nm or N."""
        return np.asarray(self._core.external_torque)

    @property
    def limits(self) -> Dict[str, Array]:
        """That are kept, (n,) each."""
        return dict(self._core.limits)

    def __repr__(self) -> str:
        return f"Supervisor('{self._name}', {self.state}, cause {self.cause})"


class MomentumObserver:
    """Estimates what the surroundings exert on each joint, without accelerations [De Luca, Mattone 2005].

        observer = ulna.MomentumObserver(robot, gain=50.0)
        every millisecond:
            pushed = observer.update(q, v, tau, 0.001)      # tau: what acted since the last update

    robot: the robot
    gain: 1/s; estimates follow with the time constant 1 / gain
    rest_speed: rad/s or m/s; a joint that is not faster rests, and dry friction holds it
    side: "motor" or "link": where torques are measured, before the gear or behind it
    """

    def __init__(self, robot: "Robot", *, gain: float = 50.0, rest_speed: float = 1e-3, side: str = "motor") -> None:
        self._name = robot.name
        self._core = _core.MomentumObserver(robot._engine, dict(gain=gain, rest_speed=rest_speed, side=side))

    def update(self, q: Any, v: Any, tau: Any, dt: float) -> Array:
        """Takes a measurement; the first one is where it begins.

        q: (nq,)
        v: (nv,)
        tau: (nv,), what acted since the last update
        dt: s since then
        returns: the estimate, (nv,), Nm or N; positive: the joint is pushed in its positive direction
        """
        return np.asarray(self._core.update(q, v, tau, dt))

    @property
    def torque(self) -> Array:
        """The estimate, (nv,)."""
        return np.asarray(self._core.torque)

    @property
    def torque_of_period(self) -> Array:
        """What it follows: the mean of the last period, with all its noise, (nv,)."""
        return np.asarray(self._core.torque_of_period)

    def reset(self, keep_estimate: bool = False) -> None:
        """Begins anew.

        keep_estimate: with the estimate as it is
        """
        self._core.reset(keep_estimate)

    def __repr__(self) -> str:
        return f"MomentumObserver('{self._name}')"
