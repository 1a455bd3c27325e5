"""Robots with springs and coupled motors, and robots with closed loops."""

import numpy as np
import pytest
from helpers import motion

import ulna

ELASTIC = ["onelink_elastic", "iiwa14_elastic", "puma560_coupled"]


@pytest.mark.parametrize("name", ELASTIC)
def test_forward_and_inverse_dynamics_of_drives_agree(name):
    robot = ulna.Robot(name).without_friction()
    assert robot.has_drives and not ulna.Robot("panda").has_drives
    q, v, a = motion(robot, 1)
    jerk, snap = np.random.default_rng(2).normal(size=(2, robot.nv))
    d = robot.drive_inverse_dynamics(q, v, a, jerk, snap)
    back = robot.drive_forward_dynamics(q, v, d.theta, d.omega, d.tau)
    assert np.allclose(back.a, a, atol=1e-6 * (1 + np.abs(a).max()))
    many = robot.drive_inverse_dynamics(*(np.stack([x, x]) for x in (q, v, a, jerk, snap)))
    assert many.tau.shape == (2, robot.nv) and np.allclose(many.tau[1], d.tau)


@pytest.mark.parametrize("name", ELASTIC)
def test_derivatives_of_drives_are_difference_quotients(name):
    robot = ulna.Robot(name).without_friction()
    n, h = robot.nv, 1e-6
    x = np.random.default_rng(5).normal(size=(5, n))
    tau = robot.drive_inverse_dynamics(*x).tau
    inverse = robot.drive_inverse_dynamics_derivatives(*x)
    assert np.allclose(inverse.tau, tau, atol=1e-9 * np.abs(tau).max())
    forward_at = [x[0], x[1], x[0] + 0.01 * x[2], x[3], x[4]]
    forward = robot.drive_forward_dynamics_derivatives(*forward_at)

    def quotient(f, at, k):
        columns = []
        for i in range(n):
            ahead, behind = ([y + s * h * np.eye(n)[i] * (j == k) for j, y in enumerate(at)] for s in (1, -1))
            columns.append((f(*ahead) - f(*behind)) / (2 * h))
        return np.stack(columns, axis=1)

    near = lambda a, b: np.allclose(a, b, atol=1e-5 * (1 + np.abs(b).max()))
    for k, slope in enumerate(inverse[1:]):
        assert near(quotient(lambda *y: robot.drive_inverse_dynamics(*y).tau, x, k), slope), k
    for k in range(5):
        assert near(quotient(lambda *y: robot.drive_forward_dynamics(*y).a, forward_at, k), forward[2 + k]), k
        assert near(quotient(lambda *y: robot.drive_forward_dynamics(*y).alpha, forward_at, k), forward[7 + k]), k


def test_springs_carry_what_the_links_need():
    robot = ulna.Robot("iiwa14_elastic").without_friction()
    q, _, _ = motion(robot, 1)
    zero = np.zeros(7)
    d = robot.drive_inverse_dynamics(q, zero, zero, zero, zero)
    assert np.allclose(robot.spring_torque(q, zero, d.theta, d.omega), robot.gravity_torque(q), atol=1e-9)
    E = robot.drive_energy(q, zero, d.theta, d.omega)
    assert E.springs > 0.0 and E.rotors == 0.0
    with pytest.raises(ValueError, match="theta is not finite"):
        robot.spring_torque(q, zero, zero * np.nan, zero)


@pytest.mark.parametrize("name", ELASTIC + ["panda"])
def test_regressors_of_drives_times_their_numbers_are_torques(name):
    robot = ulna.Robot(name)
    q, v, a = motion(robot, 3)
    jerk, snap = np.random.default_rng(2).normal(size=(2, robot.nv))
    d = robot.drive_inverse_dynamics(q, v, a, jerk, snap)
    alpha = robot.drive_forward_dynamics(q, v, d.theta, d.omega, d.tau).alpha
    own = robot.drive_regressor(d.omega, alpha) @ robot.drive_parameters
    rotors = robot.drive_parameters[4 * robot.nv:] * alpha
    near = lambda x, y: np.allclose(x, y, atol=1e-6 * (1 + np.abs(y).max()))
    s = (robot.spring_regressor(q, v, d.theta, d.omega) * robot.spring_parameters).sum(axis=1)
    assert near(s, robot.spring_torque(q, v, d.theta, d.omega))
    elastic = robot.spring_parameters[:, 0] > 0
    assert elastic.any() == name.endswith("elastic")
    # what goes through the gears reaches links and the rotors that are seen at the joints
    net = d.tau - (robot.drive_regressor(d.omega, alpha)[:, : 4 * robot.nv] @ robot.drive_parameters[: 4 * robot.nv])
    links = robot.gear_regressor(net) @ robot.gear_ratios
    assert near(links - rotors, robot.inverse_dynamics(q, v, a))
    assert own.any() == robot.has_drives
    many = robot.drive_regressor(np.stack([d.omega] * 2), np.stack([alpha] * 2))
    assert many.shape == (2, robot.nv, 5 * robot.nv)


