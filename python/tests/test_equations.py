"""Equations in symbols, the textbook formulations, generated code."""

import numpy as np
import pytest
from helpers import motion

import ulna

ARMS = ["pendulum", "double_pendulum", "rp_fakhari", "scara"]
needs_ginac = pytest.mark.skipif(not hasattr(ulna._core, "Equations"), reason="built without GiNaC")


@pytest.fixture(scope="module")
def two_link():
    return ulna.Robot("double_pendulum")


@needs_ginac
@pytest.mark.parametrize("name", ARMS)
def test_equations_are_the_numbers_of_the_dynamics(name):
    robot = ulna.Robot(name).without_friction()
    e = robot.equations(["M", "C", "h", "g"])
    for seed in range(3):
        q, v, a = motion(robot, seed)
        M, C, g = e.value("M", q), e.value("C", q, v), e.value("g", q)
        assert np.allclose(M, robot.mass_matrix(q), atol=1e-12)
        assert np.allclose(C @ v, e.value("h", q, v), atol=1e-12)
        assert np.allclose(M @ a + C @ v + g, robot.inverse_dynamics(q, v, a), atol=1e-10)


@needs_ginac
def test_equations_are_those_of_the_book(two_link):
    e = two_link.equations()
    assert e.coordinates == {"th1": "shoulder", "th2": "elbow"}
    assert e.equal("M", 0, 0, "m1*lc1^2 + m2*(l1^2 + lc2^2 + 2*l1*lc2*cos(th2)) + I1 + I2")
    assert e.equal("g", 1, 0, "m2*lc2*g*sin(th1 + th2)") and not e.equal("g", 1, 0, "0")
    assert e["C"][1][1] == "0" and e["M"][0][1] == e["M"][1][0]
    assert e.element("M", 1, 1, "unicode") == "m2 lc2² + I2"
    assert e.values["m1"] == 0.6 and e.symbols[0].meaning == "mass of link 'upper'"
    latex = e._repr_latex_()
    assert latex.startswith("$$") and r"\begin{bmatrix}" in latex and r"\cos\theta_2" in latex
    assert "θ2" in str(e) and "double_pendulum" in repr(e)
    assert "double" in e.c_code(["M"]) and two_link.equations(let=["l1=a"]).values["a"] == 0.4
    assert two_link.equations(["g"], numeric=True).values == {}


@needs_ginac
def test_equations_of_springs():
    robot = ulna.Robot("onelink_elastic")
    e = robot.equations()
    assert e.terms == ("M", "C", "g", "s", "B") and "thm1" in e.coordinates
    s = e.value("s", [0.1], [0.0], [0.3], [0.0])
    assert np.allclose(s, robot.spring_torque([0.1], [0.0], [0.3], [0.0]))


@needs_ginac
def test_equations_in_sympy(two_link):
    sympy = pytest.importorskip("sympy")
    e = two_link.equations()
    q, v, _ = motion(two_link, 1)
    at = {**e.values, "th1": q[0], "th2": q[1], "th1_dot": v[0], "th2_dot": v[1]}
    for term in ("M", "C"):
        numbers = np.array(e.sympy(term).subs(at).tolist(), dtype=float)
        assert np.allclose(numbers, e.value(term, q, v))
    M = e.sympy("M")
    assert sympy.diff(M[0, 0], sympy.Symbol("th1")) == 0


@needs_ginac
@pytest.mark.parametrize(
    "call, words",
    [
        (lambda r: r.equations(["M", "X"]), "'X' is unknown; there are M, C, h, g, s, B"),
        (lambda r: r.equations(["M"])["g"], "term 'g' was not derived; there are M"),
        (lambda r: r.equations(let=["nothing=1"]), "nothing"),
        (lambda r: r.equations().value("M", [1.0]), "q has shape"),
        (lambda r: ulna.Robot("panda").equations(most_joints=2), "joints"),
        (lambda r: ulna.Robot("quadruped").equations(), "quadruped|joint"),
    ],
)
def test_wrong_equations(two_link, call, words):
    with pytest.raises(ValueError, match=words):
        call(two_link)


