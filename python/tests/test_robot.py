"""Robots as objects: descriptions, edits, copies, threads, memory, solvers."""

import copy
import multiprocessing
import pickle
import resource
import threading

import numpy as np
import pytest
from helpers import ROBOTS, motion, random_chain

import ulna


@pytest.fixture(scope="module")
def panda():
    return ulna.Robot("panda")


def same(a, b):
    x = motion(a, 3)
    return (
        np.array_equal(a.inverse_dynamics(*x), b.inverse_dynamics(*x))
        and a.joint_names == b.joint_names
        and a.frame_names == b.frame_names
        and np.array_equal(a.upper_limit, b.upper_limit)
    )


@pytest.mark.parametrize("name", ROBOTS)
def test_copies_and_pickles_are_the_same_robot(name):
    robot = ulna.Robot(name, threads=1)
    for other in (copy.copy(robot), copy.deepcopy(robot), pickle.loads(pickle.dumps(robot))):
        assert other is not robot and other.threads == 1
        assert same(robot, other)
        assert other.diagnostics == robot.diagnostics
    assert same(robot, ulna.Robot.from_string(robot.to_urdf()))


def test_errors_and_results_are_pickled(panda):
    with pytest.raises(ulna.ModelError) as caught:
        ulna.Robot("pand")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.diagnostics == caught.value.diagnostics
    d = panda.inverse_dynamics_derivatives(*motion(panda, 1))
    assert np.array_equal(pickle.loads(pickle.dumps(d)).dq, d.dq)


def test_what_a_robot_is(panda):
    assert (panda.name, panda.nq, panda.nv, len(panda.joints)) == ("panda", 7, 7, 7)
    assert panda.joints[0] == ulna.Joint("panda_joint1", "revolute", "", 0, 0, 0)
    assert panda.configuration_names == panda.joint_names == panda.velocity_names
    assert panda.body_names[0] == "panda_link0" and "panda_link8" in panda.frame_names
    assert panda.effort_limit[0] == 87.0 and panda.gravity[2] == -9.81
    assert panda.parameters.shape == (70,)
    assert panda.mass == pytest.approx(panda.parameters[::10].sum())
    assert "7 degrees of freedom" in repr(panda)
    html = panda._repr_html_()
    assert "panda_joint7" in html and html.count("<tr>") == 8
    assert "panda" in ulna.robots() and len(ulna.robots()) > 20
    assert [ulna.Robot(name)._repr_html_() for name in ROBOTS]


def test_edits_make_new_robots(panda):
    q, v, a = motion(panda, 2)
    assert np.allclose(panda.with_gravity([0, 0, 0]).gravity_torque(q), 0)
    locked = panda.lock_joints({"panda_joint1": q[0]})
    assert locked.nv == 6
    assert np.allclose(locked.mass_matrix(q[1:]), panda.mass_matrix(q)[1:, 1:])
    chain = panda.sub_chain("panda_link0", "panda_link3")
    assert chain.joint_names == panda.joint_names[:3]
    assert np.allclose(chain.pose(q[:3], "panda_link3"), panda.pose(q, "panda_link3"))
    floating = panda.with_floating_base()
    assert floating.nv == 13 and floating.nq == 14
    assert np.allclose(panda.lump_fixed_joints().mass_matrix(q), panda.mass_matrix(q))
    twice = panda.with_parameters(2 * panda.parameters)
    assert np.allclose(twice.bias_torque(q, v), 2 * panda.bias_torque(q, v))
    assert np.allclose(twice.parameters, 2 * panda.parameters)
    assert np.array_equal(panda.without_friction().friction_torque(v), np.zeros(7))
    assert panda.with_plain_drives().nv == 7 and panda.without_mimics().nv == 7
    load = panda.with_payload("panda_link8", 2.0, [0, 0, 0.1], 0.01 * np.eye(3))
    at_tip = panda.jacobian(q, "panda_link8", "aligned")
    X = panda.pose(q, "panda_link8")
    lever = X[:3, :3] @ [0, 0, 0.1]
    weight = np.array([0, 0, -9.81 * 2.0])
    wrench = np.concatenate([np.cross(lever, weight), weight])
    assert np.allclose(load.gravity_torque(q), panda.gravity_torque(q) - at_tip.T @ wrench)
    assert load.mass == pytest.approx(panda.mass + 2)


DH = """
ulna: dh
name: two
joints:
  - {name: shoulder, a: 1.0, alpha: 0, d: 0, theta: 0, mass: 1.0, com: [-0.5, 0, 0], inertia: [0, 0, 0, 0.1, 0, 0.1]}
  - {name: elbow, a: 1.0, alpha: 0, d: 0, theta: 0, mass: 1.0, com: [-0.5, 0, 0], inertia: [0, 0, 0, 0.1, 0, 0.1]}
"""


def test_descriptions_as_text():
    text = ulna.Robot("panda").to_urdf()
    assert same(ulna.Robot.from_string(text), ulna.Robot("panda"))
    assert ulna.Robot.from_string(text, floating_base=True).nv == 13
    dh = ulna.Robot.from_string(DH)
    assert dh.joint_names == ["shoulder", "elbow"]
    X = dh.pose([0.3, 0.4], dh.frame_names[-1])
    assert np.allclose(X[:2, 3], [np.cos(0.3) + np.cos(0.7), np.sin(0.3) + np.sin(0.7)])
    screws = ulna.Robot("modern_robotics_3r")  # a product of exponentials
    gravity = screws.gravity_torque([np.sqrt(2) * 0.1, 0.1, 0.1])
    assert np.allclose(gravity, [28.40331262 / np.sqrt(2), -37.64094817, -5.4415892])


