"""Robots with drives and closed loops."""

# mypy: disable-error-code="no-any-return"
# what C++ returns has no types; the annotations here are the types

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._dynamics import Vector, Wrenches
from ._function import Functions, function
from ._results import (
    Array,
    DriveAccelerations,
    DriveEnergy,
    DriveForwardDynamicsDerivatives,
    DriveInverseDynamicsDerivatives,
    DriveTorques,
    LoopDerivatives,
    LoopMotion,
    ReducedDynamics,
)

if TYPE_CHECKING:
    from ._robot import Robot


class Drives(Functions):
    """Dynamics with motors that are coupled and springs between motors and links (docs/drives.md)."""

    @function(DriveTorques)
    def drive_inverse_dynamics(self, q: Vector, v: Vector, a: Vector, jerk: Vector, snap: Vector, *, out: Any = None) -> DriveTorques:
        """Torques of the motors for a motion of the links: N'(J phi'' + friction) + s = N' tau, s = M a + c + g = K e + D de/dt.

        Newton-Euler with derivatives in time, O(n) [Buondonno, De Luca 2015].

        q: (nq,) or (N, nq): configuration of the links
        v: (nv,) or (N, nv): velocity
        a: (nv,) or (N, nv): acceleration
        jerk: (nv,) or (N, nv): its rate
        snap: (nv,) or (N, nv): the rate of that
        out: a tuple of arrays that the result is written to
        returns: tau of the motors, and where they are and how fast, theta and omega as seen at the joints, (nv,) each; of N states, N of them
        """
        return self._call("drive_inverse_dynamics", q, v, a, jerk, snap, out=out)

    @function(DriveAccelerations)
    def drive_forward_dynamics(self, q: Vector, v: Vector, theta: Vector, omega: Vector, tau: Vector, wrenches: Wrenches = None, axes: str = 'aligned', *, out: Any = None) -> DriveAccelerations:
        """Accelerations of links and motors under the motors' torques.

        q: (nq,) or (N, nq): configuration of the links
        v: (nv,) or (N, nv): velocity
        theta: (nv,) or (N, nv): positions of the motors as seen at the joints; not read where a joint is rigid
        omega: (nv,) or (N, nv): their speeds
        tau: (nv,) or (N, nv): torques of the motors
        wrenches: {frame: (6,) or (N, 6)}: moment and force that act on the robot at frames
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: a tuple of arrays that the result is written to
        returns: a of the links, alpha of the motors as seen at the joints, (nv,) each; of N states, N of them
        """
        return self._call("drive_forward_dynamics", q, v, theta, omega, tau, wrenches, axes, out=out)

    @function(DriveInverseDynamicsDerivatives)
    def drive_inverse_dynamics_derivatives(self, q: Vector, v: Vector, a: Vector, jerk: Vector, snap: Vector, *, out: Any = None) -> DriveInverseDynamicsDerivatives:
        """Exact derivatives of the motors' torques by the motion of the links, by dual numbers.

        q: (nq,) or (N, nq): configuration of the links
        v: (nv,) or (N, nv): velocity
        a: (nv,) or (N, nv): acceleration
        jerk: (nv,) or (N, nv): its rate
        snap: (nv,) or (N, nv): the rate of that
        out: a tuple of arrays that the result is written to
        returns: tau (nv,), dq, dv, da, djerk, dsnap (nv, nv); of N states, N of them
        """
        return self._call("drive_inverse_dynamics_derivatives", q, v, a, jerk, snap, out=out)

    @function(DriveForwardDynamicsDerivatives)
    def drive_forward_dynamics_derivatives(self, q: Vector, v: Vector, theta: Vector, omega: Vector, tau: Vector, wrenches: Wrenches = None, axes: str = 'aligned', *, out: Any = None) -> DriveForwardDynamicsDerivatives:
        """Exact derivatives of the accelerations of links and motors. Dry friction has no slope.

        q: (nq,) or (N, nq): configuration of the links
        v: (nv,) or (N, nv): velocity
        theta: (nv,) or (N, nv): positions of the motors as seen at the joints
        omega: (nv,) or (N, nv): their speeds
        tau: (nv,) or (N, nv): torques of the motors
        wrenches: {frame: (6,) or (N, 6)}: moment and force that act on the robot at frames
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: a tuple of arrays that the result is written to
        returns: a, alpha (nv,), and ten matrices (nv, nv); of N states, N of them
        """
        return self._call("drive_forward_dynamics_derivatives", q, v, theta, omega, tau, wrenches, axes, out=out)

    @function()
    def spring_torque(self, q: Vector, v: Vector, theta: Vector, omega: Vector, *, out: Any = None) -> Array:
        """Torques of the springs, s = K e + H e³ + D de/dt with e = theta - q; 0 where a joint is rigid.

        q: (nq,) or (N, nq): configuration of the links
        v: (nv,) or (N, nv): velocity
        theta: (nv,) or (N, nv): positions of the motors as seen at the joints
        omega: (nv,) or (N, nv): their speeds
        out: an array that the result is written to
        returns: s, (nv,); of N states, N of them
        """
        return self._call("spring_torque", q, v, theta, omega, out=out)

    @function(DriveEnergy)
    def drive_energy(self, q: Vector, v: Vector, theta: Vector, omega: Vector, *, out: Any = None) -> DriveEnergy:
        """Energy that springs hold, and the rotors of motors that are coupled or behind springs, J.

        q: (nq,) or (N, nq): configuration of the links
        v: (nv,) or (N, nv): velocity
        theta: (nv,) or (N, nv): positions of the motors as seen at the joints
        omega: (nv,) or (N, nv): their speeds
        out: a tuple of arrays that the result is written to
        returns: springs, rotors: numbers; of N states, N of them
        """
        return self._call("drive_energy", q, v, theta, omega, out=out)

    @function()
    def drive_regressor(self, omega: Vector, alpha: Vector, *, out: Any = None) -> Array:
        """What motors need for themselves by their numbers: tau = N^-T s + Y mu, mu being `drive_parameters`.

        omega: (nv,) or (N, nv): speeds of the motors as seen at the joints
        alpha: (nv,) or (N, nv): their accelerations
        out: an array that the result is written to
        returns: Y, (nv, 5 nv); columns of motors that are neither coupled nor behind springs are zero; of N states, N of them
        """
        return self._call("drive_regressor", omega, alpha, out=out)

    @function()
    def spring_regressor(self, q: Vector, v: Vector, theta: Vector, omega: Vector, *, out: Any = None) -> Array:
        """Torques of springs by their numbers: row i times stiffness, hardening and damping of joint i.

        q: (nq,) or (N, nq): configuration of the links
        v: (nv,) or (N, nv): velocity
        theta: (nv,) or (N, nv): positions of the motors as seen at the joints
        omega: (nv,) or (N, nv): their speeds
        out: an array that the result is written to
        returns: Y, (nv, 3), whose rows of rigid joints are zero; of N states, N of them
        """
        return self._call("spring_regressor", q, v, theta, omega, out=out)

    @function()
    def gear_regressor(self, net: Vector, *, out: Any = None) -> Array:
        """Torques of the links by the ratios of the gears: s = Y ratios, these being `gear_ratios`.

        net: (nv,) or (N, nv): torques that motors exert on their gears, tau less what they need for themselves
        out: an array that the result is written to
        returns: Y, (nv, gears); of N states, N of them
        """
        return self._call("gear_regressor", net, out=out)


