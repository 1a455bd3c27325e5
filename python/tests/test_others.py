"""States, trajectories and robots handed to and from others: numpy's peers, plots, MuJoCo, ROS-like messages; and what a
process has to bear: threads, memory, copies."""

import ctypes
import ctypes.util
import gc
import pickle
import re
import resource
import threading
import time
import weakref
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from helpers import motion

import ulna


@pytest.fixture(scope="module")
def panda():
    return ulna.Robot("panda")


@pytest.fixture(scope="module")
def course(panda):
    q0 = np.array([0, -0.6, 0, -2.0, 0, 1.5, 0.8])
    return panda.simulate(0.5, lambda t, q, v: panda.gravity_torque(q0) - 2 * v, q=q0, record_every=10)


# --- others ---


def test_pandas_there_and_back(panda, course):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(course.columns())
    Q = frame[["q_" + name for name in panda.joint_names]].to_numpy()
    V, A = (frame[[prefix + name for name in panda.joint_names]] for prefix in ("qd_", "qdd_"))
    tau = panda.inverse_dynamics(Q, V, A)  # a frame of the right columns is an array
    assert np.allclose(tau, course.tau, atol=1e-7)
    by_name = {name: frame["q_" + name] for name in panda.joint_names}  # and so are columns by name
    assert np.array_equal(panda.mass_matrix(by_name), panda.mass_matrix(Q))
    assert len(ulna.Log(frame)) == len(frame)


def test_scipy_optimises_and_integrates(panda):
    optimize = pytest.importorskip("scipy.optimize")
    integrate = pytest.importorskip("scipy.integrate")
    q = panda.random_configuration(3)
    target = panda.pose(q, "panda_link8")[:3, 3]

    def miss(q):
        return panda.pose(q, "panda_link8")[:3, 3] - target

    found = optimize.least_squares(miss, 0.9 * q + 0.1 * panda.neutral(), jac=lambda q: panda.jacobian(q, "panda_link8")[3:])
    assert np.linalg.norm(found.fun) < 1e-6
    x0 = np.concatenate([panda.random_configuration(1), np.zeros(7)])
    free = panda.without_friction()
    scipy = integrate.solve_ivp(free.ode(), (0, 0.1), x0, rtol=1e-10, atol=1e-10).y[:7, -1]
    assert np.allclose(scipy, free.simulate(0.1, q=x0[:7], stops=False, torque_limits=False).q[-1], atol=1e-7)


def test_gradients_plug_into_automatic_differentiation(panda):
    """What a backward pass asks for, by differences of the forward one."""
    q, v, a = motion(panda, 1)
    w = np.random.default_rng(2).normal(size=7)
    g = panda.inverse_dynamics.vjp(q, v, a, w)
    h = 1e-6
    for name, k in (("dq", 0), ("dv", 1), ("dx", 2)):
        for i in range(7):
            x = [[q, v, a], [q, v, a]]
            x[0][k], x[1][k] = ((q, v, a)[k] + s * h * np.eye(7)[i] for s in (1, -1))
            slope = w @ (panda.inverse_dynamics(*x[0]) - panda.inverse_dynamics(*x[1])) / (2 * h)
            assert getattr(g, name)[i] == pytest.approx(slope, abs=1e-4)


def test_the_backward_pass_of_the_page_is_right_in_torch(panda):
    torch = pytest.importorskip("torch")
    page = (Path(__file__).resolve().parents[2] / "docs" / "python.md").read_text()
    block = next(b for b in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "torch.autograd.Function" in b)
    names = {"torch": torch, "robot": panda}
    exec(block, names)
    x = [torch.tensor(y, requires_grad=True) for y in motion(panda, 1)]
    assert torch.autograd.gradcheck(names["InverseDynamics"].apply, x, atol=1e-4)


class JointState:
    """As sensor_msgs/JointState: names in an order of their own, and lists."""

    def __init__(self, name, position, velocity, effort):
        self.name, self.position, self.velocity, self.effort = name, position, velocity, effort


