"""Steps, tasks, contacts, and closed loops: laws."""

import numpy as np
import pytest
from helpers import motion, random_chain

import ulna


@pytest.fixture(scope="module")
def panda():
    return ulna.Robot("panda").without_friction()


def slopes(f, x, h=1e-6):
    """Columns of central differences of a vector function."""
    return np.stack([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))], axis=-1)


# --- steps ---


def test_a_step_of_euler_is_one_and_rk4_is_that_of_the_ode(panda):
    q, v, tau = motion(panda, 1)
    a = panda.forward_dynamics(q, v, tau)
    end = panda.step(q, v, tau, 1e-3, "euler")
    assert np.allclose(end.q, q + 1e-3 * v, atol=1e-15) and np.allclose(end.v, v + 1e-3 * a, atol=1e-13)
    f, x, h = panda.ode(tau), np.concatenate([q, v]), 1e-3
    k1 = f(0, x)
    k2 = f(0, x + h / 2 * k1)
    k3 = f(0, x + h / 2 * k2)
    x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(0, x + h * k3))
    assert np.allclose(np.concatenate(panda.step(q, v, tau, h)), x, atol=1e-12)


@pytest.mark.parametrize("name", ["panda", "quadruped"])
def test_steps_of_many_states_are_those_of_each(name):
    robot = ulna.Robot(name)
    q, v, tau = motion(robot, 2, 9)
    h = np.linspace(1e-4, 1e-3, 9)
    many = robot.step_derivatives(q, v, 0.1 * tau, h)
    assert [x.shape for x in many] == [(9, robot.nq), (9, robot.nv), (9, 2 * robot.nv, 2 * robot.nv), (9, 2 * robot.nv, robot.nv)]
    for i in range(9):
        for x, y in zip(robot.step_derivatives(q[i], v[i], 0.1 * tau[i], h[i]), many):
            assert np.allclose(x, y[i], rtol=1e-9, atol=1e-9)
    assert np.array_equal(robot.step(q, v, 0.1 * tau, h).q, many.q)
    assert np.allclose(robot.step(q[0], v, 0.0 * tau[0]).v[3], robot.step(q[0], v[3], 0.0 * tau[0]).v, atol=1e-12)
    assert robot.step(q[:0], v[:0], tau[:0]).q.shape == (0, robot.nq)


def test_slopes_of_a_step_are_those_of_differences(panda):
    q, v, tau = motion(panda, 3)
    d = panda.step_derivatives(q, v, tau, 0.01, "midpoint")
    end = lambda x: np.concatenate(panda.step(x[:7], x[7:14], x[14:], 0.01, "midpoint"))
    assert np.allclose(np.hstack([d.A, d.B]), slopes(end, np.concatenate([q, v, tau])), atol=1e-6)


def test_what_no_step_can_do_is_refused(panda):
    q, v, tau = motion(panda, 1, 3)
    wrong = v.copy()
    wrong[2, 3] = np.nan
    with pytest.raises(ValueError, match=r"v is not finite at 4 of 7, 'panda_joint4' \(v\[2, 3\]\)"):
        panda.step(q, wrong, tau)
    with pytest.raises(ValueError, match="q has 6 numbers"):
        panda.step(q[:, :6], v, tau)
    with pytest.raises(ValueError, match="there are euler, semi_implicit_euler, midpoint, rk4"):
        panda.step(q, v, tau, 1e-3, "rk5")
    with pytest.raises(ValueError, match="h has 2 numbers, there are 3 states"):
        panda.step(q, v, tau, [1e-3, 1e-3])
    with pytest.raises(ValueError, match="v has 2 states"):
        panda.step(q, v[:2], tau)
    with pytest.raises(ValueError, match="h is not finite"):
        panda.step(q, v, tau, np.inf)
    with pytest.raises(ValueError, match="state 1.*too fast"):
        panda.step(q, v * np.array([[1], [1e160], [1]]), tau)


# --- tasks ---


