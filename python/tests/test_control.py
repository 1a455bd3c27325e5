"""Optimal control, predictive control, the supervisor."""

import numpy as np
import pytest

import ulna


@pytest.fixture(scope="module")
def panda():
    return ulna.Robot("panda")


Q0 = np.array([0, -0.6, 0, -2.0, 0, 1.5, 0.8])


# --- robots ---


@pytest.mark.parametrize("transcription", ["forward_dynamics", "inverse_dynamics"])
def test_a_plan_reaches_its_goal_within_limits(panda, transcription):
    problem = ulna.RobotProblem(panda.without_friction(), steps=20, duration=0.05, transcription=transcription)
    goal = Q0 + 0.3
    problem.set_goal(goal)
    plan = problem.solve(Q0)
    assert plan.solved and plan.q.shape == (21, 7) and plan.tau.shape == (20, 7) and plan.duration == pytest.approx(1.0)
    assert np.abs(plan.q[-1] - goal).max() < 0.02 and np.allclose(plan.q[0], Q0)
    assert np.all(np.abs(plan.tau) <= panda.effort_limit + 1e-6) and np.all(np.abs(plan.v) <= panda.velocity_limit + 1e-6)
    q, v = plan([0.0, 0.025])
    assert np.allclose(q[0], Q0) and np.allclose(q[1], 0.5 * (plan.q[0] + plan.q[1])) and v.shape == (2, 7)
    warm = problem.solve(Q0, warm=True)
    assert warm.iterations <= plan.iterations and warm.cost == pytest.approx(plan.cost, rel=1e-6)


def test_torques_of_a_plan_lead_along_it(panda):
    robot = panda.without_friction()
    problem = ulna.RobotProblem(robot, steps=20, duration=0.02)
    problem.set_goal(Q0 + 0.1)
    plan = problem.solve(Q0)
    sim = ulna.Simulation(robot, substep=0.02)
    sim.set_state(Q0)
    for k in range(20):
        sim.step(plan.tau[k], 0.02)
        assert np.allclose(sim.q, plan.q[k + 1], atol=1e-5)


def test_free_final_time_and_given_end():
    robot = ulna.Robot("double_pendulum").without_friction()
    problem = ulna.RobotProblem(
        robot, steps=30, duration=0.05, final_time=(0.2, 3.0), final_given=[True] * 4, weights={"time": 1.0, "torque": [1.0, 1.0]}
    )
    problem.set_goal([0.8, -0.4])
    plan = problem.solve([0, 0])
    assert plan.solved and 0.2 <= plan.duration < 1.5
    assert np.allclose(plan.q[-1], [0.8, -0.4], atol=1e-5) and np.allclose(plan.v[-1], 0, atol=1e-5)


def test_obstacles_and_frames(panda):
    X = panda.pose(Q0 + 0.2, "panda_link8")
    problem = ulna.RobotProblem(
        panda.without_friction(), steps=20, duration=0.05, transcription="inverse_dynamics",
        frames=[{"frame": "panda_link8", "position": 1e4, "orientation": 10.0}],
        collisions={"floor": -0.1, "obstacles": [{"from": [2.0, 0, 0.4], "to": [2.0, 0, 0.6], "radius": 0.05}]},
    )  # fmt: skip
    problem.set_goal(Q0)
    problem.set_weights(position=[1.0] * 7)
    problem.set_target("panda_link8", X)
    plan = problem.solve(Q0)
    assert np.linalg.norm(panda.pose(plan.q[-1], "panda_link8")[:3, 3] - X[:3, 3]) < 0.02
    assert any("obstacle 0" in pair for pair in problem.pairs) and problem.weights["position"][0] == 1.0
    problem.set_obstacle(0, [0, 2.0, 0.4])
    with pytest.raises(ValueError, match="frame 'panda_link1' has no weights; there are panda_link8"):
        problem.set_target("panda_link1", X)