def test_messages_as_ros_has_them(panda):
    q, v, a = motion(panda, 1)
    order = np.random.default_rng(1).permutation(7)
    message = JointState(*([x[i] for i in order] for x in (panda.joint_names, q.tolist(), v.tolist(), a.tolist())))
    position, velocity = (dict(zip(message.name, x)) for x in (message.position, message.velocity))
    tau = panda.inverse_dynamics(position, velocity, dict(zip(message.name, message.effort)))
    assert np.array_equal(tau, panda.inverse_dynamics(q, v, a))
    answer = JointState(panda.joint_names, q.tolist(), v.tolist(), tau.tolist())
    assert all(isinstance(x, float) for x in answer.effort)


def mujoco():
    """MuJoCo's C library, as far as needed here; Debian has no Python of it."""
    name = ctypes.util.find_library("mujoco")
    if name is None:
        pytest.skip("MuJoCo's library is not installed")
    return ctypes.CDLL(name)


def test_mujoco_reads_what_ulna_writes_and_agrees(tmp_path):
    """By its C library: the mass of a robot written as URDF, printed by MuJoCo."""
    library = mujoco()
    robot = ulna.Robot("ur5e").without_friction()
    file = tmp_path / "robot.urdf"
    tree = ElementTree.fromstring(robot.lump_fixed_joints().to_urdf())
    for link in tree.iter("link"):  # MuJoCo wants meshes, and masses are none of theirs
        for shape in link.findall("visual") + link.findall("collision"):
            link.remove(shape)
    file.write_bytes(ElementTree.tostring(tree))
    library.mj_loadXML.restype = ctypes.c_void_p
    error = ctypes.create_string_buffer(1000)
    model = library.mj_loadXML(str(file).encode(), None, error, 1000)
    assert model, error.value
    try:
        library.mj_getTotalmass.restype = ctypes.c_double
        total = library.mj_getTotalmass(ctypes.c_void_p(model))
        assert total == pytest.approx(robot.mass, rel=1e-6)
    finally:
        library.mj_deleteModel(ctypes.c_void_p(model))


def test_trials_on_mujoco_and_on_ulna_agree(panda):
    if not ulna._core.has_mujoco():
        pytest.skip("built without MuJoCo")
    q0 = np.array([0, -0.6, 0, -2.0, 0, 1.5, 0.8])
    wave = ulna.reach_and_wave(panda, q0, q0 + 0.2, 0.3, amplitude=0.05)
    a, b = (ulna.run_trial(panda, wave, 0.4, law="computed_torque", knowledge="perfect", plant=plant) for plant in ("ulna", "mujoco"))
    assert a.finished and b.finished and np.abs(a.q - b.q).max() < 5e-3


# --- figures ---


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


def lines_of(figure):
    return [line for ax in figure.axes for line in ax.lines]


def test_results_draw_themselves_in_one_line(panda, course, pyplot, tmp_path):
    figure = course.plot()
    assert len(figure.axes) == 4 and len(lines_of(figure)) == 3 * 7 + 1
    drawn = lines_of(figure)[3]
    assert np.array_equal(drawn.get_ydata(), course.q[:, 3]) and drawn.get_label() == panda.joint_names[3]
    assert len(lines_of(course.plot(["panda_joint2"]))) == 4
    figure.savefig(tmp_path / "course.png")
    assert (tmp_path / "course.png").stat().st_size > 10_000
    with pytest.raises(ValueError, match="there is no joint 'elbow'"):
        course.plot(["elbow"])


def test_every_kind_of_result_has_a_figure(panda, pyplot):
    arm = ulna.Robot("double_pendulum")
    wanted = lambda t: np.array([np.sin(3 * t) + 0.5 * np.sin(7.1 * t), np.sin(5 * t + 1)])
    run = arm.simulate(4.0, lambda t, q, v: arm.gravity_torque(q) + 5 * (wanted(t) - q) - 0.2 * v)
    found = arm.identify(ulna.Log(run.columns()), filter_hz=20.0)
    figure = found.plot()
    assert len(figure.axes) == 2 and np.allclose(lines_of(figure)[0].get_ydata(), found.traces[0].measured[:, 0])
    with pytest.raises(ValueError, match="has 'nothing' in its name"):
        found.plot_parameters("nothing")
    assert len(found.plot_parameters("I").axes) == 1 and len(ulna.Log(run.columns()).plot().axes) == 4
    problem = ulna.RobotProblem(arm, steps=5)
    problem.set_goal([0.3, 0.1])
    assert len(problem.solve([0, 0]).plot().axes) == 3
    own = ulna.OptimalControlProblem(3, 1, 1, lambda k, x, u: x + u, residual=lambda k, x, u: np.r_[x, u])
    assert len(own.solve([1.0]).plot().axes) == 2
    world = ulna.World()
    world.add_body("ball", ("sphere", 0.1), mass=1.0)
    assert len(world.run(0.01).plot().axes) == 3
    trial = ulna.run_trial(arm, lambda t: np.zeros(2), 0.1, law="gravity_pd")
    assert [line.get_label() for line in trial.plot().axes[2].lines] == ["identified", "true"]
    assert len(arm.excite(5.0, starts=1, iterations=2, seconds=5.0, distance=None).plot().axes) == 3