def test_the_operational_space_is_that_of_the_task(panda):
    Q = panda.random_configuration(1, 5)
    at = panda.operational_space(Q, "panda_link8")
    J = panda.jacobian(Q, "panda_link8")
    assert np.allclose(J @ at.pseudo_inverse, np.eye(6), atol=1e-9)
    assert np.allclose(at.inertia @ J @ panda.inverse_mass_matrix(Q) @ np.swapaxes(J, 1, 2), np.eye(6), atol=1e-7)
    # of all velocities that make the task's, this one has the least kinetic energy
    task = np.array([0.1, 0.2, -0.1, 0.3, 0.0, 0.2])
    v = at.pseudo_inverse[0] @ task
    null = np.linalg.svd(J[0])[2][6]
    assert panda.kinetic_energy(Q[0], v) == pytest.approx(0.5 * task @ at.inertia[0] @ task)
    assert all(panda.kinetic_energy(Q[0], v + s * null) > panda.kinetic_energy(Q[0], v) for s in (0.1, -0.1))
    position = panda.operational_space(Q[0], J[0][3:])
    assert position.inertia.shape == (3, 3) and position.pseudo_inverse.shape == (7, 3)
    for wrong in (np.eye(3), np.full((2, 7), np.nan)):
        with pytest.raises(ValueError, match="the task's Jacobian has shape"):
            panda.operational_space(Q[0], wrong)
    with pytest.raises(ValueError, match="the task is singular"):
        ulna.Robot("double_pendulum").operational_space([0.1, 0.2], np.ones((2, 2)))


def test_an_impulse_changes_the_momentum_by_itself(panda):
    q, _, _ = motion(panda, 4)
    impulse = np.array([0.1, 0.2, 0.3, 1.0, -2.0, 0.5])
    change = panda.impulse_response(q, {"panda_link8": impulse})
    assert np.allclose(panda.mass_matrix(q) @ change, panda.jacobian(q, "panda_link8").T @ impulse)
    assert not panda.impulse_response(q).any()
    many = panda.impulse_response(np.stack([q, q]), {"panda_link8": np.stack([impulse, 2 * impulse])})
    assert np.allclose(many[1], 2 * change)


# --- contacts ---

FEET = [{"frame": f"{leg}_foot"} for leg in ("FL", "FR", "RL", "RR")]


@pytest.fixture(scope="module")
def standing():
    robot = ulna.Robot("quadruped").without_friction()
    q = robot.neutral()
    q[6] = 0.438
    for leg in ("FL", "FR", "RL", "RR"):
        at = {j.name: j.q for j in robot.joints}
        q[at[f"{leg}_thigh_joint"]], q[at[f"{leg}_knee_joint"]] = 0.8, -1.6
    return robot, q


def test_a_robot_stands_by_forces_within_cones(standing):
    robot, q = standing
    rest = np.zeros(robot.nv)
    hold = robot.contact_inverse_dynamics(q, rest, rest, FEET)
    assert hold.enough and not hold.tau[:6].any()
    assert hold.force.sum(axis=0) == pytest.approx([0, 0, 9.81 * robot.mass], abs=1e-4)
    assert np.all(np.linalg.norm(hold.force[:, :2], axis=1) <= 0.8 * hold.force[:, 2] + 1e-6)
    # and with these torques it does not move
    moved = robot.contact_forward_dynamics(q, rest, hold.tau, FEET)
    assert np.abs(moved.a).max() < 1e-4 and moved.force.sum(axis=0)[2] == pytest.approx(9.81 * robot.mass, abs=1e-3)
    fly = robot.contact_inverse_dynamics(q, rest, rest, [])
    assert not fly.enough and fly.residual > 1.0 and fly.force.shape == (0, 3)


def test_derivatives_under_contacts_are_those_of_differences(panda):
    q, v, tau = motion(panda, 5)
    J = panda.jacobian(q, "panda_link8")[3:]
    v = v - np.linalg.pinv(J[2:]) @ (J[2:] @ v)  # along the plane
    touch = [{"frame": "panda_link8", "normal": (0, 0, 2.0), "friction": 0.3, "mode": "slide"}]
    d = panda.contact_dynamics_derivatives(q, v, tau, touch)
    moved = panda.contact_forward_dynamics(q, v, tau, touch)
    assert np.allclose(d.a, moved.a) and moved.force[0, 2] == pytest.approx(d.force[0])
    assert np.linalg.norm(moved.force[0, :2]) == pytest.approx(0.3 * abs(moved.force[0, 2]))
    acceleration = lambda *x: panda.contact_forward_dynamics(*x, touch).a
    assert np.allclose(d.dtau, slopes(lambda x: acceleration(q, v, x), tau), atol=1e-5)
    assert np.allclose(d.dv, slopes(lambda x: acceleration(q, x, tau), v), rtol=1e-4, atol=1e-3)
    assert np.allclose(d.dq, slopes(lambda x: acceleration(x, v, tau), q), rtol=1e-4, atol=1e-2)
    rougher = panda.contact_forward_dynamics(q, v, tau, [{**touch[0], "friction": 0.3 + 1e-6}]).a
    assert np.allclose(d.dfriction[:, 0], (rougher - moved.a) / 1e-6, rtol=1e-3, atol=1e-3)


