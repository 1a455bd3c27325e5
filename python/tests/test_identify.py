"""From measurements to parameters: logs, estimates, exciting motions, the online estimator."""

import numpy as np
import pytest

import ulna


@pytest.fixture(scope="module")
def true_robot():
    return ulna.Robot("puma560")


def chirp(robot, seconds=8.0, rate=200.0):
    """A motion that excites all joints, and its torques."""
    t = np.arange(0, seconds, 1 / rate)
    n = robot.nv
    w = 2 * np.pi * (0.3 + 0.09 * np.arange(n))
    both = np.array([[0.6, 0.25]]).T
    q = sum(A * np.sin(k * np.outer(t, w) + k) for k, A in zip((1, 2.3), both[:, 0]))
    v = sum(A * k * w * np.cos(k * np.outer(t, w) + k) for k, A in zip((1, 2.3), both[:, 0]))
    a = sum(-A * (k * w) ** 2 * np.sin(k * np.outer(t, w) + k) for k, A in zip((1, 2.3), both[:, 0]))
    return t, q, v, a, robot.inverse_dynamics(q, v, a)


@pytest.fixture(scope="module")
def log(true_robot):
    t, q, v, a, tau = chirp(true_robot)
    noise = np.random.default_rng(1).normal(size=tau.shape) * 0.002 * np.abs(tau).max(axis=0)
    return ulna.Log(t=t, q=q, v=v, tau=tau + noise, name="chirp")


@pytest.fixture(scope="module")
def described(true_robot):
    """What its maker says: every inertial parameter is 15 % off."""
    return true_robot.with_parameters(true_robot.parameters * 1.15)


#: what resists in the joints of the PUMA: friction by direction, and rotors
FRICTION = {"friction": "viscous,asymmetric", "armature": True}


@pytest.fixture(scope="module")
def result(described, log):
    return described.identify(log, split=0.6, **FRICTION)


def test_the_identified_robot_explains_torques(result, true_robot, described):
    t, q, v, a, tau = chirp(true_robot, 2.0)
    error = lambda robot: np.linalg.norm(robot.inverse_dynamics(q, v, a) - tau) / np.linalg.norm(tau)
    assert error(result.robot) < 0.02 < 0.05 < error(described)
    assert result.validation.total_percent < 2.0 and result.fit.total_percent < 2.0
    assert result.consistent and result.indefinite_percent == 0.0 and result.trusted
    assert result.rank == len(result.base) == len(result.base_names) and result.condition > 1.0
    again = ulna.Robot.from_string(result.to_urdf())
    assert error(again) == pytest.approx(error(result.robot))


def test_base_parameters_are_the_true_ones_within_their_deviations(result, true_robot):
    """By the map of names: of the identified z, and of the true z in the same base."""
    truth = dict(zip(result.names, true_robot.parameters))
    truth.update({f"{joint}.armature": x for joint, x in zip(result.joints, true_robot.armature)})
    identified = dict(zip(result.names, result.z))

    def value(name, numbers):
        total = 0.0
        for term in name.replace("- ", "+ -").split(" + "):
            words = term.split()
            factor = float(words[0]) if len(words) == 2 else -1.0 if words[0].startswith("-") else 1.0
            total += factor * numbers[words[-1].lstrip("-")]
        return total

    inertial = [i for i, name in enumerate(result.base_names) if not name.endswith(("viscous", "positive", "negative"))]
    for i in inertial:  # names have four digits
        assert value(result.base_names[i], identified) == pytest.approx(result.base[i], rel=1e-3, abs=1e-2)
    off = [abs(value(result.base_names[i], truth) - result.base[i]) / result.base_deviation[i] for i in inertial]
    assert len(inertial) > 30 and np.median(off) < 4.0