@pytest.mark.parametrize("name", ["double_pendulum", "puma560", "stanford"])
def test_formulations_agree(name):
    robot = ulna.Robot(name)
    q, v, a = motion(robot, 1)
    M = robot.mass_matrix(q) - np.diag(robot.armature)
    for f in robot.formulations():
        assert np.allclose(f.mass_matrix(q), M, atol=1e-9 * np.abs(M).max()), f.name
        assert np.allclose(f.bias(q, v), robot.bias_torque(q, v), atol=1e-8), f.name
        assert np.allclose(f.inverse_dynamics(q, v, a), M @ a + robot.bias_torque(q, v), atol=1e-8), f.name


def test_counts_and_comparison():
    robot = ulna.Robot("puma560")
    all_of_them = robot.formulations()
    newton, lagrange = (all_of_them[name].operations["inverse_dynamics"] for name in ("newton-euler-link", "lagrange-euler"))
    assert newton.multiplications < lagrange.multiplications  # Fu 1987, Table 3.5
    assert all_of_them.fast["inverse_dynamics"].multiplications < newton.multiplications
    assert "lagrange-euler" in all_of_them.names and all_of_them[0].name == all_of_them.names[0]
    assert "lagrange-euler" in repr(all_of_them) and "<table>" in all_of_them._repr_html_()
    compared = robot.compare_formulations(5)
    assert len(compared) == len(all_of_them) + 1 and compared.error < 1e-10
    assert "<table>" in compared._repr_html_() and "5 states" in repr(compared)
    with pytest.raises(ValueError, match="there is no formulation 'newton'"):
        all_of_them["newton"]
    with pytest.raises(ValueError, match="at least one"):
        robot.compare_formulations(0)
    with pytest.raises(ValueError):
        ulna.Robot("quadruped").formulations()
    with pytest.raises(ValueError, match="needs 6"):
        all_of_them[0].mass_matrix([1.0])


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ULNA_CACHE", str(tmp_path))


