"""What arguments may be, and where results go."""

import numpy as np
import pytest
from helpers import motion

import ulna


def same(x, y):
    """A batch and a single state are computed by different instructions, which differ in the last bits."""
    return np.allclose(x, y, rtol=1e-12, atol=1e-12)


@pytest.fixture(scope="module")
def panda():
    return ulna.Robot("panda")


@pytest.fixture
def at(panda):
    return motion(panda, 1)


def test_lists_integers_and_tuples(panda):
    zero = panda.mass_matrix(np.zeros(7))
    assert np.array_equal(panda.mass_matrix([0] * 7), zero)
    assert np.array_equal(panda.mass_matrix((0.0,) * 7), zero)
    assert np.array_equal(panda.mass_matrix(np.zeros(7, dtype=int)), zero)


def test_views_that_are_not_contiguous(panda):
    q, v, a = motion(panda, 2, 50)
    expected = panda.inverse_dynamics(q, v, a)
    columns = np.asfortranarray(q)
    wide = np.concatenate([q, v, a], axis=1)
    assert np.array_equal(panda.inverse_dynamics(columns, v, a), expected)
    parts = wide[:, :7], wide[:, 7:14], wide[:, 14:]
    assert np.array_equal(panda.inverse_dynamics(*parts), expected)
    assert np.array_equal(panda.inverse_dynamics(q[::-1], v[::-1], a[::-1]), expected[::-1])
    assert np.array_equal(panda.inverse_dynamics(q[::3], v[::3], a[::3]), expected[::3])
    strided = np.zeros(14)
    strided[::2] = q[0]
    assert same(panda.inverse_dynamics(strided[::2], v[0], a[0]), expected[0])
    swapped = q.astype(">f8")
    assert np.array_equal(panda.inverse_dynamics(swapped, v, a), expected)
    frozen = q.copy()
    frozen.flags.writeable = False
    assert np.array_equal(panda.inverse_dynamics(frozen, v, a), expected)


def test_a_vector_beside_arrays_is_repeated(panda):
    q, v, a = motion(panda, 3, 4)
    expected = [panda.inverse_dynamics(q[i], v[0], a[i]) for i in range(4)]
    assert same(panda.inverse_dynamics(q, v[0], a), expected)


def test_no_states_make_no_results(panda):
    empty = np.zeros((0, 7))
    assert panda.inverse_dynamics(empty, empty, empty).shape == (0, 7)
    assert panda.mass_matrix(empty).shape == (0, 7, 7)
    assert panda.coriolis_matrix(empty, empty).shape == (0, 7, 7)


def test_float32_stays_float32(panda, at):
    singles = [x.astype(np.float32) for x in at]
    tau = panda.inverse_dynamics(*singles)
    assert tau.dtype == np.float32
    expected = panda.inverse_dynamics(*(x.astype(float) for x in singles))
    assert np.array_equal(tau, expected.astype(np.float32))
    assert panda.inverse_dynamics(singles[0], at[1], at[2]).dtype == np.float64
    assert panda.kinetic_energy(singles[0], singles[1]).dtype == np.float32
    out = np.empty(7, dtype=np.float32)
    assert panda.inverse_dynamics(*singles, out=out) is out
    assert np.array_equal(out, tau)
    many = [np.tile(x, (3, 1)) for x in singles]
    assert panda.inverse_dynamics(*many).dtype == np.float32


def test_dicts_by_joint_name(panda):
    q = panda.neutral()
    q[[0, 5]] = 0.3, 1.0
    named = {"panda_joint1": 0.3, "panda_joint6": 1.0}
    assert np.array_equal(panda.mass_matrix(named), panda.mass_matrix(q))
    v = np.zeros(7)
    v[1] = 2.0
    assert np.array_equal(panda.bias_torque(named, {"panda_joint2": 2.0}), panda.bias_torque(q, v))
    many = {"panda_joint1": np.array([0.3, 0.4]), "panda_joint6": 1.0}
    M = panda.mass_matrix(many)
    assert M.shape == (2, 7, 7)
    assert same(M[0], panda.mass_matrix(q))
    floating = ulna.Robot("panda", floating_base=True)
    base = floating.joint_names[0]
    turned = {base: [0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 3.0]}
    X = floating.pose(turned, floating.body_names[1])
    assert np.allclose(X[:3, 3], [1.0, 2.0, 3.0])
    assert np.allclose(np.diag(X), [1, -1, -1, 1])


def test_out_is_written_and_returned(panda, at):
    out = np.empty(7)
    assert panda.inverse_dynamics(*at, out=out) is out
    assert np.array_equal(out, panda.inverse_dynamics(*at))
    matrix = np.empty((7, 7))
    assert panda.mass_matrix(at[0], out=matrix) is matrix
    outs = np.empty(7), np.empty((7, 7)), np.empty((7, 7)), np.empty((7, 7))
    derivatives = panda.inverse_dynamics_derivatives(*at, out=outs)
    assert all(x is y for x, y in zip(derivatives, outs))
    assert np.array_equal(outs[1], panda.inverse_dynamics_derivatives(*at).dq)
    many = motion(panda, 4, 20)
    out = np.empty((20, 7))
    assert panda.inverse_dynamics(*many, out=out) is out
    assert np.array_equal(out, panda.inverse_dynamics(*many))
    columns = np.empty((20, 7), order="F")
    assert panda.inverse_dynamics(*many, out=columns) is columns
    assert np.array_equal(columns, out)
    wide = np.zeros((20, 9))
    panda.inverse_dynamics(*many, out=wide[:, 1:8])
    assert np.array_equal(wide[:, 1:8], out) and not wide[:, [0, 8]].any()


def test_out_may_be_an_argument(panda, at):
    q, v, a = at
    expected = panda.inverse_dynamics(q, v, a)
    panda.inverse_dynamics(q, v, a, out=a)
    assert np.array_equal(a, expected)
    q, v, a = motion(panda, 4, 33)
    expected = panda.inverse_dynamics(q, v, a)
    panda.inverse_dynamics(q, v, a, out=q)
    assert np.array_equal(q, expected)


def test_wrenches_of_each_state(panda):
    q, v, a = motion(panda, 4, 3)
    w = np.random.default_rng(0).normal(size=(3, 6))
    tau = panda.inverse_dynamics(q, v, a, {"panda_link8": w})
    for i in range(3):
        one = panda.inverse_dynamics(q[i], v[i], a[i], {"panda_link8": w[i]})
        assert np.array_equal(tau[i], one)
    same = panda.inverse_dynamics(q, v, a, wrenches={"panda_link8": w[0]})
    assert np.array_equal(same[0], tau[0]) and not np.array_equal(same[1], tau[1])


def test_functions_of_their_own(panda, at):
    f = panda.inverse_dynamics_fn()
    assert f is not panda.inverse_dynamics_fn()
    assert np.array_equal(f(*at), panda.inverse_dynamics(*at))
    assert np.array_equal(f(q=at[0], a=at[2], v=at[1]), panda.inverse_dynamics(*at))
    assert np.array_equal(panda.mass_matrix_fn()(at[0]), panda.mass_matrix(at[0]))
    tau = panda.forward_dynamics_fn()(*at)
    assert np.array_equal(tau, panda.forward_dynamics(*at))
    assert np.array_equal(ulna.Robot.mass_matrix(panda, at[0]), panda.mass_matrix(at[0]))


def test_a_number_is_a_vector_of_a_robot_with_one_joint():
    robot = ulna.Robot("chain:1")
    assert np.array_equal(robot.mass_matrix(0.5), robot.mass_matrix([0.5]))
