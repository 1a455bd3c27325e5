"""Motion in time: a robot alone, and robots and bodies that touch."""

import pickle

import numpy as np
import pytest

import ulna


@pytest.fixture(scope="module")
def panda():
    return ulna.Robot("panda")


@pytest.fixture(scope="module")
def q0(panda):
    return np.array([0, -0.6, 0, -2.0, 0, 1.5, 0.8])


def test_energy_grows_by_what_comes_in(panda, q0):
    result = panda.simulate(1.0, lambda t, q, v: panda.gravity_torque(q) + np.sin(3 * t) - v, q=q0)
    assert result.t.shape == (1001,) and result.q.shape == (1001, 7)
    assert result.energy_error < 1e-5
    assert np.allclose(result.energy[500], panda.kinetic_energy(result.q[500], result.v[500]) + panda.potential_energy(result.q[500]))
    a = panda.forward_dynamics(result.q[7], result.v[7], result.tau[7])
    assert np.allclose(result.a[7], a, atol=1e-8)
    assert result.work.torques != 0.0 and result.counts["steps"] == 1000


def test_constant_torques_and_functions_are_the_same_bits(panda, q0):
    tau = panda.gravity_torque(q0) + 0.1
    constant, called, named = (
        panda.simulate(0.1, x, q=q0).q for x in (tau, lambda t, q, v: tau, dict(zip(panda.joint_names, tau)))
    )
    assert np.array_equal(constant, called) and np.array_equal(constant, named)
    thinned = panda.simulate(0.1, tau, q=q0, record_every=10)
    assert len(thinned.t) == 11 and np.array_equal(thinned.q[:-1], constant[:-1:10])


def test_friction_holds_and_stops_stop():
    urdf = """<robot name="bar"><link name="base"/><link name="bar"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
    <joint name="hinge" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="50" velocity="9"/><dynamics damping="0" friction="%s"/></joint></robot>"""
    sticky = ulna.Robot.from_string(urdf % "6")
    sim = ulna.Simulation(sticky)
    sim.set_state([0.2])
    sim.step(None, 1.0)
    assert sim.q[0] == 0.2 and sim.v[0] == 0.0 and sim.held == {"hinge": True}
    falling = ulna.Robot.from_string(urdf % "0").simulate(3.0)
    assert falling.q[-1, 0] == pytest.approx(1.0) and falling.counts["hits"] >= 1 and falling.work.stops > 0.0
    free = ulna.Robot.from_string(urdf % "0").simulate(3.0, stops=False)
    assert free.q.max() > 1.5


def test_changes_sensors_and_limits(panda, q0):
    drop = {"frame": "panda_link8", "mass": 2.0, "com": [0, 0, 0.1]}
    hold = lambda t, q, v: panda.gravity_torque(q) - 50 * (q - q0) - 5 * v
    result = panda.simulate(
        1.0, hold, q=q0, changes=[{"at": 0.5, "payload": drop}], sensors={"position": {"noise": 1e-4}, "seed": 3}
    )
    before, after = (np.abs(result.q[k] - q0).max() for k in (499, -1))
    assert after > 10 * before
    noise = result.q_measured - result.q
    assert 0.8e-4 < noise.std() < 1.2e-4 and np.array_equal(result.v_measured, result.v)
    assert set(result.columns(measured=True)) >= {"t", "q_panda_joint1", "qd_panda_joint7", "tau_panda_joint4"}
    sim = ulna.Simulation(panda)
    sim.set_state(q0)
    E = sim.energy
    sim.change(payload=drop)
    assert sim.energy != E and sim.work.changes == pytest.approx(sim.energy - E)
    sim.change(drop=drop)
    assert sim.energy == pytest.approx(E)
    sim.hold([1e6] * 7)
    assert np.array_equal(sim.tau, panda.effort_limit)
    sim.set_wrenches({"panda_link8": [0, 0, 0, 0, 0, 10.0]})
    pushed = sim.a
    sim.set_wrenches(None)
    assert not np.allclose(pushed, sim.a)


def test_adaptive_steps_and_integrators_agree(panda, q0):
    if not ulna._core.has_adaptive():
        pytest.skip("built without SUNDIALS")
    robot = panda.without_friction()
    ends = [robot.simulate(0.2, q=q0, **how).q[-1] for how in ({"adaptive": True}, {}, {"integrator": "midpoint", "substep": 1e-4})]
    assert np.allclose(ends[0], ends[1], atol=1e-7) and np.allclose(ends[0], ends[2], atol=1e-5)