def test_contacts_that_are_none_are_refused(panda):
    q, v, tau = motion(panda, 1)
    for contact, words in (
        ({"frame": "elbow"}, "elbow"),
        ({"frame": "panda_link8", "normal": (0, 0, 0)}, "no direction"),
        ({"frame": "panda_link8", "friction": -1.0}, "must not be negative"),
        ({"frame": "panda_link8", "mode": "roll"}, "there are stick, slide"),
        ({"frame": "panda_link8", "mu": 1.0}, "there is no option"),
    ):
        with pytest.raises(ValueError, match=words):
            panda.contact_forward_dynamics(q, v, tau, [contact])


# --- closed loops ---


@pytest.fixture(scope="module")
def loops():
    return ulna.Loops(ulna.Robot("fivebar").without_friction())


def closed_state(loops, seed):
    q = loops.move(loops.closed_at, {loops.independent[0]: loops.closed_at[0] + 0.2})
    random = np.random.default_rng(seed)
    v = loops.null_space(q) @ random.normal(size=len(loops.independent))
    return q, v, random.normal(size=loops.robot.nv)


def test_derivatives_under_loops_are_those_of_differences(loops):
    q, v, tau = closed_state(loops, 1)
    d = loops.forward_dynamics_derivatives(q, v, tau)
    at = loops.forward_dynamics(q, v, tau)
    assert np.allclose(d.a, at.result) and np.allclose(d.force, at.force)
    both = lambda *x: np.concatenate(loops.forward_dynamics(*x))
    by_tau = slopes(lambda x: both(q, v, x), tau)
    by_v = slopes(lambda x: both(q, x, tau), v)
    by_q = slopes(lambda x: both(x, v, tau), q)
    assert np.allclose(np.vstack([d.dtau, d.force_dtau]), by_tau, rtol=1e-4, atol=1e-4 * np.abs(by_tau).max())
    assert np.allclose(np.vstack([d.dv, d.force_dv]), by_v, rtol=1e-4, atol=1e-4 * np.abs(by_v).max())
    assert np.allclose(np.vstack([d.dq, d.force_dq]), by_q, rtol=1e-3, atol=1e-4 * np.abs(by_q).max())


def test_reduced_dynamics_are_those_of_the_independent_joints(loops):
    q, _, _ = closed_state(loops, 2)
    m = len(loops.independent)
    y = np.array([q[loops.robot.velocity_names.index(name)] for name in loops.independent])
    rate, acceleration = np.random.default_rng(3).normal(size=(2, m))
    at = loops.reduced_inverse_dynamics(q, y, rate, acceleration)
    N = loops.null_space(at.q)
    assert np.allclose(at.v, N @ rate) and np.allclose(at.M, N.T @ loops.robot.mass_matrix(at.q) @ N)
    assert np.allclose(at.tau, N.T @ loops.robot.inverse_dynamics(at.q, at.v, at.a), atol=1e-9)
    assert np.allclose(loops.reduced_forward_dynamics(q, y, rate, at.tau), acceleration, atol=1e-7)
    assert np.allclose(at.da, at.M)
    torque = lambda *x: loops.reduced_inverse_dynamics(q, *x).tau
    assert np.allclose(at.dy, slopes(lambda x: torque(x, rate, acceleration), y), rtol=1e-4, atol=1e-6)
    assert np.allclose(at.dv, slopes(lambda x: torque(y, x, acceleration), rate), rtol=1e-4, atol=1e-6)
    with pytest.raises(ValueError, match="do not reach so far"):
        loops.reduced_inverse_dynamics(q, y + [2.5, -2.5], rate, acceleration)
    with pytest.raises(ValueError, match="finite numbers are needed"):
        loops.reduced_inverse_dynamics(q, y[:1], rate, acceleration)


# --- what pushes ---


def test_a_momentum_observer_finds_what_pushes():
    robot = random_chain(3)
    sim, observer = ulna.Simulation(robot, torque_limits=False, stops=False), ulna.MomentumObserver(robot, gain=50.0)
    sim.set_state(robot.random_configuration(1))
    frame = robot.frame_names[-1]
    push = {frame: np.array([0.0, 0.0, 0.0, 1.0, 2.0, 0.5])}
    sim.set_wrenches(push)
    for _ in range(500):
        tau = robot.gravity_torque(sim.q) - 0.5 * sim.v
        sim.step(tau, 1e-3)
        observer.update(sim.q, sim.v, tau, 1e-3)
    expected = robot.jacobian(sim.q, frame).T @ push[frame]
    assert np.allclose(observer.torque, expected, atol=0.05 * np.abs(expected).max() + 1e-3)
    observer.reset()
    assert not observer.torque.any()
    with pytest.raises(ValueError, match="dt"):
        observer.update(sim.q, sim.v, tau, 0.0), observer.update(sim.q, sim.v, tau, 0.0)
