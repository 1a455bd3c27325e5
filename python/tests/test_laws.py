"""Laws of mechanics, through numpy, on embedded and on random robots."""

import inspect

import numpy as np
import pytest
from helpers import ROBOTS, motion, random_chain

import ulna

CASES = ROBOTS + list(range(20))


@pytest.fixture(params=CASES, ids=str)
def robot(request):
    return ulna.Robot(request.param) if isinstance(request.param, str) else random_chain(request.param)


@pytest.fixture
def at(robot):
    return motion(robot, 7)


def near(x, y, tolerance):
    __tracebackhide__ = True
    scale = 1.0 + np.max(np.abs(y), initial=0.0)
    assert np.max(np.abs(np.asarray(x) - y), initial=0.0) <= tolerance * scale


def difference_quotient(robot, f, q, h=1e-6):
    """d f / d q along the tangent space, by central differences."""
    columns = []
    for k in range(robot.nv):
        e = np.zeros(robot.nv)
        e[k] = h
        columns.append((f(robot.integrate(q, e)) - f(robot.integrate(q, -e))) / (2 * h))
    return np.stack(columns, axis=-1)


def test_forward_dynamics_inverts_inverse_dynamics(robot, at):
    q, v, a = at
    near(robot.forward_dynamics(q, v, robot.inverse_dynamics(q, v, a)), a, 1e-7)


def test_torque_is_mass_times_acceleration_plus_bias_and_friction(robot, at):
    q, v, a = at
    tau = robot.mass_matrix(q) @ a + robot.bias_torque(q, v) + robot.friction_torque(v)
    near(robot.inverse_dynamics(q, v, a), tau, 1e-11)


def test_bias_is_coriolis_plus_gravity(robot, at):
    q, v, _ = at
    near(robot.coriolis_matrix(q, v) @ v + robot.gravity_torque(q), robot.bias_torque(q, v), 1e-11)


def test_mass_matrix_is_symmetric_and_its_inverse_is_one(robot, at):
    M = robot.mass_matrix(at[0])
    assert np.array_equal(M, M.T)
    near(M @ robot.inverse_mass_matrix(at[0]), np.eye(robot.nv), 1e-7)


def test_rate_of_mass_matrix_less_twice_coriolis_is_skew(robot, at):
    q, v, _ = at
    N = robot.mass_matrix_rate(q, v) - 2 * robot.coriolis_matrix(q, v)
    near(N, -N.T, 1e-11)


def test_power_is_rate_of_energy(robot, at):
    q, v, a = at
    robot = robot.without_friction()
    h = 1e-6

    def energy(t):
        q_t = robot.integrate(q, t * v + 0.5 * t * t * a)
        return robot.kinetic_energy(q_t, v + t * a) + robot.potential_energy(q_t)

    near((energy(h) - energy(-h)) / (2 * h), v @ robot.inverse_dynamics(q, v, a), 1e-6)


def test_derivatives_of_inverse_dynamics_are_difference_quotients(robot, at):
    q, v, a = at
    d = robot.inverse_dynamics_derivatives(q, v, a)
    near(d.tau, robot.inverse_dynamics(q, v, a), 1e-11)
    near(d.dq, difference_quotient(robot, lambda x: robot.inverse_dynamics(x, v, a), q), 1e-6)
    near(d.da, robot.mass_matrix(q), 1e-11)
    h = 1e-6
    dv = [
        (robot.inverse_dynamics(q, v + h * e, a) - robot.inverse_dynamics(q, v - h * e, a)) / (2 * h)
        for e in np.eye(robot.nv)
    ]
    near(d.dv, np.transpose(dv), 1e-6)


def test_derivatives_of_forward_dynamics_follow_from_those_of_inverse_dynamics(robot, at):
    q, v, a = at
    inverse = robot.inverse_dynamics_derivatives(q, v, a)
    forward = robot.forward_dynamics_derivatives(q, v, inverse.tau)
    near(inverse.da @ forward.dq, -inverse.dq, 1e-6)
    near(inverse.da @ forward.dv, -inverse.dv, 1e-6)
    near(inverse.da @ forward.dtau, np.eye(robot.nv), 1e-6)


def test_products_with_derivatives_are_those_of_the_matrices(robot, at):
    q, v, a = at
    w, dq, dv, da = np.random.default_rng(3).normal(size=(4, robot.nv))
    for f, d in (
        (robot.inverse_dynamics, robot.inverse_dynamics_derivatives(q, v, a)),
        (robot.forward_dynamics, robot.forward_dynamics_derivatives(q, v, a)),
    ):
        for gradient, matrix in zip(f.vjp(q, v, a, w), d[1:]):
            near(gradient, matrix.T @ w, 1e-10)
        near(f.jvp(q, v, a, dq, dv, da), d[1] @ dq + d[2] @ dv + d[3] @ da, 1e-10)