def test_loops_stay_closed():
    robot = ulna.Robot("fourbar")
    loops = ulna.Loops(robot)
    result = robot.simulate(0.5, {loops.independent[0]: 0.01})
    assert np.abs([loops.gap(q) for q in result.q]).max() < 1e-8
    assert result.energy_error < 1e-6 and np.ptp(result.q[:, 0]) > 0.01
    assert np.abs([loops.gap(q) for q in robot.simulate(0.5, {loops.independent[0]: 0.01}, loops=False).q]).max() > 1e-3


def test_springs_carry_the_links():
    robot = ulna.Robot("iiwa14_elastic").without_friction()
    sim = ulna.Simulation(robot)
    sim.set_state([0.1, 0.4, 0, -1.2, 0, 0.6, 0])
    assert np.allclose(sim.link_torque, robot.gravity_torque(sim.q), atol=1e-6)
    result = sim.run(0.1)
    assert result.theta is not None and result.link_torque.shape == result.v.shape
    s = robot.spring_torque(result.q[50], result.v[50], result.theta[50], sim.omega)
    assert s.shape == (7,)


def test_errors_of_simulations(panda, q0):
    with pytest.raises(ulna.SimulationError, match="t = 0.05 s: torque_not_finite") as caught:
        panda.simulate(1.0, lambda t, q, v: q * (np.nan if t > 0.0495 else 0.0), q=q0)
    assert caught.value.status == "torque_not_finite" and len(caught.value.result.t) == 50
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.status == "torque_not_finite" and len(again.result.t) == 50
    with pytest.raises(ZeroDivisionError):
        panda.simulate(1.0, lambda t, q, v: 1 / 0)
    for options, words in (
        ({"integrator": "rk5"}, "option 'integrator': 'rk5' is unknown; there are euler, semi_implicit_euler"),
        ({"substep": "small"}, "option 'substep': a number is needed, not 'small'"),
        ({"substep": -1.0}, "substep"),
        ({"sensors": {"postion": {}}}, "there is no option 'postion'; did you mean 'position'"),
        ({"sensors": {"position": {"nois": 1}}}, "there is no option 'position.nois'; did you mean 'noise'"),
        ({"sensors": {"position": 3}}, "option 'position': a dict is needed, not 3"),
        ({"tau": [1, 2]}, "tau has 2 numbers, robot 'panda' needs 7"),
        ({"tau": {"elbow": 1}}, "no joint 'elbow'"),
        ({"tau": lambda t, q, v: q[:3]}, "tau has 3 numbers"),
        ({"q": [np.nan] * 7}, "not finite"),
        ({"record_every": 0}, "at least 1"),
        ({"changes": [{"at": 1, "payload": {"frame": "nobody", "mass": 1}}]}, "no link or frame 'nobody'"),
        ({"changes": [{"at": 1, "payload": {"frame": "panda_link8", "mass": 0}}]}, "a mass above 0"),
        ({"changes": [{"at": 1, "paylod": {}}]}, "did you mean 'payload'"),
        ({"changes": [{"at": 1, "until": 2, "gravity": [0, 0, 0]}]}, "'until' is for friction"),
        ({"changes": 3}, "a list of dicts is needed"),
    ):
        with pytest.raises(ValueError, match=words):
            panda.simulate(0.1, **options)
    with pytest.raises(ValueError, match="has no sensors"):
        ulna.Simulation(panda).read()
    with pytest.raises(ValueError, match="there is no column 'q_elbow'"):
        panda.simulate(0.01)["q_elbow"]


def test_results_are_tables_pickles_and_lines(panda, q0):
    result = panda.simulate(0.02, q=q0)
    assert "panda" in repr(result) and "21 samples" in repr(result) and "Simulation('panda'" in repr(ulna.Simulation(panda))
    assert np.array_equal(result["q_panda_joint1"], result.q[:, 0])
    assert np.array_equal(pickle.loads(pickle.dumps(result)).q, result.q)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(result.columns())
    assert frame.shape == (21, 29) and list(frame)[:2] == ["t", "q_panda_joint1"]


# --- worlds ---