# --- threads, memory, copies ---


def test_two_threads_compute_at_once(panda):
    """The GIL is away while C++ computes: the other thread runs meanwhile. Counted, not timed."""
    q, v, a = motion(panda, 1, 50_000)
    robots = [ulna.Robot("panda", threads=1) for _ in range(2)]
    progress = [0, 0]
    seen = [set(), set()]

    def work(k):
        for _ in range(40):
            robots[k].inverse_dynamics_derivatives(q[:2000], v[:2000], a[:2000])
            progress[k] += 1
            seen[k].add(progress[1 - k])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # had one held the GIL in its calls, switches would come after them only; each sees the other in between
    assert progress == [40, 40] and all(len(s) > 3 for s in seen)


@pytest.mark.parametrize("what", ["simulate", "identify", "plan", "trial", "world"])
def test_python_goes_on_while_cpp_computes(panda, what):
    arm = ulna.Robot("double_pendulum")
    q0 = np.array([0, -0.6, 0, -2.0, 0, 1.5, 0.8])
    if what == "identify":
        t = np.arange(0, 20, 0.002)
        q = np.stack([np.sin(3 * t) + 0.5 * np.sin(7.1 * t), np.sin(5 * t + 1)], axis=1)
        v, a = np.gradient(q, t, axis=0), np.gradient(np.gradient(q, t, axis=0), t, axis=0)
        log = ulna.Log(t=t, q=q, v=v, tau=arm.inverse_dynamics(q, v, a))
    problem = ulna.RobotProblem(panda.without_friction(), steps=600, duration=0.02)
    problem.set_goal(q0 + 0.4)
    world = ulna.World({"ground": True, "robots": [{"robot": "quadruped", "torque": "pd", "q": {"floating_base_z": 0.62}}]})
    wave = ulna.reach_and_wave(panda, q0, q0 + 0.2, 0.3, amplitude=0.05)
    work = {
        "simulate": lambda: panda.without_friction().simulate(5.0, panda.gravity_torque(q0), q=q0, record_every=100),
        "identify": lambda: arm.identify(log, folds=4),
        "plan": lambda: problem.solve(q0),
        "trial": lambda: ulna.run_trial(panda, wave, 0.4),
        "world": lambda: world.step(3000),
    }[what]
    def ticks_meanwhile():
        ticks, done = 0, threading.Event()

        def run():
            try:
                work()
            finally:
                done.set()

        thread = threading.Thread(target=run)
        thread.start()
        while not done.is_set():
            ticks += 1
            time.sleep(1e-4)
        thread.join()
        return ticks

    # with the GIL held there is no more than one, ever; on a busy machine a try may see few
    assert any(ticks_meanwhile() > 5 for _ in range(10))


def grown(calls, once, more):
    """kB that a process has more after many calls than after some."""
    for _ in range(once):
        calls()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(more):
        calls()
    gc.collect()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before


def test_controllers_and_simulations_leak_nothing():
    robot = ulna.Robot("double_pendulum")
    sim = ulna.Simulation(robot, sensors={"seed": 1})
    tau = np.array([0.1, 0.0])

    def steps():
        for _ in range(100):
            sim.step(tau, 1e-3)
            sim.read()
        sim.run(0.05, lambda t, q, v: -v, changes=[{"at": 0, "gravity": [0, 0, -9.0]}])
        try:
            sim.run(0.05, lambda t, q, v: 1 / 0)
        except ZeroDivisionError:
            pass
        sim.set_state([0.1, 0.2])

    assert grown(steps, 20, 300) < 2048

    controller = ulna.IdentifyingController(robot, problem={"steps": 5})
    controller.follow(lambda t: np.array([0.1 * np.sin(t), 0.0]))
    clock = [0.0]

    def act():
        for _ in range(20):
            clock[0] += 1e-3
            controller.update(clock[0], [0.0, 0.0], [0.0, 0.0], controller.act(clock[0], [0.0, 0.0], [0.0, 0.0]))

    assert grown(act, 20, 100) < 2048