FUNCTIONS = ["inverse_dynamics", "mass_matrix", "forward_dynamics", "inverse_dynamics_derivatives", "torque_regressor"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_generated_functions_are_those_of_the_robot(name, cache):
    robot = ulna.Robot("puma560").without_friction()
    f = robot.codegen(name, flags=["-O1"])
    g = robot.function(name)
    many = motion(robot, 1, 5)
    for state in (motion(robot, 2), many):
        args = state[:1] if name == "mass_matrix" else state
        got, wanted = f(*args), g(*args)
        assert type(got) is type(wanted)
        for x, y in zip(got if isinstance(got, tuple) else (got,), wanted if isinstance(wanted, tuple) else (wanted,)):
            assert x.shape == y.shape and np.allclose(x, y, atol=1e-8 * (1 + np.abs(y).max()))


def test_generated_functions_take_what_functions_take(cache):
    robot = ulna.Robot("double_pendulum")
    f = robot.codegen("inverse_dynamics", flags=["-O1"])
    q, v, a = motion(robot, 1, 4)
    out = np.empty((4, 2))
    assert f(q, v, a, out=out) is out and np.allclose(out, robot.inverse_dynamics(q, v, a))
    assert np.allclose(f(q[:, ::-1][:, ::-1], v, a), out) and np.allclose(f(np.hstack([q, q])[:, :2], v, a), out)
    assert np.allclose(f({"shoulder": q[0, 0], "elbow": q[0, 1]}, list(v[0]), a[0]), out[0])
    assert f(*(x.astype(np.float32) for x in (q, v, a))).dtype == np.float32
    assert f.operations > 10 and not f.from_cache
    assert robot.codegen("id", flags=["-O1"]).from_cache
    for wrong, words in (((q[0, :1], v[0], a[0]), "needs 2"), ((q[0] * np.nan, v[0], a[0]), "q is not finite"), ((q * np.nan, v, a), r"q\[0, 0\]")):
        with pytest.raises(ValueError, match=words):
            f(*wrong)
    del robot  # the function keeps what it needs
    assert np.allclose(f(q, v, a), out)


def test_generated_functions_of_inertias(cache):
    robot = ulna.Robot("double_pendulum").without_friction()
    f = robot.codegen("inverse_dynamics", symbolic_inertias=True, flags=["-O1"])
    q, v, a = motion(robot, 1)
    heavier = 2.0 * robot.parameters
    wanted = robot.with_parameters(heavier).inverse_dynamics(q, v, a)
    assert np.allclose(f(q, v, a, heavier), wanted)
    with pytest.raises(ValueError, match="pi has 3 numbers"):
        f(q, v, a, [1.0, 2.0, 3.0])
    header, source = robot.c_code("mass_matrix", lanes=4)
    assert "double_pendulum_M" in header and "_states" in source
    with pytest.raises(ValueError, match="'nothing' is unknown; there are inverse_dynamics"):
        robot.codegen("nothing")
    with pytest.raises(RuntimeError, match="no_such_compiler"):
        robot.codegen("mass_matrix", compiler="no_such_compiler")


def test_generated_functions_of_drives(cache):
    robot = ulna.Robot("onelink_elastic")
    f = robot.codegen("drive_inverse_dynamics", flags=["-O1"])
    x = np.random.default_rng(1).normal(size=(5, 1))
    got, wanted = f(*x), robot.drive_inverse_dynamics(*x)
    assert type(got) is ulna.DriveTorques and all(np.allclose(a, b) for a, b in zip(got, wanted))


def test_a_simplified_model_keeps_its_tolerance():
    robot = ulna.Robot("puma560")
    t = np.linspace(0, 3, 31)[:, None]
    w, size = 1.0 + 0.2 * np.arange(6), 0.3 + 0.1 * np.arange(6)
    q, v, a = size * np.sin(w * t), size * w * np.cos(w * t), -size * w**2 * np.sin(w * t)
    model = robot.simplify(q, v, a, tolerance=0.02)
    assert 0 < len(model.kept) < len(model.terms) and np.all(model.error(q, v, a) <= 0.02 + 1e-12)
    assert model.operations["reduced"].multiplications < model.operations["full"].multiplications
    assert [t.share for t in model.terms] == sorted((t.share for t in model.terms), reverse=True)
    book = robot.formulations()["dalembert"]
    tau = np.array([book.inverse_dynamics(*x) for x in zip(q, v, a)])
    left = np.array([model.inverse_dynamics(*x) for x in zip(q, v, a)]) - tau
    assert np.allclose(np.abs(left).max(axis=0) / np.abs(tau).max(axis=0), model.error(q, v, a))
    whole = robot.simplify(q, v, a, tolerance=0.0)
    assert np.allclose(whole.inverse_dynamics(q[3], v[3], a[3]), tau[3])
    assert "terms" in repr(model) and model._repr_html_().count("<tr>") == len(model.terms) + 1
    for wrong, words in (((q[:, :3], v, a, 0.1), "q has shape"), ((q, v, a, 1.0), "tolerance"), ((q, v * np.nan, a, 0.1), "v is not finite")):
        with pytest.raises(ValueError, match=words):
            robot.simplify(*wrong[:3], tolerance=wrong[3])


def test_operations_grow_as_they_are_counted_for_each_chain():
    rows = {(r.name, r.book): r for r in ulna.operation_growth([2, 3, 5])}
    counted = ulna.Robot("chain:3").formulations()
    for f in counted:
        assert rows[f.name, False].multiplications[1] == f.operations["inverse_dynamics"].multiplications
    newton = rows["newton-euler-link", True]
    assert newton.book and newton.multiplications[2] > newton.multiplications[0] > 0
    assert rows["ulna.inverse_dynamics", False].multiplications[2] < rows["lagrange-euler", True].multiplications[2]
    with pytest.raises(ValueError, match="joints"):
        ulna.operation_growth([0])