def test_second_derivatives_are_difference_quotients_of_first(robot, at):
    if robot.nv > 9:
        pytest.skip("the differences take long")
    q, v, a = at
    inverse = robot.inverse_dynamics_second_derivatives(q, v, a)
    first = lambda x: robot.inverse_dynamics_derivatives(x, v, a).dq
    near(inverse.dqq, difference_quotient(robot, first, q), 1e-5)
    near(inverse.daq, difference_quotient(robot, robot.mass_matrix, q), 1e-5)
    tau = robot.inverse_dynamics(q, v, a)
    forward = robot.forward_dynamics_second_derivatives(q, v, tau)
    # d(M^-1) = -M^-1 dM M^-1; differences of M^-1 itself drown where a rotor is light
    M, dM = robot.mass_matrix(q), np.moveaxis(inverse.daq, 2, 0)
    near(M @ np.moveaxis(forward.dtauq, 2, 0) @ M, -dM, 1e-9)


def test_regressors_times_parameters_are_what_they_regress(robot, at):
    q, v, a = at
    bare = robot.without_friction()
    pi = robot.parameters
    tau = bare.inverse_dynamics(q, v, a) - rotor_torque(robot, a)
    if not has_drives(robot):
        near(robot.torque_regressor(q, v, a) @ pi, tau, 1e-9)
        kinetic = robot.kinetic_energy(q, v) - 0.5 * v @ rotor_torque(robot, v)
        near(robot.energy_regressor(q, v) @ pi, kinetic + robot.potential_energy(q), 1e-9)
        Y, Y_rate = robot.momentum_regressor(q, v)
        near(Y @ pi, robot.mass_matrix(q) @ v - rotor_torque(robot, v), 1e-9)
        near(Y_rate @ pi, robot.coriolis_matrix(q, v).T @ v - robot.gravity_torque(q), 1e-9)


def has_drives(robot):
    return "elastic" in robot.name or "coupled" in robot.name or "tx40" in robot.name


def rotor_torque(robot, a):
    return robot.armature * a


def test_jacobian_maps_velocities_and_wrenches(robot, at):
    q, v, a = at
    frame = robot.frame_names[-1]
    for axes in ("aligned", "local", "world"):
        J = robot.jacobian(q, frame, axes)
        near(J @ v, robot.velocity(q, v, frame, axes), 1e-11)
        drift = robot.drift(q, v, frame, axes)
        near(J @ a + drift, robot.acceleration(q, v, a, frame, axes), 1e-10)
        near(robot.jacobian_rate(q, v, frame, axes) @ v, drift, 1e-10)
        near(robot.jacobian_derivative(q, frame, axes) @ v @ v, drift, 1e-10)
        w = np.random.default_rng(4).normal(size=6)
        tau = robot.inverse_dynamics(q, v, a)
        near(robot.inverse_dynamics(q, v, a, {frame: w}, axes), tau - J.T @ w, 1e-10)


def test_momentum_and_centre_of_mass(robot, at):
    q, v, a = at
    near(robot.centroidal_momentum_matrix(q) @ v, robot.centroidal_momentum(q, v), 1e-10)
    near(robot.center_of_mass_jacobian(q) @ v, robot.center_of_mass_velocity(q, v), 1e-11)
    near(robot.momentum(q, v)[3:], robot.mass * robot.center_of_mass_velocity(q, v), 1e-10)
    h = 1e-6
    ahead, behind = (
        robot.center_of_mass_velocity(robot.integrate(q, s * v), v + s * a) for s in (h, -h)
    )
    near(robot.center_of_mass_acceleration(q, v, a), (ahead - behind) / (2 * h), 1e-6)


def test_integrate_and_difference_are_inverse(robot, at):
    q, v, _ = at
    near(robot.difference(q, robot.integrate(q, 0.1 * v)), 0.1 * v, 1e-9)
    h = 1e-7
    near((robot.integrate(q, h * v) - q) / h, robot.configuration_rate(q, v), 1e-5)


def test_every_function_on_many_states_is_that_on_each(robot):
    n = 9
    q, v, a = motion(robot, 5, n)
    frame = robot.frame_names[-1]
    for name in ulna._core.functions():
        if name.endswith(("_vjp", "_jvp")) or "second" in name and robot.nv > 20:
            continue
        f = robot.function(name)
        vectors = {"q": q, "v": v, "a": a, "tau": a, "q0": q, "q1": q[::-1]}
        vectors.update({"jerk": a[::-1], "snap": v[::-1], "theta": v, "omega": a, "alpha": v, "net": a})
        names = list(inspect.signature(f).parameters)
        x = [vectors[p] for p in names if p in vectors]
        more = [frame] if "frame" in names else []
        try:
            many = f(*x, *more)
        except ValueError as refused:
            assert name.startswith("drive_") and "rotor" in str(refused), refused
            continue
        many = many if isinstance(many, tuple) else (many,)
        for i in (0, n - 1):
            one = f(*(y[i] for y in x), *more)
            one = one if isinstance(one, tuple) else (one,)
            for all_states, state in zip(many, one):
                assert all_states.shape == (n,) + np.shape(state)
                near(all_states[i], state, 1e-9)