def test_ik_reaches_what_fk_has(panda):
    q = panda.random_configuration(5)
    target = panda.fk(q)["panda_link8"]
    result = panda.ik("panda_link8", target)
    assert result.found and "found" in result.report
    assert np.allclose(panda.pose(result.q, "panda_link8"), target, atol=1e-5)
    assert np.all(result.q <= panda.upper_limit) and np.all(result.q >= panda.lower_limit)
    place = panda.ik("panda_link8", target[:3, 3], start={"panda_joint1": 0.1})
    assert np.allclose(panda.pose(place.q, "panda_link8")[:3, 3], target[:3, 3], atol=1e-5)
    far = panda.ik("panda_link8", [9.0, 0, 0], restarts=1)
    assert not far.found and far.position_error > 7


def test_random_configurations_lie_between_the_limits(panda):
    Q = panda.random_configuration(1, 1000)
    assert Q.shape == (1000, 7)
    assert np.all(Q <= panda.upper_limit) and np.all(Q >= panda.lower_limit)
    assert np.array_equal(Q, panda.random_configuration(1, 1000))
    assert not np.array_equal(Q, panda.random_configuration(2, 1000))
    assert panda.random_configuration(np.random.default_rng(1)).shape == (7,)


def test_ode_keeps_energy():
    robot = random_chain(3).without_friction()
    q, v, _ = motion(robot, 1)
    f, x, h = robot.ode(), np.concatenate([q, v]), 1e-3
    energy = lambda x: robot.kinetic_energy(x[: robot.nq], x[robot.nq :]) + robot.potential_energy(x[: robot.nq])
    before = energy(x)
    for i in range(300):  # Runge-Kutta of fourth order
        k1 = f(i * h, x)
        k2 = f(i * h + h / 2, x + h / 2 * k1)
        k3 = f(i * h + h / 2, x + h / 2 * k2)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(i * h + h, x + h * k3))
    assert energy(x) == pytest.approx(before, abs=1e-6 * (1 + abs(before)))
    held = robot.ode(lambda t, q, v: robot.gravity_torque(q))
    still = np.concatenate([q, 0 * v])
    assert np.allclose(held(0.0, still), 0, atol=1e-9)
    constant = robot.ode(robot.gravity_torque(q))
    assert np.allclose(constant(0.0, still), 0, atol=1e-9)


def test_ode_in_scipy():
    scipy = pytest.importorskip("scipy.integrate")
    robot = ulna.Robot("panda").without_friction()
    q = robot.random_configuration(1)
    x = np.concatenate([q, np.zeros(7)])
    y = scipy.solve_ivp(robot.ode(), (0, 0.2), x, rtol=1e-9, atol=1e-9).y[:, -1]
    energy = robot.kinetic_energy(y[:7], y[7:]) + robot.potential_energy(y[:7])
    assert energy == pytest.approx(robot.potential_energy(q), rel=1e-6)


def test_threads_share_a_robot(panda):
    """The GIL is released: a second thread runs while a batch does."""
    q, v, a = motion(panda, 1, 200_000)
    expected = panda.inverse_dynamics(q, v, a)
    results, errors = [None] * 4, []

    def work(i):
        try:
            for _ in range(5):
                results[i] = panda.inverse_dynamics(q, v, a)
                panda.coriolis_matrix(q[:100], v[:100])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    ticks = 0
    while any(thread.is_alive() for thread in threads):
        ticks += 1
        panda.inverse_dynamics(q[0], v[0], a[0])
    for thread in threads:
        thread.join()
    assert not errors and ticks > 10
    assert all(np.array_equal(result, expected) for result in results)


def test_number_of_threads_changes_no_bit(panda):
    q, v, a = motion(panda, 1, 5000)
    expected = panda.inverse_dynamics_derivatives(q, v, a).dq
    for threads in (1, 2, 3):
        robot = ulna.Robot("panda", threads=threads)
        assert np.array_equal(robot.inverse_dynamics_derivatives(q, v, a).dq, expected)


def _in_child(robot, q, answers):
    answers.put(robot.mass_matrix(q).sum())


def test_batches_work_in_a_forked_process(panda):
    q = panda.random_configuration(1, 1000)
    expected = panda.mass_matrix(q).sum()  # its threads stay behind
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=_in_child, args=(panda, q, answers))
    child.start()
    assert answers.get(timeout=60) == expected
    child.join(timeout=60)
    assert child.exitcode == 0


def test_a_million_calls_leak_nothing(panda):
    q, v, a = motion(panda, 1)
    many = motion(panda, 1, 16)
    f, out = panda.inverse_dynamics_fn(), np.empty(7)
    single = q.astype(np.float32)

    def calls(n):
        for _ in range(n // 10):
            for _ in range(6):
                f(q, v, a)
            f(q, v, a, out=out)
            panda.mass_matrix(q)
        for _ in range(n // 100):
            panda.inverse_dynamics_derivatives(q, v, a)
            f(*many)
            f(single, single, single)
            f({"panda_joint1": 1.0}, v, list(a), {"panda_link8": [1] * 6})
            for wrong in (q[:3], {"nobody": 1}):
                try:
                    f(wrong, v, a)
                except ValueError:
                    pass
            copy.copy(panda).mass_matrix(q)

    calls(50_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls(1_000_000)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 2048, f"{grown} kB more after a million calls"