def box_on_ground(**material):
    world = ulna.World(step=1e-3)
    world.add_fixed("ground", "plane", **material)
    world.add_body("box", ("box", (0.2, 0.2, 0.2)), mass=2.0, position=(0, 0, 0.1), **material)
    return world


def test_a_box_rests_and_slides_by_coulombs_law():
    world = box_on_ground(friction=0.5)
    world.step(200)
    assert world.pose("box")[2, 3] == pytest.approx(0.1, abs=2e-5)
    assert sum(c.force[2] for c in world.contacts) == pytest.approx(2 * 9.81, rel=1e-6)
    assert {c.first for c in world.contacts} | {c.second for c in world.contacts} == {"ground", "box"}
    for force, moves in ((9.7, False), (10.2, True)):  # mu m g = 9.81 N
        world = box_on_ground(friction=0.5)
        world.set_wrench("box", (force, 0, 0), point=(0, 0, 0.0))
        result = world.run(0.5)
        assert (abs(result.position["box"][-1, 0]) > 1e-3) == moves


def test_energy_of_a_world(panda, q0):
    world = box_on_ground()
    world.add_robot(panda, q0, position=(2, 0, 0))
    assert world.robots == ["panda"] and world.robot("panda").nv == 7
    result = world.run(0.3, {"panda": lambda t, q, v: panda.gravity_torque(q) - v}, period=0.01)
    assert result.t[-1] == pytest.approx(0.3) and result.tau["panda"].shape == (31, 7)
    assert np.ptp(result.energy - result.balance) < 1e-3
    assert np.abs(result.q["panda"] - q0).max() < 1e-3
    assert {"t", "box.fz", "panda.tau3"} <= set(result.columns()) and "2 objects" in repr(result)


SCENE = {
    "name": "yard",
    "ground": True,
    "bodies": [{"name": "crate", "shape": "box", "size": [0.2, 0.2, 0.2], "mass": 2, "xyz": [0, -0.8, 0.3]}],
    "robots": [{"robot": "quadruped", "torque": "pd", "q": {"floating_base_z": 0.62}}],
}


def test_scenes_of_dicts_texts_and_files(tmp_path):
    import json

    text = "\n".join(["ulna: scene", *(f"{key}: {json.dumps(value)}" for key, value in SCENE.items())])
    (tmp_path / "scene.yaml").write_text(text)
    ends = [ulna.simulate_scene(scene, 0.3, period=0.1).q["quadruped"][-1] for scene in (SCENE, text, tmp_path / "scene.yaml")]
    assert np.array_equal(ends[0], ends[1]) and np.array_equal(ends[0], ends[2])
    assert ends[0][6] > 0.4  # it stands
    world = ulna.World(SCENE)
    assert set(world.names) >= {"crate", "quadruped"} and world.robots == ["quadruped"]
    with pytest.raises(ulna.ModelError, match="robto") as caught:
        ulna.World({"robots": [{"robto": "panda"}]})
    assert caught.value.diagnostics


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda w: w.q("nobody"), "there is no robot or body or fixed 'nobody'; there are ground, box"),
        (lambda w: w.set_torque("box", [1]), "there is no robot 'box'; there are none"),
        (lambda w: w.add_body("box", ("box", (1, 1, 1)), mass=1), "there is an object 'box' already"),
        (lambda w: w.add_body("b", ("cube", 1), mass=1), "'cube' is unknown; there are box, sphere"),
        (lambda w: w.add_body("b", ("sphere", (1, 2)), mass=1), "its radius is needed"),
        (lambda w: w.add_body("b", ("sphere", 1), mass=-1), "mass|inertia"),
        (lambda w: w.add_body("b", ("sphere", 1), mass=1, frction=1), "did you mean 'friction'"),
        (lambda w: w.add_fixed("b", "plane", rotation=2 * np.eye(3)), "is not a rotation"),
        (lambda w: w.run(1.0, {"box": [1]}), "there is no robot 'box'"),
        (lambda w: ulna.World(stp=1e-3), "did you mean 'step'"),
        (lambda w: ulna.World(SCENE, step=1e-3), "for empty worlds"),
        (lambda w: ulna.World("a: 1\nb: 2"), "is no scene"),
    ],
)
def test_wrong_worlds(call, words):
    with pytest.raises(ValueError, match=words):
        call(box_on_ground())