def test_a_world_has_the_motors_of_its_robots():
    robot = ulna.Robot("iiwa14_elastic")
    world = ulna.World(step=1e-3)
    q = np.full(7, 0.3)
    arm = world.add_robot(robot, q)
    theta = world.theta(arm)
    assert np.allclose(world.link_torque(arm), robot.gravity_torque(q), atol=1e-9)
    world.set_motors(arm, theta + 0.01, np.zeros(7))
    assert np.allclose(world.theta(arm), theta + 0.01) and not world.omega(arm).any()
    world.run(0.01)
    assert (world.theta(arm) < theta + 0.01).any() and np.abs(world.v(arm)).max() > 0.01
    with pytest.raises(ValueError, match="motors of the wrong size"):
        world.set_motors(arm, np.zeros(3), np.zeros(7))


def test_power_of_motors_is_the_rate_of_energy():
    robot = ulna.Robot("onelink_elastic").without_friction()
    x = np.array([[0.3], [0.4], [0.32], [0.5]])
    tau = np.array([0.2])
    a, alpha = robot.drive_forward_dynamics(*x, tau)

    def energy(q, v, theta, omega):
        links = robot.with_plain_drives()  # without the rotor behind the spring
        E = robot.drive_energy(q, v, theta, omega)
        return robot.potential_energy(q) + robot.kinetic_energy(q, v) + E.springs + E.rotors, links

    h = 1e-6
    rate = np.array([x[1], a, x[3], alpha])
    ahead, behind = (energy(*(x + s * h * rate))[0] for s in (1, -1))
    losses = 0.0
    damped = robot.spring_torque(x[0], x[1], x[2], x[3]) - robot.spring_torque(x[0], x[1], x[2], x[1])
    losses += float(damped @ (x[3] - x[1]))
    assert (ahead - behind) / (2 * h) == pytest.approx(float(tau @ x[3]) - losses, abs=1e-6)


@pytest.fixture(scope="module")
def fourbar():
    return ulna.Robot("fourbar").without_friction()


@pytest.fixture(scope="module")
def loops(fourbar):
    return ulna.Loops(fourbar)


def moving(loops, y=0.3, rate=1.0, acceleration=2.0):
    """A motion along the loops, and its accelerations by differences of N."""
    q = loops.move(loops.closed_at, loops.closed_at[:1] + y)
    N = loops.null_space(q)
    v = N @ [rate]
    h = 1e-6
    ahead, behind = (loops.null_space(loops.close(q + s * h * v)) for s in (1, -1))
    return q, v, N @ [acceleration] + (ahead - behind) @ [rate] / (2 * h)


def test_closed_loops_obey_the_constrained_equations(fourbar, loops):
    assert fourbar.has_loops and loops.independent == fourbar.joint_names[:1] and len(loops.rows) == 2
    q, v, a = moving(loops)
    J = loops.jacobian(q)
    assert np.abs(loops.gap(q)).max() < 1e-9 and np.allclose(J @ loops.null_space(q), 0, atol=1e-9)
    tau, force = loops.inverse_dynamics(q, v, a)
    assert np.allclose(fourbar.inverse_dynamics(q, v, a) - J.T @ force, tau, atol=1e-8)
    assert np.allclose(tau[fourbar.effort_limit == 0], 0)
    back, again = loops.forward_dynamics(q, v, tau)
    assert np.allclose(back, a, atol=1e-5) and np.allclose(force, again, atol=1e-4)
    assert "moved by" in repr(loops)


def test_impacts_on_loops(fourbar, loops):
    q, _, _ = moving(loops)
    v = np.array([1.0, 0.0, 0.0])
    after, impulse = loops.impact(q, v)
    J, M = loops.jacobian(q), fourbar.mass_matrix(q)
    assert np.allclose(J @ after, 0, atol=1e-9) and np.allclose(M @ (after - v), J.T @ impulse, atol=1e-9)
    assert np.allclose(J @ loops.impact(q, v, 0.5).result, -0.5 * J @ v, atol=1e-9)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda l: ulna.Loops(ulna.Robot("panda")), "has no joints that close loops"),
        (lambda l: l.forward_dynamics(l.closed_at + 0.2, [0] * 3, [0] * 3), "open"),
        (lambda l: l.move(l.closed_at, {"nobody": 1}), "'nobody' is no independent coordinate"),
        (lambda l: l.move(l.closed_at, [1, 2]), "y has 2 numbers, 1 are needed"),
        (lambda l: l.forward_dynamics(l.closed_at, [0], [0]), "v has 1 numbers"),
    ],
)
def test_wrong_loops(loops, call, words):
    with pytest.raises(ValueError, match=words):
        call(loops)