def test_logs_are_arrays_frames_dicts_and_files(described, log, result, tmp_path):
    log.to_csv(tmp_path / "run.csv")
    file = ulna.Log(tmp_path / "run.csv")
    assert len(file) == len(log) and np.array_equal(file.columns["tau3"], log.columns["tau3"])
    again = described.identify(tmp_path / "run.csv", split=0.6, **FRICTION)
    assert np.array_equal(again.z, result.z)
    columns = {("t" if k == "t" else k): x for k, x in log.columns.items()}
    assert np.array_equal(described.identify(columns, split=0.6, **FRICTION).z, result.z)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(columns)
    assert np.array_equal(described.identify(frame, split=0.6, **FRICTION).z, result.z)
    two = described.identify([log, frame.iloc[:800]], validation=frame.iloc[800:], **FRICTION)
    assert len(two.logs) == 3 and any("also" in d.seen or d.rule == "log-repeated" for d in two.diagnostics)


def test_simulated_sensors_make_a_log():
    robot = ulna.Robot("double_pendulum")
    wanted = lambda t: np.array([np.sin(3 * t) + 0.5 * np.sin(7.1 * t), np.sin(5 * t + 1)])
    drive = lambda t, q, v: robot.gravity_torque(q) + 5 * (wanted(t) - q) - 0.2 * v
    measured = robot.simulate(10.0, drive, sensors={"position": {"noise": 1e-5}, "torque": {"noise": 1e-3}})
    found = robot.identify(measured.columns(measured=True), friction="viscous", filter_hz=20.0)
    assert found.fit.total_percent < 1.0 and found.joints == robot.joint_names


def test_remarks_name_options_as_python_has_them(described, log):
    remarks = described.identify(log).remarks
    assert any("validation" in r or "split" in r for r in remarks) and not any("::" in r for r in remarks)


def test_parameters_as_tables(result):
    p = result["link3.m"] if "link3.m" in result.names else result.parameters[20]
    assert p.value == result.z[result.names.index(p.name)] and p.state in ("estimated", "prior", "known") and p.unit
    assert "puma560" in repr(result) and "%" in repr(result) and p.name in str(result)
    assert result._repr_html_().count("<tr>") > 30 and "Parameter(" in repr(p) and "Fit(" in repr(result.fit)
    assert len(result.traces) >= 1 and result.traces[0].measured.shape == result.traces[0].predicted.shape
    with pytest.raises(ValueError, match="there is no parameter 'link99.m'"):
        result["link99.m"]
    with pytest.raises(ValueError, match="there is no trace 99"):
        result.plot(99)


def test_payload_is_found(true_robot):
    frame = true_robot.body_names[-1]
    carrying = true_robot.with_payload(frame, 2.0, com=[0, 0, 0.1], inertia=0.01 * np.eye(3))
    t, q, v, _, tau = chirp(carrying)
    found = true_robot.identify(ulna.Log(t=t, q=q, v=v, tau=tau), payload=frame, **FRICTION)
    unknown = [p for p in found.parameters if p.state != "known" and p.name.endswith(".m")]
    assert len(unknown) == 1 and found.robot.mass - true_robot.mass == pytest.approx(2.0, abs=0.001)


