"""Dynamics of a robot: what C++ computes, documented."""

# mypy: disable-error-code="no-any-return"
# what C++ returns has no types; the annotations here are the types

from __future__ import annotations

from typing import Any, Mapping, Optional

from ._function import Functions, function, products
from ._results import (
    Array,
    ForwardDynamicsDerivatives,
    ForwardDynamicsSecondDerivatives,
    Gradients,
    InverseDynamicsDerivatives,
    InverseDynamicsSecondDerivatives,
    MomentumRegressor,
)

#: An array, a list, or a dict by joint name.
Vector = Any
Wrenches = Optional[Mapping[str, Any]]


class Dynamics(Functions):
    """Torques, accelerations, matrices, energies, derivatives, regressors."""

    @function()
    def inverse_dynamics(self, q: Vector, v: Vector, a: Vector, wrenches: Wrenches = None, axes: str = 'aligned', *, out: Any = None) -> Array:
        """Torques of a motion: tau = M(q) a + C(q, v) v + g(q) + friction(v) - sum J'F.

        Newton-Euler recursion, O(n). `.vjp(q, v, a, w)` and `.jvp(q, v, a, dq, dv, da)` are its products with derivatives.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        a: (nv,) or (N, nv): acceleration
        wrenches: {frame: (6,) or (N, 6)}: moment and force that act on the robot at frames
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: an array that the result is written to
        returns: tau, (nv,); of N states, N of them
        """
        return self._call("inverse_dynamics", q, v, a, wrenches, axes, out=out)

    @function()
    def forward_dynamics(self, q: Vector, v: Vector, tau: Vector, wrenches: Wrenches = None, axes: str = 'aligned', *, out: Any = None) -> Array:
        """Acceleration under torques: a with inverse_dynamics(q, v, a) = tau.

        Articulated bodies, O(n). ValueError if the mass matrix is not positive definite. `.vjp(q, v, tau, w)` and
        `.jvp(q, v, tau, dq, dv, dtau)` are its products with derivatives.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        tau: (nv,) or (N, nv): torques of the joints, forces of sliding ones
        wrenches: {frame: (6,) or (N, 6)}: moment and force that act on the robot at frames
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: an array that the result is written to
        returns: a, (nv,); of N states, N of them
        """
        return self._call("forward_dynamics", q, v, tau, wrenches, axes, out=out)

    @function()
    def gravity_torque(self, q: Vector, wrenches: Wrenches = None, axes: str = 'aligned', *, out: Any = None) -> Array:
        """Torques that hold the robot still: g(q) - sum J'F.

        q: (nq,) or (N, nq): configuration
        wrenches: {frame: (6,) or (N, 6)}: moment and force that act on the robot at frames
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: an array that the result is written to
        returns: g, (nv,); of N states, N of them
        """
        return self._call("gravity_torque", q, wrenches, axes, out=out)

    @function()
    def bias_torque(self, q: Vector, v: Vector, *, out: Any = None) -> Array:
        """Torques due to velocity and gravity: C(q, v) v + g(q), without friction.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        out: an array that the result is written to
        returns: (nv,); of N states, N of them
        """
        return self._call("bias_torque", q, v, out=out)

    @function()
    def friction_torque(self, v: Vector, *, out: Any = None) -> Array:
        """What the joints resist with: damping v, and the Coulomb level by the sign of v.

        v: (nv,) or (N, nv): velocity
        out: an array that the result is written to
        returns: (nv,); of N states, N of them
        """
        return self._call("friction_torque", v, out=out)

    @function()
    def joint_wrenches(self, q: Vector, v: Vector, a: Vector, wrenches: Wrenches = None, axes: str = 'aligned', *, out: Any = None) -> Array:
        """What each joint transmits: moment and force that the parent exerts on the body, in the body's frame.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        a: (nv,) or (N, nv): acceleration
        wrenches: {frame: (6,) or (N, 6)}: moment and force that act on the robot at frames
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: an array that the result is written to
        returns: (bodies, 6), the base first: what the ground exerts on it; of N states, N of them
        """
        return self._call("joint_wrenches", q, v, a, wrenches, axes, out=out)

    @function()
    def mass_matrix(self, q: Vector, *, out: Any = None) -> Array:
        """Mass matrix M(q), full and symmetric, rotor inertias included.

        Composite rigid bodies. The kinetic energy is 1/2 v'M v.

        q: (nq,) or (N, nq): configuration
        out: an array that the result is written to
        returns: M, (nv, nv); of N states, N of them
        """
        return self._call("mass_matrix", q, out=out)

    @function()
    def inverse_mass_matrix(self, q: Vector, *, out: Any = None) -> Array:
        """Inverse of the mass matrix, M(q)^-1, full and symmetric.

        q: (nq,) or (N, nq): configuration
        out: an array that the result is written to
        returns: (nv, nv); of N states, N of them
        """
        return self._call("inverse_mass_matrix", q, out=out)

    @function()
    def mass_matrix_rate(self, q: Vector, v: Vector, *, out: Any = None) -> Array:
        """Rate of the mass matrix along a motion: dM/dt = C + C'.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        out: an array that the result is written to
        returns: (nv, nv); of N states, N of them
        """
        return self._call("mass_matrix_rate", q, v, out=out)

    @function()
    def coriolis_matrix(self, q: Vector, v: Vector, *, out: Any = None) -> Array:
        """Coriolis matrix C(q, v): C v are the Coriolis and centrifugal torques, and dM/dt - 2 C is skew.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        out: an array that the result is written to
        returns: C, (nv, nv); of N states, N of them
        """
        return self._call("coriolis_matrix", q, v, out=out)

    @function()
    def impulse_response(self, q: Vector, impulses: Wrenches = None, axes: str = 'aligned', *, out: Any = None) -> Array:
        """Change of velocity that impulses at frames cause: M(q)^-1 sum J'F.

        q: (nq,) or (N, nq): configuration
        impulses: {frame: (6,) or (N, 6)}: moment and force, integrated over the time of the impact, Nms and Ns
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: an array that the result is written to
        returns: (nv,); of N states, N of them
        """
        return self._call("impulse_response", q, impulses, axes, out=out)

    @function()
    def kinetic_energy(self, q: Vector, v: Vector, *, out: Any = None) -> Array:
        """Kinetic energy 1/2 v'M(q) v, rotors included, in J.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        out: an array that the result is written to
        returns: a number; of N states, N of them
        """
        return self._call("kinetic_energy", q, v, out=out)

    @function()
    def potential_energy(self, q: Vector, *, out: Any = None) -> Array:
        """Potential energy -sum m g'c in J; zero where all centres of mass lie in the world's origin.

        q: (nq,) or (N, nq): configuration
        out: an array that the result is written to
        returns: a number; of N states, N of them
        """
        return self._call("potential_energy", q, out=out)

    @function()
    def center_of_mass(self, q: Vector, *, out: Any = None) -> Array:
        """Centre of mass of the moving bodies, in the world.

        q: (nq,) or (N, nq): configuration
        out: an array that the result is written to
        returns: (3,); of N states, N of them
        """
        return self._call("center_of_mass", q, out=out)

    @function()
    def center_of_mass_velocity(self, q: Vector, v: Vector, *, out: Any = None) -> Array:
        """Velocity of the centre of mass, J v, in the world.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        out: an array that the result is written to
        returns: (3,); of N states, N of them
        """
        return self._call("center_of_mass_velocity", q, v, out=out)

    @function()
    def center_of_mass_acceleration(self, q: Vector, v: Vector, a: Vector, *, out: Any = None) -> Array:
        """Acceleration of the centre of mass, J a + dJ/dt v, in the world.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        a: (nv,) or (N, nv): acceleration
        out: an array that the result is written to
        returns: (3,); of N states, N of them
        """
        return self._call("center_of_mass_acceleration", q, v, a, out=out)

    @function()
    def center_of_mass_jacobian(self, q: Vector, *, out: Any = None) -> Array:
        """Jacobian of the centre of mass: J v is its velocity.

        q: (nq,) or (N, nq): configuration
        out: an array that the result is written to
        returns: J, (3, nv); of N states, N of them
        """
        return self._call("center_of_mass_jacobian", q, out=out)

    @function()
    def momentum(self, q: Vector, v: Vector, *, out: Any = None) -> Array:
        """Spatial momentum, angular first, in world axes about the world's origin.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        out: an array that the result is written to
        returns: (6,); of N states, N of them
        """
        return self._call("momentum", q, v, out=out)

    @function()
    def centroidal_momentum(self, q: Vector, v: Vector, *, out: Any = None) -> Array:
        """Spatial momentum, angular first, in world axes about the centre of mass.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        out: an array that the result is written to
        returns: (6,); of N states, N of them
        """
        return self._call("centroidal_momentum", q, v, out=out)

    @function()
    def centroidal_momentum_matrix(self, q: Vector, *, out: Any = None) -> Array:
        """Centroidal momentum matrix A(q): A v is the centroidal momentum.

        q: (nq,) or (N, nq): configuration
        out: an array that the result is written to
        returns: A, (6, nv); of N states, N of them
        """
        return self._call("centroidal_momentum_matrix", q, out=out)

    @function(InverseDynamicsDerivatives)
    def inverse_dynamics_derivatives(self, q: Vector, v: Vector, a: Vector, wrenches: Wrenches = None, axes: str = 'aligned', *, out: Any = None) -> InverseDynamicsDerivatives:
        """Exact derivatives of inverse dynamics: dtau/dq, dtau/dv, dtau/da = M.

        By q along the tangent space: column k is the change per unit displacement k of integrate(q, v).

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        a: (nv,) or (N, nv): acceleration
        wrenches: {frame: (6,) or (N, 6)}: moment and force that act on the robot at frames
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: a tuple of arrays that the result is written to
        returns: tau (nv,), dq, dv, da (nv, nv); of N states, N of them
        """
        return self._call("inverse_dynamics_derivatives", q, v, a, wrenches, axes, out=out)

    @function(ForwardDynamicsDerivatives)
    def forward_dynamics_derivatives(self, q: Vector, v: Vector, tau: Vector, wrenches: Wrenches = None, axes: str = 'aligned', *, out: Any = None) -> ForwardDynamicsDerivatives:
        """Exact derivatives of forward dynamics: da/dq, da/dv, da/dtau = M^-1.

        By q along the tangent space.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        tau: (nv,) or (N, nv): torques of the joints, forces of sliding ones
        wrenches: {frame: (6,) or (N, 6)}: moment and force that act on the robot at frames
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: a tuple of arrays that the result is written to
        returns: a (nv,), dq, dv, dtau (nv, nv); of N states, N of them
        """
        return self._call("forward_dynamics_derivatives", q, v, tau, wrenches, axes, out=out)

    @function(InverseDynamicsSecondDerivatives)
    def inverse_dynamics_second_derivatives(self, q: Vector, v: Vector, a: Vector, wrenches: Wrenches = None, axes: str = 'aligned', *, out: Any = None) -> InverseDynamicsSecondDerivatives:
        """Exact second derivatives of inverse dynamics: d2tau[row] / d[first] d[second].

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        a: (nv,) or (N, nv): acceleration
        wrenches: {frame: (6,) or (N, 6)}: moment and force that act on the robot at frames
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: a tuple of arrays that the result is written to
        returns: dqq, dvv, dqv, daq, each (nv, nv, nv); of N states, N of them
        """
        return self._call("inverse_dynamics_second_derivatives", q, v, a, wrenches, axes, out=out)

    @function(ForwardDynamicsSecondDerivatives)
    def forward_dynamics_second_derivatives(self, q: Vector, v: Vector, tau: Vector, wrenches: Wrenches = None, axes: str = 'aligned', *, out: Any = None) -> ForwardDynamicsSecondDerivatives:
        """Exact second derivatives of forward dynamics: d2a[row] / d[first] d[second].

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        tau: (nv,) or (N, nv): torques of the joints, forces of sliding ones
        wrenches: {frame: (6,) or (N, 6)}: moment and force that act on the robot at frames
        axes: 'aligned' (world axes at the frame's origin), 'local' (the frame's) or 'world' (at the world's origin)
        out: a tuple of arrays that the result is written to
        returns: dqq, dvv, dqv, dtauq, each (nv, nv, nv); of N states, N of them
        """
        return self._call("forward_dynamics_second_derivatives", q, v, tau, wrenches, axes, out=out)

    @function()
    def torque_regressor(self, q: Vector, v: Vector, a: Vector, *, out: Any = None) -> Array:
        """Torque regressor Y: Y pi = tau of inverse dynamics, friction and rotors aside; pi is `parameters`.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        a: (nv,) or (N, nv): acceleration
        out: an array that the result is written to
        returns: Y, (nv, 10 joints); of N states, N of them
        """
        return self._call("torque_regressor", q, v, a, out=out)

    @function()
    def wrench_regressor(self, q: Vector, v: Vector, a: Vector, joint: Optional[str] = None, *, out: Any = None) -> Array:
        """Wrench regressor W: W pi = the wrench through a joint, in the frame of the body it moves.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        a: (nv,) or (N, nv): acceleration
        joint: the name of a moving joint, or None for the base
        out: an array that the result is written to
        returns: W, (6, 10 joints); of N states, N of them
        """
        return self._call("wrench_regressor", q, v, a, joint, out=out)

    @function()
    def energy_regressor(self, q: Vector, v: Vector, *, out: Any = None) -> Array:
        """Energy regressor y: y pi = kinetic and potential energy.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        out: an array that the result is written to
        returns: y, (10 joints,); of N states, N of them
        """
        return self._call("energy_regressor", q, v, out=out)

    @function(MomentumRegressor)
    def momentum_regressor(self, q: Vector, v: Vector, *, out: Any = None) -> MomentumRegressor:
        """Momentum regressors: Y pi = M v, and d(M v)/dt = tau + Y_rate pi, that is Y_rate pi = C'v - g.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        out: a tuple of arrays that the result is written to
        returns: Y, Y_rate, each (nv, 10 joints); of N states, N of them
        """
        return self._call("momentum_regressor", q, v, out=out)


