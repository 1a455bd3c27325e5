"""Results of functions that return several arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating[Any]]


class InverseDynamicsDerivatives(NamedTuple):
    """tau and its derivatives; da is the mass matrix. Of N states, each has N in front of its shape."""

    tau: Array  #: (nv,)
    dq: Array  #: (nv, nv), column k: by displacement k of q
    dv: Array  #: (nv, nv)
    da: Array  #: (nv, nv)


class ForwardDynamicsDerivatives(NamedTuple):
    """a and its derivatives; dtau is the inverse mass matrix."""

    a: Array  #: (nv,)
    dq: Array  #: (nv, nv)
    dv: Array  #: (nv, nv)
    dtau: Array  #: (nv, nv)


class InverseDynamicsSecondDerivatives(NamedTuple):
    """Second derivatives of tau, indexed [row, first, second]."""

    dqq: Array  #: (nv, nv, nv)
    dvv: Array  #: (nv, nv, nv)
    dqv: Array  #: (nv, nv, nv)
    daq: Array  #: (nv, nv, nv), the mass matrix by q


class ForwardDynamicsSecondDerivatives(NamedTuple):
    """Second derivatives of a, indexed [row, first, second]."""

    dqq: Array  #: (nv, nv, nv)
    dvv: Array  #: (nv, nv, nv)
    dqv: Array  #: (nv, nv, nv)
    dtauq: Array  #: (nv, nv, nv), the inverse mass matrix by q


class FrameMotionDerivatives(NamedTuple):
    """Derivatives of a frame's velocity and acceleration."""

    velocity_dq: Array  #: (6, nv)
    acceleration_dq: Array  #: (6, nv)
    acceleration_dv: Array  #: (6, nv)


class MomentumRegressor(NamedTuple):
    """Y pi = M v and Y_rate pi = C'v - g."""

    Y: Array  #: (nv, 10 joints)
    Y_rate: Array  #: (nv, 10 joints)


class Gradients(NamedTuple):
    """w' times the derivatives by each argument, all (nv,); that by q along its tangent space."""

    dq: Array
    dv: Array
    dx: Array  #: by a of inverse dynamics, by tau of forward dynamics


class IkResult(NamedTuple):
    """The result of inverse kinematics."""

    found: bool
    q: Array  #: (nq,), the best there was
    position_error: float  #: metres
    orientation_error: float  #: radians
    iterations: int
    starts: int
    report: str  #: one line


class Joint(NamedTuple):
    """A moving joint."""

    name: str
    type: str
    mimics: str  #: the joint that it follows, or ""
    q: int  #: where its numbers begin in q
    v: int  #: where its numbers begin in v
    parent: int  #: the number of the body that carries it


class DriveTorques(NamedTuple):
    """Motors' torques of a motion of the links, and where the motors are."""

    tau: Array  #: (nv,)
    theta: Array  #: (nv,), as seen at the joints
    omega: Array  #: (nv,)


class DriveAccelerations(NamedTuple):
    """Accelerations of links and motors."""

    a: Array  #: (nv,)
    alpha: Array  #: (nv,), as seen at the joints; a where a joint is rigid


class DriveInverseDynamicsDerivatives(NamedTuple):
    """Motors' torques of a motion of the links, and their derivatives."""

    tau: Array  #: (nv,)
    dq: Array  #: (nv, nv), column k: by displacement k of q
    dv: Array  #: (nv, nv)
    da: Array  #: (nv, nv)
    djerk: Array  #: (nv, nv)
    dsnap: Array  #: (nv, nv)


class DriveForwardDynamicsDerivatives(NamedTuple):
    """Accelerations of links and motors, and their derivatives, (nv, nv) each; 0 by theta and omega where a joint is rigid."""

    a: Array  #: (nv,)
    alpha: Array  #: (nv,)
    a_dq: Array
    a_dv: Array
    a_dtheta: Array
    a_domega: Array
    a_dtau: Array
    alpha_dq: Array
    alpha_dv: Array
    alpha_dtheta: Array
    alpha_domega: Array
    alpha_dtau: Array


class DriveEnergy(NamedTuple):
    """J."""

    springs: Array
    rotors: Array


class LoopMotion(NamedTuple):
    """What a robot with closed loops does: accelerations, torques or velocities, and what goes through the loops."""

    result: Array  #: (nv,)
    force: Array  #: (rows,), Nm and N, or impulses: on the second link of the joint that closes the loop


class LoopDerivatives(NamedTuple):
    """Accelerations of a robot with closed loops, the forces through them, and exact derivatives of both."""

    a: Array  #: (nv,)
    force: Array  #: (rows,), Nm and N
    dq: Array  #: (nv, nv), of a; column k: by displacement k of q
    dv: Array  #: (nv, nv)
    dtau: Array  #: (nv, nv)
    force_dq: Array  #: (rows, nv)
    force_dv: Array  #: (rows, nv)
    force_dtau: Array  #: (rows, nv)


class ReducedDynamics(NamedTuple):
    """The dynamics of a robot with closed loops along its m independent coordinates y, and its exact derivatives."""

    tau: Array  #: (m,), what acts along y: N' tau of all joints
    M: Array  #: (m, m), N'M N
    q: Array  #: (nq,), of all joints
    v: Array  #: (nv,)
    a: Array  #: (nv,)
    dy: Array  #: (m, m), of tau
    dv: Array  #: (m, m), by the rate of y
    da: Array  #: (m, m), by its acceleration: M


class OperationalSpace(NamedTuple):
    """The robot as a task of m rows meets it [Khatib 1987]."""

    inertia: Array  #: (m, m), (J M^-1 J')^-1
    pseudo_inverse: Array  #: (nv, m), M^-1 J' inertia: the inverse of J that needs the least kinetic energy


class State(NamedTuple):
    """Configuration and velocity at the end of a step."""

    q: Array  #: (nq,)
    v: Array  #: (nv,)


class StepDerivatives(NamedTuple):
    """The end of a step, and how it changes: (dq, dv)_next = A (dq, dv) + B dtau, displacements along the tangent space."""

    q: Array  #: (nq,)
    v: Array  #: (nv,)
    A: Array  #: (2 nv, 2 nv)
    B: Array  #: (2 nv, nv)


class ContactMotion(NamedTuple):
    """Accelerations of a robot in contact, and the forces on it."""

    a: Array  #: (nv,)
    force: Array  #: (contacts, 3), N, in the world's axes


class ContactDerivatives(NamedTuple):
    """Accelerations under contacts, and exact derivatives by q, v, tau and the friction coefficients of contacts."""

    a: Array  #: (nv,)
    force: Array  #: (rows,): of a contact that sticks its three components in the world's axes, of one that slides its normal force
    dq: Array  #: (nv, nv), of a
    dv: Array  #: (nv, nv)
    dtau: Array  #: (nv, nv)
    dfriction: Array  #: (nv, contacts)
    force_dq: Array  #: (rows, nv)
    force_dv: Array  #: (rows, nv)
    force_dtau: Array  #: (rows, nv)
    force_dfriction: Array  #: (rows, contacts)


class ContactTorques(NamedTuple):
    """Torques of a motion in contact that need the least effort, and the forces that go with them."""

    tau: Array  #: (nv,); 0 where there is no drive
    force: Array  #: (contacts, 3), N, on the robot, in the world's axes
    residual: float  #: N or Nm that coordinates without drives lack
    enough: bool  #: whether forces within the friction cones are enough for the motion