def test_generated_functions_and_problems_leak_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("ULNA_CACHE", str(tmp_path))
    robot = ulna.Robot("double_pendulum")
    x = motion(robot, 1)
    f = robot.codegen("inverse_dynamics", flags=["-O1"])
    fourbar = ulna.Robot("fourbar")

    def calls():
        for _ in range(1000):
            f(*x)
        loops = ulna.Loops(fourbar)
        loops.forward_dynamics(loops.closed_at, [0, 0, 0], [0, 0, 0])
        problem = ulna.RobotProblem(robot, steps=3)
        problem.set_goal([0.1, 0.1])
        problem.solve([0, 0])
        robot.formulations()

    assert grown(calls, 10, 200) < 4096


MADE = {
    "Robot": lambda robot: robot.with_gravity([0, 0, -1.0]),
    "Simulation": lambda robot: ulna.Simulation(robot),
    "World": lambda robot: ulna.World(),
    "RobotProblem": lambda robot: ulna.RobotProblem(robot, steps=3),
    "OptimalControlProblem": lambda robot: ulna.OptimalControlProblem(2, 1, 1, lambda k, x, u: x + u, residual=lambda k, x, u: x),
    "QuadraticProgram": lambda robot: ulna.QuadraticProgram([dict(Q=[[1.0]])]),
    "OnlineEstimator": lambda robot: ulna.OnlineEstimator(robot),
    "IdentifyingController": lambda robot: ulna.IdentifyingController(robot, problem={"steps": 3}),
    "Supervisor": lambda robot: ulna.Supervisor(robot),
    "MomentumObserver": lambda robot: ulna.MomentumObserver(robot),
    "Capsules": lambda robot: ulna.Capsules(robot),
    "Shape": lambda robot: ulna.Shape("sphere", 1.0),
}


@pytest.mark.parametrize("name", MADE)
def test_what_nobody_holds_is_freed(name):
    """No circles through C++, which the garbage collector does not see."""
    robot = ulna.Robot("double_pendulum")
    made = MADE[name](robot)
    if name == "OptimalControlProblem":
        made.solve([1.0])
    if name == "IdentifyingController":
        made.follow(lambda t: np.zeros(2))
        made.act(0.0, [0, 0], [0, 0])
    if name == "Robot":
        made.inverse_dynamics([0, 0], [0, 0], [0, 0])
    seen = weakref.ref(made)
    del made
    gc.collect()
    assert seen() is None


def test_results_are_pickled(panda, course):
    assert pickle.loads(pickle.dumps(course.work)) == course.work
    assert np.array_equal(pickle.loads(pickle.dumps(course)).tau, course.tau)
    arm = ulna.Robot("double_pendulum")
    found = arm.identify(ulna.Log(arm.simulate(3.0, lambda t, q, v: np.sin([3 * t, 5 * t]) - 0.3 * v).columns()), filter_hz=50.0)
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.z, found.z) and again.robot.joint_names == arm.joint_names
    problem = ulna.RobotProblem(arm, steps=3)
    problem.set_goal([0.1, 0.1])
    assert np.array_equal(pickle.loads(pickle.dumps(problem.solve([0, 0]))).q, problem.solve([0, 0]).q)
    motion_ = arm.excite(5.0, starts=1, iterations=1, seconds=5.0, distance=None)
    assert np.array_equal(pickle.loads(pickle.dumps(motion_))(1.0)[0], motion_(1.0)[0])


def test_tables_in_notebooks(panda, course):
    for thing in (panda, course, ulna.check("panda"), panda.formulations(), panda.compare_formulations(2)):
        html = thing._repr_html_()
        assert html.count("<table>") == 1 and html.count("<tr>") == html.count("</tr>") > 0
    assert "&lt;" in ulna._record.table_html(["<b>"], [["<i>"]])