products(
    "inverse_dynamics",
    "vjp",
    """vjp(q, v, a, w): w' dtau/d(q, v, a), as reverse-mode differentiation needs it.

    q: (nq,) or (N, nq); v, a: (nv,) or (N, nv); w: (nv,) or (N, nv), the weights of tau
    returns: Gradients(dq, dv, dx), each (nv,), dx by a; dq along the tangent space of q
    """,
    Gradients,
)
products(
    "inverse_dynamics",
    "jvp",
    """jvp(q, v, a, dq, dv, da): the change of tau along a direction, dtau/dq dq + dtau/dv dv + M da.

    q: (nq,) or (N, nq); v, a, dq, dv, da: (nv,) or (N, nv)
    returns: (nv,)
    """,
)
products(
    "forward_dynamics",
    "vjp",
    """vjp(q, v, tau, w): w' da/d(q, v, tau), as reverse-mode differentiation needs it.

    q: (nq,) or (N, nq); v, tau: (nv,) or (N, nv); w: (nv,) or (N, nv), the weights of a
    returns: Gradients(dq, dv, dx), each (nv,), dx by tau; dq along the tangent space of q
    """,
    Gradients,
)
products(
    "forward_dynamics",
    "jvp",
    """jvp(q, v, tau, dq, dv, dtau): the change of a along a direction, da/dq dq + da/dv dv + M^-1 dtau.

    q: (nq,) or (N, nq); v, tau, dq, dv, dtau: (nv,) or (N, nv)
    returns: (nv,)
    """,
)