def test_ipopt_is_a_witness():
    if not ulna._core.has_ipopt():
        pytest.skip("built without Ipopt")
    robot = ulna.Robot("double_pendulum").without_friction()
    problem = ulna.RobotProblem(robot, steps=15, duration=0.05)
    problem.set_goal([0.5, -0.5])
    own, other = problem.solve([0, 0]), problem.solve([0, 0], ipopt=True)
    assert own.solved and other.solved and own.cost == pytest.approx(other.cost, rel=1e-5)


def test_loops_in_plans():
    robot = ulna.Robot("fourbar").without_friction()
    loops = ulna.Loops(robot)
    problem = ulna.RobotProblem(robot, steps=15, duration=0.04, loops=True)
    problem.set_goal(loops.move(loops.closed_at, {loops.independent[0]: loops.closed_at[0] + 0.4}))
    plan = problem.solve(loops.closed_at)
    assert plan.solved and max(np.abs(loops.gap(q)).max() for q in plan.q) < 1e-6


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda r: ulna.RobotProblem(r, steps=0), "step"),
        (lambda r: ulna.RobotProblem(r, stepz=3), "did you mean 'steps'"),
        (lambda r: ulna.RobotProblem(r, transcription="magic"), "there are forward_dynamics, inverse_dynamics"),
        (lambda r: ulna.RobotProblem(r, weights={"positon": 1}), "no option 'weights.positon'; did you mean 'position'"),
        (lambda r: ulna.RobotProblem(r).set_goal([1.0]), "q has 1 numbers"),
        (lambda r: ulna.RobotProblem(r).set_reference([[1.0]]), "q has shape"),
        (lambda r: ulna.RobotProblem(r).solve(Q0 * np.nan), "not finite"),
        (lambda r: ulna.RobotProblem(r, solver={"tolerance": "low"}), "option 'tolerance': a number is needed"),
    ],
)
def test_wrong_problems(panda, call, words):
    with pytest.raises(ValueError, match=words):
        call(panda)


# --- problems of one's own ---

STEPS = 40


def swing(k, x, u):
    rate = x[1] + 0.075 * (u[0] - 9.81 * np.sin(x[0]))
    return np.array([x[0] + 0.075 * rate, rate])


def upright(k, x, u):
    w = 10.0 if k == STEPS else 0.1
    return np.array([w * (x[0] - np.pi), 0.3 * w * x[1], 0.1 * u[0]])


def test_swing_up_of_a_pendulum_too_heavy_for_its_motor():
    problem = ulna.OptimalControlProblem(STEPS, 2, 1, swing, residual=upright, u_lower=-4.0, u_upper=4.0)
    found = problem.solve([0.0, 0.0])
    assert found.solved and found.x.shape == (41, 2) and found.u.shape == (40, 1)
    assert np.abs(found.u).max() <= 4.0 + 1e-6 and found.x[-1, 0] == pytest.approx(np.pi, abs=0.1)
    assert max(np.abs(swing(k, found.x[k], found.u[k]) - found.x[k + 1]).max() for k in range(STEPS)) < 1e-6
    # by slopes that are given, the same
    def slopes(k, x, u):
        dv = np.array([-0.075 * 9.81 * np.cos(x[0]), 1.0])
        return np.array([[1.0, 0.0] + 0.075 * dv, dv]), np.array([[0.075**2], [0.075]])

    given = ulna.OptimalControlProblem(STEPS, 2, 1, swing, residual=upright, u_lower=-4.0, u_upper=4.0, derivatives={"next": slopes})
    assert given.solve([0.0, 0.0]).cost == pytest.approx(found.cost, rel=1e-9)
    assert "40 steps" in repr(problem) and "Solution(status=solved" in repr(found)


