"""Kinematics of a robot: what C++ computes, documented."""

# mypy: disable-error-code="no-any-return"
# what C++ returns has no types; the annotations here are the types

from __future__ import annotations

from typing import Any

from ._dynamics import Vector
from ._function import Functions, function
from ._results import Array, FrameMotionDerivatives


class Kinematics(Functions):
    """Poses, velocities, Jacobians, and moving in the space of configurations."""

    @function()
    def pose(self, q: Vector, frame: str, *, out: Any = None) -> Array:
        """Pose of a frame in the world, X_WF as a homogeneous matrix.

        q: (nq,) or (N, nq): configuration
        frame: the name of a link or frame
        out: an array that the result is written to
        returns: X, (4, 4); of N states, N of them
        """
        return self._call("pose", q, frame, out=out)

    @function()
    def velocity(self, q: Vector, v: Vector, frame: str, axes: str = 'aligned', *, out: Any = None) -> Array:
        """Twist of a frame, angular part first: J(q) v.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        frame: the name of a link or frame
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: an array that the result is written to
        returns: (6,); of N states, N of them
        """
        return self._call("velocity", q, v, frame, axes, out=out)

    @function()
    def acceleration(self, q: Vector, v: Vector, a: Vector, frame: str, axes: str = 'aligned', *, out: Any = None) -> Array:
        """Acceleration of a frame, angular part first: J a + dJ/dt v, without gravity.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        a: (nv,) or (N, nv): acceleration
        frame: the name of a link or frame
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: an array that the result is written to
        returns: (6,); of N states, N of them
        """
        return self._call("acceleration", q, v, a, frame, axes, out=out)

    @function()
    def drift(self, q: Vector, v: Vector, frame: str, axes: str = 'aligned', *, out: Any = None) -> Array:
        """What of a frame's acceleration is due to velocity: dJ/dt v.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        frame: the name of a link or frame
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: an array that the result is written to
        returns: (6,); of N states, N of them
        """
        return self._call("drift", q, v, frame, axes, out=out)

    @function()
    def jacobian(self, q: Vector, frame: str, axes: str = 'aligned', *, out: Any = None) -> Array:
        """Jacobian of a frame, angular rows first: J v is its twist.

        q: (nq,) or (N, nq): configuration
        frame: the name of a link or frame
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: an array that the result is written to
        returns: J, (6, nv); of N states, N of them
        """
        return self._call("jacobian", q, frame, axes, out=out)

    @function()
    def jacobian_rate(self, q: Vector, v: Vector, frame: str, axes: str = 'aligned', *, out: Any = None) -> Array:
        """Rate of a Jacobian along a motion: dJ/dt.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        frame: the name of a link or frame
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: an array that the result is written to
        returns: (6, nv); of N states, N of them
        """
        return self._call("jacobian_rate", q, v, frame, axes, out=out)

    @function()
    def jacobian_derivative(self, q: Vector, frame: str, axes: str = 'aligned', *, out: Any = None) -> Array:
        """Derivative of a Jacobian: [row, column, k] is dJ[row, column]/dq_k, along the tangent space.

        q: (nq,) or (N, nq): configuration
        frame: the name of a link or frame
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: an array that the result is written to
        returns: (6, nv, nv); of N states, N of them
        """
        return self._call("jacobian_derivative", q, frame, axes, out=out)

    @function(FrameMotionDerivatives)
    def frame_motion_derivatives(self, q: Vector, v: Vector, a: Vector, frame: str, axes: str = 'aligned', *, out: Any = None) -> FrameMotionDerivatives:
        """Derivatives of a frame's velocity by q, and of its acceleration by q and v.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        a: (nv,) or (N, nv): acceleration
        frame: the name of a link or frame
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: a tuple of arrays that the result is written to
        returns: velocity_dq, acceleration_dq, acceleration_dv, each (6, nv); of N states, N of them
        """
        return self._call("frame_motion_derivatives", q, v, a, frame, axes, out=out)

    @function()
    def integrate(self, q: Vector, v: Vector, *, out: Any = None) -> Array:
        """q moved by the displacement v, a velocity times a duration: q + v where all joints have one degree of freedom.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        out: an array that the result is written to
        returns: (nq,); of N states, N of them
        """
        return self._call("integrate", q, v, out=out)

    @function()
    def difference(self, q0: Vector, q1: Vector, *, out: Any = None) -> Array:
        """The displacement v with integrate(q0, v) = q1.

        q0: (nq,) or (N, nq): configuration
        q1: (nq,) or (N, nq): configuration
        out: an array that the result is written to
        returns: v, (nv,); of N states, N of them
        """
        return self._call("difference", q0, q1, out=out)

    @function()
    def normalize(self, q: Vector, *, out: Any = None) -> Array:
        """q with quaternions scaled to unit length.

        q: (nq,) or (N, nq): configuration
        out: an array that the result is written to
        returns: (nq,); of N states, N of them
        """
        return self._call("normalize", q, out=out)

    @function()
    def configuration_rate(self, q: Vector, v: Vector, *, out: Any = None) -> Array:
        """dq/dt of a robot that moves with v: v itself where all joints have one degree of freedom.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        out: an array that the result is written to
        returns: (nq,); of N states, N of them
        """
        return self._call("configuration_rate", q, v, out=out)

    @function()
    def configuration_vector(self, q: Vector, *, out: Any = None) -> Array:
        """A dict by joint name or a list as a vector q: [..., neutral where a joint is left out, ...].

        q: a dict, a list, (nq,) or (N, nq): configuration
        out: an array that the result is written to
        returns: (nq,); of N states, N of them
        """
        return self._call("configuration_vector", q, out=out)

    @function()
    def velocity_vector(self, v: Vector, *, out: Any = None) -> Array:
        """A dict by joint name or a list as a vector of nv, such as v, a or tau: zero where a joint is left out.

        v: a dict, a list, (nv,) or (N, nv): velocity, acceleration or torque
        out: an array that the result is written to
        returns: (nv,); of N states, N of them
        """
        return self._call("velocity_vector", v, out=out)