class Loops:
    """A robot whose loops are closed: M a + c = tau + J' lambda, J a + dJ/dt v = 0 [Featherstone 2008, ch. 8].

        loops = ulna.Loops(ulna.Robot("fourbar"))
        q = loops.closed_at
        a, force = loops.forward_dynamics(q, v, tau)

    robot: a robot whose description has joints that close loops
    near: (nq,), where they are closed nearby; neutral if not given

    Rows of J are the equations of those joints that are independent, named in `rows`; forces are what they exert on their second
    link, in Nm and N. q must be closed to 1 mm or 1 mrad. One thread at a time.
    """

    def __init__(self, robot: "Robot", near: Optional[Vector] = None) -> None:
        if not robot.has_loops:
            raise ValueError(f"robot '{robot.name}' has no joints that close loops")
        self.robot: "Robot" = robot
        self._core = _core.Loops(robot._engine, near)

    @property
    def rows(self) -> List[str]:
        """Names of the equations: "loop 'closure', apart along x"."""
        return list(self._core.rows)

    @property
    def ignored(self) -> List[str]:
        """Equations that depend on the others."""
        return list(self._core.ignored)

    @property
    def closed_at(self) -> Array:
        """A configuration at which they are closed, (nq,)."""
        return np.asarray(self._core.closed_at)

    @property
    def independent(self) -> List[str]:
        """Coordinates that move all the others: those with drives, if they will do."""
        return [self.robot.velocity_names[i] for i in self._core.independent]

    def close(self, q: Vector) -> Array:
        """Moves q to where the loops are closed, not far from there.

        q: (nq,)
        returns: (nq,); ValueError if they cannot be closed near it
        """
        return np.asarray(self._core.close(q))

    def move(self, q: Vector, y: Union[npt.ArrayLike, Mapping[str, float]]) -> Array:
        """Moves along the loops to where the independent coordinates have values; the others do not jump.

        q: (nq,), where the loops are closed
        y: (independent,), or a dict by their names
        returns: (nq,); ValueError if the loops do not reach so far
        """
        if not isinstance(y, Mapping):
            return np.asarray(self._core.follow(q, np.asarray(y, dtype=float)))
        names = self.independent
        unknown = [name for name in y if name not in names]
        if unknown:
            raise ValueError(f"'{unknown[0]}' is no independent coordinate; there are {', '.join(names)}")
        at = dict(zip(self.robot.velocity_names, self.robot.configuration_vector(q)))
        return np.asarray(self._core.follow(q, np.array([float(y.get(name, at[name])) for name in names])))

    def gap(self, q: Vector) -> Array:
        """How far the loops are open, m and sines of angles.

        q: (nq,)
        returns: (rows,)
        """
        return np.asarray(self._core.gap(q))

    def jacobian(self, q: Vector) -> Array:
        """J: the gaps' rates are J v.

        q: (nq,)
        returns: (rows, nv)
        """
        return np.asarray(self._core.J(q))

    def null_space(self, q: Vector) -> Array:
        """N: all velocities by the independent ones, v = N y', so that J N = 0.

        q: (nq,)
        returns: (nv, independent)
        """
        return np.asarray(self._core.N(q))

    def forward_dynamics(self, q: Vector, v: Vector, tau: Vector) -> LoopMotion:
        """Accelerations of the closed robot under torques.

        q: (nq,); v, tau: (nv,)
        returns: a (nv,), and the forces through the loops (rows,)
        """
        return LoopMotion(*self._core.forward_dynamics(q, v, tau))

    def forward_dynamics_derivatives(self, q: Vector, v: Vector, tau: Vector) -> LoopDerivatives:
        """Exact derivatives of `forward_dynamics`, of accelerations and of the forces through the loops.

        q: (nq,); v, tau: (nv,)
        returns: LoopDerivatives
        """
        return LoopDerivatives(*self._core.forward_dynamics_derivatives(q, v, tau))

    def reduced_inverse_dynamics(
        self, q: Vector, y: npt.ArrayLike, rate: npt.ArrayLike, acceleration: npt.ArrayLike
    ) -> ReducedDynamics:
        """Dynamics along the independent coordinates, as if the robot had no others: M(y) y'' + c(y, y') = N' tau.

        q: (nq,), where the loops are closed; the others follow from there to y
        y: (independent,)
        rate: (independent,), y'
        acceleration: (independent,), y''
        returns: ReducedDynamics, with the mass matrix, the motion of all joints, and exact derivatives
        """
        return ReducedDynamics(*self._core.reduced_inverse_dynamics(q, *(np.asarray(x, dtype=float) for x in (y, rate, acceleration))))

    def reduced_forward_dynamics(self, q: Vector, y: npt.ArrayLike, rate: npt.ArrayLike, tau: npt.ArrayLike) -> Array:
        """Acceleration of the independent coordinates.

        q: (nq,), where the loops are closed; the others follow from there to y
        y: (independent,)
        rate: (independent,), y'
        tau: (independent,), along y
        returns: y'', (independent,)
        """
        return np.asarray(self._core.reduced_forward_dynamics(q, *(np.asarray(x, dtype=float) for x in (y, rate, tau))))

    def inverse_dynamics(self, q: Vector, v: Vector, a: Vector) -> LoopMotion:
        """The least torques, by their sum of squares, of the joints that have a drive, for a motion that keeps the loops closed.

        A joint whose effort limit is 0 has none. ValueError if the drives cannot make the motion.

        q: (nq,); v, a: (nv,)
        returns: tau (nv,), and the forces through the loops (rows,)
        """
        return LoopMotion(*self._core.inverse_dynamics(q, v, a))

    def impact(self, q: Vector, v: Vector, restitution: float = 0.0) -> LoopMotion:
        """The velocity after an impact on the loops, J v+ = -restitution J v, and the impulses through them.

        q: (nq,); v: (nv,)
        restitution: 0 to 1; with 0 it is the velocity nearest to v, in kinetic energy, at which loops stay closed
        returns: v+ (nv,), impulses (rows,)
        """
        return LoopMotion(*self._core.impact(q, v, restitution))

    def __repr__(self) -> str:
        return f"Loops('{self.robot.name}': {len(self.rows)} rows, moved by {', '.join(self.independent)})"