def test_linear_quadratic_problems_have_riccatis_solution():
    A, B, N = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[0.0], [0.1]]), 20
    Q, R = np.diag([1.0, 0.1]), np.array([[0.01]])
    P = Q
    gains = []
    for _ in range(N):
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
        gains.insert(0, K)
    problem = ulna.OptimalControlProblem(N, 2, 1, lambda k, x, u: A @ x + B @ u, cost=lambda k, x, u: 0.5 * (x @ Q @ x + u @ R @ u))
    x0 = np.array([1.0, 0.5])
    found = problem.solve(x0)
    assert found.solved and found.cost == pytest.approx(0.5 * x0 @ P @ x0, rel=1e-6)
    assert np.allclose(found.u[0], -gains[0] @ x0, atol=1e-4)
    hard = ulna.OptimalControlProblem(
        N, 2, 1, lambda k, x, u: A @ x + B @ u, residual=lambda k, x, u: np.r_[x, 0.1 * u], constraint=lambda k, x, u: x[0] + x[1], g_upper=1.6
    )
    assert (hard.solve(x0).x.sum(axis=1) <= 1.6 + 1e-6).all()


def test_complex_step_is_exact():
    f = lambda x: np.array([np.sin(x[0]) * np.exp(x[1]), x[0] ** 3, 2.0])
    x = np.array([0.7, -0.3])
    exact = [[np.cos(x[0]) * np.exp(x[1]), np.sin(x[0]) * np.exp(x[1])], [3 * x[0] ** 2, 0], [0, 0]]
    assert np.allclose(ulna.complex_step(f, x), exact, rtol=1e-15, atol=1e-18)


def test_errors_of_own_problems():
    with pytest.raises(ValueError, match="nothing to minimise"):
        ulna.OptimalControlProblem(3, 1, 1, lambda k, x, u: x)
    with pytest.raises(ValueError, match="there is no function 'constraint'; there are next, cost"):
        ulna.OptimalControlProblem(3, 1, 1, lambda k, x, u: x, cost=lambda k, x, u: x[0], derivatives={"constraint": None})
    fine = ulna.OptimalControlProblem(3, 1, 1, lambda k, x, u: x + u, cost=lambda k, x, u: x[0] ** 2 + u[0] ** 2)
    with pytest.raises(ValueError, match=r"x0 has shape \(2,\)"):
        fine.solve([1.0, 2.0])
    with pytest.raises(ValueError, match="x, u have shapes"):
        fine.solve([1.0], u=np.zeros((2, 1)))
    wrong = ulna.OptimalControlProblem(3, 1, 1, lambda k, x, u: x + 1 / 0, cost=lambda k, x, u: x[0] ** 2)
    with pytest.raises(ZeroDivisionError):
        wrong.solve([1.0])


# --- the controller ---


def drive(robot, controller, seconds, reference=None, changes=(), start=Q0):
    """In a loop of Python against a simulation; returns it, and the last error."""
    sim = ulna.Simulation(robot)
    sim.set_state(start)
    sim.hold(robot.gravity_torque(start))
    due = list(changes)
    for k in range(round(seconds * 1000)):
        if due and sim.time >= due[0][0]:
            sim.change(**due.pop(0)[1])
        tau = controller.act(sim.time, sim.q, sim.v)
        measured = sim.tau
        sim.hold(tau)
        controller.update(sim.time, sim.q, sim.v, measured)
        sim.step(None, 1e-3)
    return sim


def test_a_loop_in_python_follows_and_learns_a_payload(panda):
    controller = ulna.IdentifyingController(panda)
    wave = ulna.reach_and_wave(panda, Q0, Q0 + 0.2, 0.5, amplitude=0.15, hz=0.6)
    controller.follow(lambda t: wave(t))
    load = {"frame": "panda_link8", "mass": 2.0, "com": [0, 0, 0.1]}
    sim = drive(panda, controller, 2.0, changes=[(0.5, {"payload": load})])
    assert np.abs(sim.q - wave(sim.time)[0]).max() < 0.02
    assert controller.payload.known and controller.payload.mass == pytest.approx(2.0, abs=0.3)
    held, carried = (r.gravity_torque(sim.q) for r in (panda, panda.with_payload(**load)))
    assert np.linalg.norm(controller.robot.gravity_torque(sim.q) - carried) < 0.5 * np.linalg.norm(held - carried)
    assert (controller.kind, controller.fault) == ("planned", "none") and set(controller.times_us) == {"act", "update", "identify"}
    assert len(controller.parameters) > 70 and "planned" in repr(controller) and controller.report["status"] in ("solved", "limited")


