"""Every wrong argument raises, and says what is wrong."""

import numpy as np
import pytest

import ulna

ARM = """<robot name="arm">
<link name="base"/>
<link name="upper"><inertial><mass value="2.0kg"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<joint name="shoulder" type="revolut"><parent link="base"/><child link="upper"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def panda():
    return ulna.Robot("panda")


Z = np.zeros(7)
NAN = np.array([0, 0, 0, np.nan, 0, 0, 0])
MANY = np.zeros((5, 7))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda r: r.inverse_dynamics(Z[:6], Z, Z), "q has 6 numbers, robot 'panda' needs 7"),
        (lambda r: r.inverse_dynamics(list(Z[:6]), Z, Z), "q has 6 numbers, robot 'panda' needs 7"),
        (lambda r: r.inverse_dynamics(Z, Z, MANY[:, :6]), "a has 6 numbers, robot 'panda' needs 7"),
        (lambda r: r.forward_dynamics(Z, Z, Z[:3]), "tau has 3 numbers, robot 'panda' needs 7"),
        (lambda r: r.inverse_dynamics(Z, NAN, Z), "v is not finite at 4 of 7, 'panda_joint4'"),
        (lambda r: r.forward_dynamics(Z, Z, NAN), "tau is not finite at 4 of 7, 'panda_joint4'"),
        (lambda r: r.mass_matrix(MANY + np.inf), r"q is not finite at 1 of 7, 'panda_joint1' \(q\[0, 0\]\)"),
        (lambda r: r.coriolis_matrix(MANY, MANY + NAN), r"v is not finite at 4 of 7, 'panda_joint4' \(v\[0, 3\]\)"),
        (lambda r: r.integrate(NAN, Z), "q is not finite at 4 of 7"),
        (lambda r: r.inverse_dynamics.vjp(Z, Z, Z, NAN), "w is not finite at 4"),
        (lambda r: r.inverse_dynamics(MANY, MANY[:3], MANY), "v has 3 states, q has 5"),
        (lambda r: r.mass_matrix(np.zeros((2, 2, 7))), "q has 3 dimensions"),
        (lambda r: r.mass_matrix(Z + 0j), "q holds complex128; real numbers are needed"),
        (lambda r: r.mass_matrix(["a"] * 7), "q holds <U1; real numbers are needed"),
        (lambda r: r.mass_matrix(None), "q holds object; real numbers are needed"),
        (lambda r: r.mass_matrix({"panda_jont1": 1}), "no joint 'panda_jont1'; did you mean 'panda_joint1'"),
        (lambda r: r.mass_matrix({"panda_joint1": [1, 2], "panda_joint2": [1, 2, 3]}), "panda_joint2"),
        (lambda r: r.jacobian(Z, "panda_lnk8"), "no link or frame 'panda_lnk8'; did you mean 'panda_link8'"),
        (lambda r: r.jacobian(Z, 8), "frame: text is needed"),
        (lambda r: r.jacobian(Z, "panda_link8", "body"), "axes 'body' are unknown; there are aligned, local, world"),
        (lambda r: r.inverse_dynamics(Z, Z, Z, {"panda_link8": [1, 2]}), "six numbers are needed"),
        (lambda r: r.inverse_dynamics(Z, Z, Z, {"panda_link8": [np.nan] * 6}), "not finite"),
        (lambda r: r.inverse_dynamics(Z, Z, Z, [1, 2]), "wrenches: a dict is needed"),
        (lambda r: r.mass_matrix(Z, out=np.zeros(3)), r"out has shape \(3,\), the result has \(7, 7\)"),
        (lambda r: r.gravity_torque(Z, out=np.zeros(7, int)), "out holds int64, the result float64"),
        (lambda r: r.gravity_torque(Z, out=[0.0] * 7), "out: a numpy array is needed"),
        (lambda r: r.inverse_dynamics_derivatives(Z, Z, Z, out=np.zeros(7)), "out: a tuple of 4 arrays is needed"),
        (lambda r: r.with_parameters([1.0]), "inertial parameters: 1 numbers given"),
        (lambda r: r.with_payload("panda_link0", 1.0), "fixed to the base"),
        (lambda r: r.with_payload("panda_link8", -1.0), "mass not negative"),
        (lambda r: r.ik("panda_link8", np.eye(3)), r"target has shape \(3, 3\)"),
        (lambda r: r.ik("panda_link8", 2 * np.eye(4)), "not a rotation"),
        (lambda r: r.ik("panda_link8", np.eye(4) * np.nan), "not finite"),
        (lambda r: r.function("inverse"), "there is no function 'inverse'"),
        (lambda r: r.function("nq"), "there is no function 'nq'"),
        (lambda r: setattr(r, "threads", -1), "must not be negative"),
    ],
)
def test_wrong_values(panda, call, words):
    with pytest.raises(ValueError, match=words):
        call(panda)


def test_read_only_out(panda):
    out = np.zeros(7)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out is read-only"):
        panda.gravity_torque(Z, out=out)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda r: r.inverse_dynamics(Z, Z), "'a' is missing"),
        (lambda r: r.inverse_dynamics(Z, Z, Z, None, "local", 1), "6 arguments are given"),
        (lambda r: r.inverse_dynamics(Z, Z, b=Z), "no argument 'b'"),
        (lambda r: r.inverse_dynamics(Z, Z, Z, q=Z), "'q' is given twice"),
        (lambda r: r.jacobian(Z), "'frame' is missing"),
    ],
)
def test_wrong_calls(panda, call, words):
    with pytest.raises(TypeError, match=words):
        call(panda)


def test_an_error_leaves_the_robot_as_it_was(panda):
    before = panda.inverse_dynamics(Z, Z, Z)
    with pytest.raises(ValueError):
        panda.inverse_dynamics(NAN, Z, Z)
    with pytest.raises(ValueError):
        panda.inverse_dynamics(MANY * np.nan, MANY, MANY)
    assert np.array_equal(panda.inverse_dynamics(Z, Z, Z), before)
    assert np.array_equal(panda.inverse_dynamics(MANY, MANY, MANY)[3], before)


def test_robots_without_mass_do_not_accelerate():
    robot = ulna.Robot("panda").with_parameters(np.zeros(70))
    for x in (Z, MANY):
        with pytest.raises(ValueError, match="the mass matrix is not positive definite"):
            robot.forward_dynamics(x, x, x)


def test_descriptions_are_refused_with_diagnostics():
    with pytest.raises(ulna.ModelError, match="did you mean 'revolute'") as caught:
        ulna.Robot.from_string(ARM, file="arm.urdf")
    assert isinstance(caught.value, ValueError)
    rules = {d.rule: d for d in caught.value.diagnostics}
    wrong = rules["joint-type-unknown"]
    assert (wrong.severity, wrong.file, wrong.line) == ("error", "arm.urdf", 5)
    assert "revolute" in wrong.remedy and "shoulder" in wrong.subject and "revolut" in wrong.message
    assert rules["number-invalid"].line == 3
    with pytest.raises(ulna.ModelError, match="no such file; did you mean 'panda'"):
        ulna.Robot("pand")


def test_check_returns_everything():
    report = ulna.check(ARM)
    assert not report and len(report) == len(list(report)) >= 2
    assert "refused" in str(report) and "joint-type-unknown" in report._repr_html_()
    assert ulna.check("panda")
    assert not ulna.check("no_such_robot.urdf")


def test_strict_refuses_what_is_repaired(tmp_path):
    text = ARM.replace("2.0kg", "2.0").replace("revolut", "continuous")
    text = text.replace("</joint>", '<axis xyz="0 0 2"/></joint>')
    file = tmp_path / "arm.urdf"
    file.write_text(text)
    robot = ulna.Robot(file)
    assert [d.rule for d in robot.diagnostics if d.severity == "warning"] == ["axis-not-unit"]
    assert robot.diagnostics[0].file == str(file)
    with pytest.raises(ulna.ModelError):
        ulna.Robot(file, strict=True)
    assert not ulna.check(file, strict=True) and ulna.check(file)