def test_screening_finds_what_is_wrong(true_robot, log):
    assert log.screen(true_robot)
    wrong = dict(log.columns)
    wrong["qd2"] = -wrong["qd2"]
    report = ulna.Log(wrong, name="wrong").screen(true_robot)
    assert not report and "log-sign" in [d.rule for d in report]
    assert next(d for d in report if d.rule == "log-sign").file == "wrong"
    with pytest.raises(ulna.ModelError, match="minus the rate of its position") as caught:
        true_robot.identify(wrong)
    assert caught.value.diagnostics
    late = {k: np.delete(x, np.s_[400:500]) for k, x in log.columns.items()}
    assert "log-gap" in [d.rule for d in ulna.Log(late).screen(true_robot)]


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda r, log: ulna.Log(), "a log needs measurements"),
        (lambda r, log: ulna.Log("run.csv", q=[[1.0]]), "not both"),
        (lambda r, log: ulna.Log(t=[0, 1], q=np.zeros((3, 6))), r"column 'q1' has shape \(3,\), column 't' \(2,\)"),
        (lambda r, log: ulna.Log(q=np.zeros((2, 2, 2))), "q has 3 dimensions"),
        (lambda r, log: r.identify(log, method="guess"), "option 'method': 'guess' is unknown; there are ols, wls"),
        (lambda r, log: r.identify(log, friction="sticky"), "sticky"),
        (lambda r, log: r.identify(log, split=2.0), "split"),
        (lambda r, log: r.identify(log, payload="nobody"), "nobody"),
        (lambda r, log: r.identify("no_such_file.csv"), "no_such_file.csv"),
        (lambda r, log: r.identify(ulna.Log(t=np.arange(9.0), q=np.zeros((9, 6)))), "tau|torque"),
        (lambda r, log: r.identify(log, prior=ulna.Robot("panda")), "robot|joint"),
        (lambda r, log: r.excite(friction="stribeck"), "neither stribeck nor load"),
        (lambda r, log: r.excite(kind="square"), "'square' is unknown"),
        (lambda r, log: ulna.OnlineEstimator(r, friction="coulomb,stribeck"), "cannot be estimated online"),
        (lambda r, log: ulna.OnlineEstimator(r, patient=3), "did you mean 'patience'"),
    ],
)
def test_wrong_identification(true_robot, log, call, words):
    with pytest.raises(ValueError, match=words):
        call(true_robot, log)


def test_progress_and_errors_in_it(true_robot, log):
    steps = []
    true_robot.identify(log, progress=lambda step, count, name: steps.append((step, count, name)))
    assert len(steps) >= 3 and all(isinstance(name, str) and step <= count for step, count, name in steps)
    with pytest.raises(ZeroDivisionError):
        true_robot.identify(log, progress=lambda *x: 1 / 0)
    with pytest.raises(RuntimeError, match="stopped before there was an estimate"):
        true_robot.identify(log, progress=lambda *x: False)


def test_online_estimator_learns_what_changed(true_robot, described):
    rate = 500.0
    t, q, v, a, tau = chirp(true_robot, 8.0, rate)
    estimator = ulna.OnlineEstimator(described, rate_hz=rate, filter_hz=20.0, **FRICTION)
    outcomes = [estimator.learn(*x) for x in zip(q, v, tau)]
    assert outcomes.count("learned") > 0.9 * len(t) and estimator.samples == outcomes.count("learned")
    error = lambda robot: np.linalg.norm(robot.inverse_dynamics(q, v, a) - tau)
    assert error(estimator.robot) < 0.01 * error(described)
    assert np.allclose(estimator.predict(q[100], v[100], a[100]), tau[100], atol=0.05 * np.abs(tau).max())
    assert len(estimator.names) == len(estimator.z) == len(estimator.deviation) and "samples" in repr(estimator)
    assert np.allclose(estimator.measured, estimator.predicted, atol=0.05 * np.abs(tau).max())
    assert estimator.learn(q[0] * np.nan, v[0], tau[0]) == "ignored"
    before = estimator.deviation
    estimator.forget("link6", "joint1.viscous")
    wider = estimator.deviation > 1.5 * before
    assert wider[50:60].any() and wider[estimator.names.index("joint1.viscous")] and not wider[:10].any()
    with pytest.raises(ValueError, match="there is no unknown 'link9'"):
        estimator.forget("link9")


def test_online_identification_of_a_log(described, log):
    found = described.identify(log, online=True, **FRICTION)
    assert found.online["learned"] > 100 and found.online["always_consistent"]
    assert found.online["second_half"]["total_percent"] < found.online["prior_percent"]