def test_go_to_ends_at_rest_at_the_goal(panda):
    controller = ulna.IdentifyingController(panda, problem={"steps": 10})
    with pytest.raises(ValueError, match="act|state"):
        controller.go_to(Q0)
    controller.act(0.0, Q0, np.zeros(7))
    arrival = controller.go_to(Q0 + 0.1)
    sim = drive(panda, controller, arrival + 0.3)
    assert 0.1 < arrival < 2.0 and np.abs(sim.q - Q0 - 0.1).max() < 2e-3 and np.abs(sim.v).max() < 0.02


def test_faults_do_not_raise_and_errors_of_references_do(panda):
    controller = ulna.IdentifyingController(panda, problem={"steps": 5})
    controller.follow(lambda t: Q0)
    drive(panda, controller, 0.02)
    tau = controller.act(0.021, Q0 * np.nan, np.zeros(7))
    assert controller.fault == "not_measured" and np.isfinite(tau).all() and (np.abs(tau) <= panda.effort_limit).all()
    controller.follow(lambda t: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        for k in range(5):
            controller.update(0.022, Q0, np.zeros(7), tau)
            controller.act(0.023 + k * 1e-3, Q0, np.zeros(7))
    controller.follow(lambda t: Q0[:3])
    with pytest.raises(ValueError, match="q has 3 numbers"):
        for k in range(5):
            controller.update(0.03, Q0, np.zeros(7), tau)
            controller.act(0.031 + k * 1e-3, Q0, np.zeros(7))
    for call, words in (
        (lambda: controller.act(0.1, Q0[:3], np.zeros(7)), "q has 3 numbers"),
        (lambda: controller.follow(3), "must be a function of time"),
        (lambda: controller.set_weights(postion=[1] * 7), "did you mean 'position'"),
        (lambda: controller.set_target("panda_link8", np.eye(4)), "has no weights"),
        (lambda: ulna.IdentifyingController(panda, rate=3), "did you mean 'rate_hz'|no option 'rate'"),
        (lambda: ulna.IdentifyingController(panda, payload_body="nobody"), "has no body 'nobody'"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_trials_of_controllers(panda):
    wave = ulna.reach_and_wave(panda, Q0, Q0 + 0.2, 0.5, amplitude=0.1, hz=0.5)
    shares = []
    with_mpc, without = (
        ulna.run_trial(
            panda, wave, 1.0, law=law, knowledge=knowledge, changes=[{"at": 0.3, "payload": {"frame": "panda_link8", "mass": 1.5}}],
            sensors={"position": {"noise": 1e-5}}, control={"problem": {"steps": 10}}, progress=shares.append,
        )  # fmt: skip
        for law, knowledge in (("mpc", "identified"), ("gravity_pd", "fixed"))
    )
    assert with_mpc.finished and without.finished and with_mpc.rms < 0.5 * without.rms
    assert with_mpc.q.shape == with_mpc.q_reference.shape == (len(with_mpc.t), 7) and shares
    assert with_mpc.payload.mass == pytest.approx(1.5, abs=0.5) and with_mpc.true_parameters.shape == (70,)
    assert sum(with_mpc.actions.values()) == with_mpc.steps and "rms=" in repr(with_mpc)
    stopped = ulna.run_trial(panda, lambda t: Q0, 1.0, law="gravity_pd", progress=lambda share: False)
    assert not stopped.finished
    with pytest.raises(ZeroDivisionError):
        ulna.run_trial(panda, lambda t: 1 / 0, 0.1, law="gravity_pd")
    with pytest.raises(ValueError, match="no option 'durations'|did you mean"):
        ulna.run_trial(panda, wave, 0.1, knowlege="fixed")


def test_the_supervisor_cuts_what_is_too_much(panda):
    supervisor = ulna.Supervisor(panda, reaction="stop")
    g = panda.gravity_torque(Q0)
    assert np.array_equal(supervisor.filter(0.0, Q0, np.zeros(7), g), g) and supervisor.state == "run"
    tau = supervisor.filter(0.001, Q0, np.zeros(7), g + 1e4)
    assert (np.abs(tau) <= panda.effort_limit).all() and supervisor.counts and supervisor.events[0].time == 0.001
    tau = supervisor.filter(0.002, Q0 * np.nan, np.zeros(7), g)
    assert np.isfinite(tau).all()
    for k in range(40):
        supervisor.filter(0.003 + 1e-3 * k, Q0 * np.nan, np.zeros(7), g)
    assert supervisor.state == "stop" and supervisor.cause != "none" and supervisor.state in supervisor.report
    supervisor.restart()
    supervisor.request_hold(True)
    assert supervisor.limits["torque"].shape == (7,) and "Supervisor('panda'" in repr(supervisor)
    for call, words in (
        (lambda: ulna.Supervisor(panda, reaction="run"), "'run' is unknown; there are report, stop, compliant, retreat"),
        (lambda: ulna.Supervisor(panda, limits={"spede": 1}), "did you mean 'speed'"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_elastic_joints_are_driven_and_come_to_rest():
    robot = ulna.Robot("twolink_elastic").without_friction()
    start, goal = np.zeros(2), np.array([0.4, -0.3])
    motion = ulna.smooth_reach_and_wave(robot, start, goal, 1.0)
    h = 1e-5
    for k in range(4):
        assert np.allclose((motion(0.4 + h)[k] - motion(0.4 - h)[k]) / (2 * h), motion(0.4)[k + 1], rtol=1e-4, atol=1e-5)
    for reference in (motion, lambda t: motion(t)):
        controller = ulna.ElasticController(robot)
        controller.follow(reference)
        sim = ulna.Simulation(robot)
        sim.set_state(start)
        for _ in range(1500):
            tau = controller.act(sim.time, sim.q, sim.v, sim.theta, sim.omega, sim.link_torque)
            sim.step(tau, 1e-3)
            controller.update(sim.time)
        assert np.abs(sim.q - goal).max() < 2e-3 and np.abs(sim.v).max() < 0.02 and controller.fault == "none"
    assert "twolink_elastic" in repr(controller) and set(controller.times_us) == {"act", "update", "identify"}
    controller.follow(lambda t: (start, start))
    with pytest.raises(ValueError, match="must return q, v, a, jerk, snap"):
        for _ in range(5):
            controller.act(2.0, start, start, start, start, start)
            controller.update(2.0)
    with pytest.raises(ValueError, match="there are plan, feedforward, ignore"):
        ulna.ElasticController(robot, drives="guess")
    with pytest.raises(ValueError, match="coupled"):
        ulna.ElasticController(ulna.Robot("puma560_coupled"))
    trial = ulna.run_trial(robot, motion, 0.5)
    assert trial.finished and trial.rms < 0.02


# --- quadratic programs ---


def double_integrator(**last):
    A, B = np.array([[1, 0.1], [0, 1]]), np.array([[0.005], [0.1]])
    stage = dict(A=A, B=B, Q=np.diag([1.0, 0.1]), R=[[0.01]])
    return [dict(stage) for _ in range(20)] + [dict(Q=10 * np.eye(2), **last)]


def test_a_program_without_bounds_is_the_regulator_of_riccati():
    stages = double_integrator()
    P = stages[-1]["Q"]
    for stage in reversed(stages[:-1]):
        A, B, Q, R = stage["A"], stage["B"], stage["Q"], np.asarray(stage["R"])
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
    x0 = np.array([1.0, -0.5])
    solution = ulna.QuadraticProgram(stages).solve(x0)
    assert solution.solved and np.allclose(solution.u[0], -K @ x0, atol=1e-6)
    x = x0
    for k in range(20):
        assert np.allclose(solution.x[k], x, atol=1e-9)
        x = stages[k]["A"] @ x + stages[k]["B"] @ solution.u[k]
    # how the cost grows with the first state is what multipliers say
    assert np.allclose(P @ x0, stages[0]["Q"] @ x0 + stages[0]["A"].T @ -solution.multipliers[0], atol=1e-5) or np.allclose(
        P @ x0, stages[0]["Q"] @ x0 + stages[0]["A"].T @ solution.multipliers[0], atol=1e-5
    )


def test_bounds_of_a_program_are_kept_at_the_least_cost():
    stages = double_integrator(x_lower=0.0, x_upper=0.0)
    for stage in stages[:-1]:
        stage.update(u_lower=-2.0, u_upper=2.0, C=[[1.0, 1.0]], g_upper=1.2)
    qp = ulna.QuadraticProgram(stages)
    x0 = np.array([1.0, 0.0])
    solution = qp.solve(x0)
    u, x = np.array(solution.u[:-1])[:, 0], np.array(solution.x)
    assert solution.solved and np.abs(u).max() == pytest.approx(2.0, abs=1e-5) and np.allclose(x[-1], 0, atol=1e-5)
    assert solution.row_multipliers[0][0] < 0  # the lower bound of the first input holds
    optimize = pytest.importorskip("scipy.optimize")

    def states(u):
        all_x = [x0]
        for k, uk in enumerate(u):
            all_x.append(stages[k]["A"] @ all_x[-1] + stages[k]["B"][:, 0] * uk)
        return np.array(all_x)

    def cost(u):
        y = states(u)
        return 0.5 * sum(z @ stages[k]["Q"] @ z for k, z in enumerate(y)) + 0.005 * u @ u

    rows = [{"type": "eq", "fun": lambda u: states(u)[-1]}, {"type": "ineq", "fun": lambda u: 1.2 - states(u)[1:-1].sum(axis=1)}]
    other = optimize.minimize(cost, np.zeros(20), bounds=[(-2, 2)] * 20, constraints=rows, options={"maxiter": 300, "ftol": 1e-12})
    assert cost(u) <= other.fun + 1e-5
    warm = qp.solve(x0, start="point")
    assert warm.solved and warm.iterations <= solution.iterations and np.allclose(warm.u[0], solution.u[0], atol=1e-4)
    qp.shift()
    assert qp.solve(x[1], start="point").u[0] == pytest.approx(u[1], abs=1e-4)


def test_what_a_program_cannot_keep_is_said_or_paid():
    far = [dict(A=[[1.0]], B=[[1.0]], R=[[1.0]], u_lower=-1.0, u_upper=1.0), dict(Q=[[1.0]], x_lower=5.0)]
    assert ulna.QuadraticProgram(far).solve(0.0).status == "infeasible"
    far[1]["price"] = 100.0
    paid = ulna.QuadraticProgram(far).solve(0.0)
    assert paid.solved and paid.x[1] == pytest.approx([1.0], abs=1e-5)
    stages = double_integrator()
    stages[0].update(u_lower=-1.0)
    for change, words in (
        ({"A": np.eye(3)}, "A has shape"),
        ({"qq": 1}, "stage 0: there is no 'qq'"),
        ({"u_lower": [1.0, 2.0]}, r"u_lower has shape \(2,\); \(1,\) is needed"),
        ({"R": np.eye(2)}, "R has shape|B has shape"),
    ):
        with pytest.raises(ValueError, match=words):
            ulna.QuadraticProgram([{**stages[0], **change}, *stages[1:]])
    with pytest.raises(ValueError, match="is the last and has no input"):
        ulna.QuadraticProgram(stages[:1])
    with pytest.raises(ValueError, match="x0 has 3 numbers"):
        ulna.QuadraticProgram(stages).solve([1.0, 2.0, 3.0])
    assert ulna.QuadraticProgram(stages).solve([np.nan, 0.0]).status == "failed"