def test_exciting_motions_keep_limits_and_excite():
    robot = ulna.Robot("double_pendulum")
    motion = robot.excite(5.0, starts=1, iterations=10, seconds=20.0, distance=None)
    q, v, a = motion(np.linspace(0, 5, 400))
    inside = np.isfinite(robot.upper_limit)
    assert np.all(q[:, inside] <= robot.upper_limit[inside]) and np.all(np.abs(v) <= robot.velocity_limit + 1e-9)
    h = 1e-6
    assert np.allclose((motion(2.0 + h)[0] - motion(2.0 - h)[0]) / (2 * h), motion(2.0)[1], atol=1e-6)
    assert np.allclose(motion(0.0)[1], 0, atol=1e-9) and np.allclose(motion(0.0)[2], 0, atol=1e-8)
    assert motion.rank == motion.base_parameters and motion.log_det >= motion.log_det_start
    log = motion.sample(200.0)
    assert len(log) == 1001 and log.screen(robot) and "ExcitingMotion('double_pendulum'" in repr(motion)
    assert robot.identify(log).fit.total_percent < 1.0
    stopped = robot.excite(5.0, starts=3, progress=lambda *x: False, distance=None)
    assert stopped.duration == 5.0
    with pytest.raises(ZeroDivisionError):
        robot.excite(5.0, starts=1, progress=lambda *x: 1 / 0)


def test_rotors_are_estimated_where_the_robot_has_some(described, log):
    names = lambda found: [n for n in found.names if n.endswith(".armature")]
    assert len(names(described.identify(log, friction="viscous,asymmetric"))) == 6
    without = described.identify(log, friction="viscous,asymmetric", armature=False)
    assert not names(without) and any("rotors" in text for text in without.remarks)
    arm = ulna.Robot("double_pendulum")
    assert not [n for n in arm.base_parameters().unknowns if n.endswith(".armature")]
    assert [n for n in arm.base_parameters(armature=True).unknowns if n.endswith(".armature")]


def test_base_parameters_are_what_torques_depend_on():
    robot = ulna.Robot("panda").without_friction()
    base = robot.base_parameters("none")
    assert len(base.names) == 43 and base.map.shape == (43, 70)  # as docs/identification.md says
    # moving along what the map does not see changes no torque
    unseen = np.linalg.svd(base.map)[2][43:]
    random = np.random.default_rng(1)
    q, v, a = robot.random_configuration(random), *random.normal(size=(2, 7))
    assert np.abs(robot.torque_regressor(q, v, a) @ unseen.T).max() < 1e-9
    assert sorted(base.independent + base.dependent + base.idle) == list(range(70))


def test_motions_that_show_springs_are_designed_and_followed():
    robot = ulna.Robot("twolink_elastic")
    motion = robot.excite(8.0, starts=1, iterations=5, seconds=10.0, distance=None, springs={"torque_sensors": True})
    log = motion.sample(500.0)
    columns = log.columns
    names = robot.velocity_names
    assert {f"theta_{n}" for n in names} < set(columns) and motion.springs["filter_hz"] > 1.0
    assert all(motion.springs["motor_use"] <= 1.0) and any("stiffness" in n for n in motion.springs["deviation"])
    # what motors do is what inverse dynamics of drives says
    k = 1000
    at = [columns[f"{p}{n}"][k] for p in ("q_", "qd_", "qdd_") for n in names]
    t = columns["t"][k]
    jerk, snap = (np.asarray(motion._core.at(np.array([t]), order))[0] for order in (3, 4))
    wanted = robot.drive_inverse_dynamics(at[:2], at[2:4], at[4:], jerk, snap)
    assert np.allclose(wanted.theta, [columns[f"theta_{n}"][k] for n in names], atol=1e-9)
    assert np.allclose(wanted.tau, [columns[f"tau_{n}"][k] for n in names], atol=1e-6)
    with pytest.raises(ValueError, match="has none"):
        ulna.Robot("double_pendulum").excite(5.0, springs={})
