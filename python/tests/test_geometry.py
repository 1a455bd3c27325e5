"""Shapes, contact points, inertias of solids, distances of links; robots that are put together."""

import copy
import pickle

import numpy as np
import pytest
from helpers import ROBOTS, motion

import ulna


def at(x=0.0, y=0.0, z=0.0):
    X = np.eye(4)
    X[:3, 3] = x, y, z
    return X


# --- shapes ---


def test_distances_of_closed_form():
    assert ulna.distance(("sphere", 0.1), ("sphere", 0.2), None, at(x=1.0)) == pytest.approx(0.7)
    assert ulna.distance("plane", ("box", (0.2, 0.2, 0.2)), None, at(z=0.05)) == pytest.approx(-0.05)
    turned = at(z=1.0)
    turned[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    assert ulna.distance(("capsule", (0.1, 0.4)), "plane", turned) == pytest.approx(0.9)
    a, b = ulna.Shape.hull(np.random.default_rng(1).normal(size=(20, 3))), ulna.Shape("ellipsoid", (0.1, 0.2, 0.3))
    assert ulna.distance(a, b, at(), at(x=5.0)) == pytest.approx(ulna.distance(b, a, at(x=5.0), at()))


def test_a_box_stands_on_four_corners():
    points = ulna.contact_points("plane", ("box", (0.2, 0.4, 0.6)), None, at(z=0.299))
    assert len(points) == 4
    assert {tuple(np.sign(p.position[:2]).astype(int)) for p in points} == {(1, 1), (1, -1), (-1, 1), (-1, -1)}
    assert all(p.gap == pytest.approx(-0.001) and p.normal == pytest.approx([0, 0, 1]) for p in points)
    assert not ulna.contact_points("plane", ("sphere", 0.1), None, at(z=0.2))
    assert len(ulna.contact_points("plane", ("sphere", 0.1), None, at(z=0.2), margin=0.2)) == 1


CORNERS = np.array([(x, y, z) for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)])
STL = "solid box\n{}endsolid box\n"


def stl(vertices, faces):
    text = ""
    for face in faces:
        rows = "".join("vertex {} {} {}\n".format(*vertices[i]) for i in face)
        text += f"facet normal 0 0 0\nouter loop\n{rows}endloop\nendfacet\n"
    return STL.format(text)


BOX_FACES = [
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
]  # fmt: skip


def test_a_box_by_its_corners_or_from_a_file_is_a_box(tmp_path):
    box, hull = ulna.Shape("box", (0.2, 0.4, 0.6)), ulna.Shape.hull(CORNERS)
    (tmp_path / "box.stl").write_text(stl(CORNERS, BOX_FACES))
    read = ulna.Shape.from_file(tmp_path / "box.stl")
    for other in (hull, read):
        assert other.kind == "hull" and len(other.vertices) == 8
        for X in (at(x=1.0), at(0.3, 0.1, 0.2)):
            assert ulna.distance(other, ("sphere", 0.05), None, X) == pytest.approx(ulna.distance(box, ("sphere", 0.05), None, X))
        for a, b in zip(box.inertial(mass=3.0), other.inertial(mass=3.0)):
            assert np.allclose(a, b, atol=1e-12)
    doubled = ulna.Shape.from_file(tmp_path / "box.stl", scale=2.0, convex=False)
    assert doubled.kind == "mesh"
    assert np.allclose(doubled.bounds(at(x=1.0)), [[0.8, -0.4, -0.6], [1.2, 0.4, 0.6]])
    assert repr(box) == "Shape('box', 0.2 x 0.4 x 0.6 m)"
    with pytest.raises(ValueError, match="none.stl"):
        ulna.Shape.from_file(tmp_path / "none.stl")


@pytest.mark.parametrize(
    "shape",
    [
        ulna.Shape("plane"),
        ulna.Shape("sphere", 0.1),
        ulna.Shape("box", (0.1, 0.2, 0.3)),
        ulna.Shape("cylinder", (0.07, 0.3)),
        ulna.Shape("capsule", (0.07, 0.3)),
        ulna.Shape("ellipsoid", (0.1, 0.2, 0.3)),
        ulna.Shape.hull(CORNERS),
        ulna.Shape.mesh(CORNERS, [(0, 1, 2), (0, 2, 3)]),
        ulna.Shape.height_field([[0.0, 0.1], [0.2, 0.05]], 1.0, 2.0),
    ],
)
def test_copies_and_pickles_are_the_same_shape(shape):
    ball = ulna.Shape("sphere", 0.5)
    for other in (copy.copy(shape), copy.deepcopy(shape), pickle.loads(pickle.dumps(shape)), pickle.loads(pickle.dumps(copy.copy(shape)))):
        assert other.kind == shape.kind
        assert np.array_equal(other.bounds(), shape.bounds())
        ours, theirs = ulna.contact_points(shape, ball), ulna.contact_points(other, ball)
        assert len(ours) == len(theirs)
        assert all(np.array_equal(a.position, b.position) and a.gap == b.gap for a, b in zip(ours, theirs))



def test_inertias_of_solids():
    r, length, mass = 0.1, 0.5, 2.0
    cylinder = ulna.Shape("cylinder", (r, length)).inertial(mass=mass)
    across = mass * (r**2 / 4 + length**2 / 12)
    assert np.allclose(cylinder.inertia, np.diag([across, across, mass * r**2 / 2])) and not cylinder.com.any()
    water = ulna.Shape("sphere", 0.5).inertial(density=1000.0)
    assert water.mass == pytest.approx(1000 * np.pi / 6) and water.inertia[0, 0] == pytest.approx(0.4 * water.mass * 0.25)
    r, length = 0.3, 0.8  # a capsule by sampling
    x = np.random.default_rng(1).uniform([-r, -r, -length / 2 - r], [r, r, length / 2 + r], (400_000, 3))
    rest = np.maximum(np.abs(x[:, 2]) - length / 2, 0.0)
    inside = np.cov(x[x[:, 0] ** 2 + x[:, 1] ** 2 + rest**2 <= r**2].T)
    capsule = ulna.Shape("capsule", (r, length)).inertial(mass=1.0)
    assert np.allclose(capsule.inertia, np.trace(inside) * np.eye(3) - inside, atol=3e-3)
    assert ulna.check_inertia(*cylinder)
    wrong = ulna.check_inertia(1.0, (0, 0, 0), np.diag([0.1, 0.1, 0.5]))
    assert not wrong and "triangle" in wrong.text and wrong.margin < 0 and wrong.principal_moments[2] == pytest.approx(0.5)
    rod = ulna.check_inertia(1.0, (0, 0, 0), np.diag([0.1, 0.1, 0.0]))
    assert rod and not rod.ok
    panda = ulna.Robot("panda")
    assert panda.with_payload("panda_link8", *water).mass == pytest.approx(panda.mass + water.mass)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: ulna.Shape("box", 1.0), "its size along x, y and z is needed, not 1 numbers"),
        (lambda: ulna.Shape("bocks", (1, 1, 1)), "'bocks' is unknown; there are box"),
        (lambda: ulna.Shape("sphere", np.nan), "sphere"),
        (lambda: ulna.Shape.hull(np.zeros((4, 3))), "plane"),
        (lambda: ulna.Shape.hull(np.zeros(3)), r"\(N, 3\) is needed"),
        (lambda: ulna.Shape.mesh(CORNERS, [(0, 1, 99)]), "99|vertex|vertices"),
        (lambda: ulna.Shape.mesh(CORNERS, [(0, 1, 2, 3)]), r"\(M, 3\) is needed"),
        (lambda: ulna.check_inertia(1.0, (0, 0), np.eye(3)), r"com has shape \(2,\)"),
        (lambda: ulna.Capsules(ulna.Robot("panda"), obstacles=[{"from": (np.nan, 0, 0), "to": (0, 0, 0), "radius": 1}]), "an obstacle is not finite"),
        (lambda: ulna.Shape("plane").inertial(mass=1.0), "encloses no volume"),
        (lambda: ulna.Shape("sphere", 1.0).inertial(), "a mass or a density"),
        (lambda: ulna.Shape("sphere", 1.0).inertial(mass=-1.0), "must be positive"),
        (lambda: ulna.distance("plane", ("sphere", 1.0), np.zeros((4, 4))), "rotation"),
        (lambda: ulna.contact_points("plane", ("sphere", 1.0), np.eye(3)), r"\(4, 4\) is needed"),
    ],
)
def test_what_is_no_shape_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_ball_rests_in_a_hollow_of_a_height_field():
    x = np.linspace(-1, 1, 41)
    world = ulna.World(step=1e-3)
    world.add_fixed("ground", ulna.Shape.height_field(0.2 * (x[:, None] ** 2 + x**2), 2.0, 2.0), friction=0.5, rolling=0.01)
    world.add_body("ball", ulna.Shape("sphere", 0.1), mass=1.0, position=(0.4, 0.1, 0.3))
    world.add_body("stone", ulna.Shape.hull(0.3 * CORNERS), mass=1.0, position=(-0.6, 0.0, 0.3))
    course = world.run(3.0, period=0.1)
    for name, height in (("ball", 0.1), ("stone", 0.06)):  # of the middle above the ground
        end = course.position[name][-1]
        assert end[2] == pytest.approx(0.2 * (end[:2] @ end[:2]) + height, abs=0.04)
        assert course.force[name][-1][2] == pytest.approx(9.81, rel=0.05)
    assert np.linalg.norm(course.position["ball"][-1][:2]) < 0.3  # it rolled down, and the stone did not
    assert np.linalg.norm(course.position["stone"][-1][:2]) > 0.4


def test_links_keep_their_distance():
    robot = ulna.Robot("panda")
    watched = ulna.Capsules(robot, floor=0.0, obstacles=[{"from": (0.6, 0, 0), "to": (0.6, 0, 1.0), "radius": 0.1}])
    assert "obstacle 0" in " ".join(watched.pairs) and "the floor" in " ".join(watched.pairs) and watched.radius > 0
    q = robot.random_configuration(2)
    d, slope = watched.distances(q)
    assert d.shape == (len(watched.pairs),) and slope.shape == (len(d), 7)
    h = 1e-6
    differences = [(watched.distances(q + h * e)[0] - watched.distances(q - h * e)[0]) / (2 * h) for e in np.eye(7)]
    assert np.allclose(slope, np.stack(differences, axis=1), atol=1e-5)
    shapes = ulna.Robot("quadruped").collision_shapes()
    assert {s.link for s in shapes.shapes} >= {"FL_foot", "RR_foot"} and all(s.X.shape == (4, 4) for s in shapes.shapes)


# --- robots that are put together ---


def arm():
    rod = ulna.Shape("cylinder", (0.05, 0.4)).inertial(mass=2.0)
    return (
        ulna.Builder("arm")
        .link("base")
        .link("upper", *rod, visuals=[("cylinder", (0.05, 0.4))])
        .link("lower", 1.0, (0, 0, 0.1), collisions=[{"geometry": ("sphere", 0.1), "origin": {"xyz": (0, 0, 0.2)}}])
        .joint("shoulder", "revolute", "base", "upper", xyz=(0, 0, 0.3), axis=(0, 1, 0), lower=-1.0, upper=1.0, effort=50.0)
        .joint("elbow", "continuous", "upper", "lower", xyz=(0, 0, 0.2), axis=(0, 1, 0), damping=0.1, armature=0.01)
        .frame("tip", "lower", xyz=(0, 0, 0.3))
    )


def test_a_robot_that_was_put_together_moves_as_its_equations_say():
    robot = arm().build()
    assert robot.joint_names == ["shoulder", "elbow"] and robot.effort_limit[0] == 50 and robot.upper_limit[0] == 1
    q = np.array([0.3, 0.4])
    assert np.allclose(robot.pose(q, "tip")[:3, 3], [0.2 * np.sin(0.3) + 0.3 * np.sin(0.7), 0, 0.3 + 0.2 * np.cos(0.3) + 0.3 * np.cos(0.7)])
    # the upper link's centre of mass is in the joint, the lower one's is a point
    assert robot.gravity_torque(q)[1] == pytest.approx(-9.81 * 0.1 * np.sin(0.7))
    assert robot.mass_matrix(q)[1, 1] == pytest.approx(0.1**2 + 0.01)
    assert robot.collision_shapes().shapes[0].X[2, 3] == pytest.approx(0.2)
    again = ulna.Robot.from_description(robot.description())
    assert again.to_urdf() == robot.to_urdf()
    assert repr(arm()) == "Builder('arm': 3 links, 2 joints)"


@pytest.mark.parametrize("name", ROBOTS)
def test_descriptions_as_dicts_are_the_same_robots(name):
    robot = ulna.Robot(name)
    again = ulna.Robot.from_description(robot.description())
    assert again.to_urdf() == robot.to_urdf()
    x = motion(robot, 1)
    assert np.array_equal(again.inverse_dynamics(*x), robot.inverse_dynamics(*x))


def test_mimics_loops_springs_and_motors_can_be_built():
    made = arm()
    made.link("finger", 0.1, (0, 0, 0.01))
    made.joint("grip", "prismatic", "lower", "finger", axis=(1, 0, 0), lower=0.0, upper=0.1, mimic={"joint": "elbow", "multiplier": 0.01})
    assert made.build().nv == 2
    four = ulna.Builder("four").link("base")
    for i, parent in enumerate(("base", "bar0", "bar1")):
        four.link(f"bar{i}", 1.0, (0.5, 0, 0), np.diag([0.01, 0.1, 0.1]))
        four.joint(f"j{i}", "continuous", parent, f"bar{i}", xyz=(1.0 if i else 0.0, 0, 0), axis=(0, 0, 1))
    closed = four.loop("closure", "continuous", "bar2", "base", xyz1=(1, 0, 0), xyz2=(0, 1, 0)).build()
    assert closed.has_loops and len(ulna.Loops(closed, [np.pi / 8, 1.2, 1.2]).independent) == 1
    driven = ulna.Builder("soft").link("base").link("arm", 1.0, (0.3, 0, 0), 0.01 * np.eye(3))
    driven.joint("turn", "continuous", "base", "arm", spring={"stiffness": 100.0, "damping": 0.5}, armature=0.1)
    assert driven.build().has_springs
    pair = ulna.Builder("pair").link("base").link("a", 1.0, (0.1, 0, 0)).link("b", 1.0, (0.1, 0, 0))
    pair.joint("one", "continuous", "base", "a").joint("two", "continuous", "a", "b", xyz=(0.2, 0, 0))
    pair.motor("m1", {"one": 50.0}, inertia=1e-4).motor("m2", {"one": -10.0, "two": 50.0}, inertia=1e-4)
    assert pair.build().has_drives


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda b: b.joint("wrist", "revolut", "lower", "hand"), "'revolut' is unknown; there are fixed, revolute"),
        (lambda b: b.joint("wrist", "revolute", "lower", "hand", lower=0.0, upper=1.0), "hand"),
        (lambda b: b.link("hand", "heavy"), "a number is needed"),
        (lambda b: b.link("hand", 1.0, visuals=[("ball", 0.1)]), "a shape is needed"),
        (lambda b: b.link("hand", 1.0, visuals=["sphere"]), "a shape is needed"),
        (lambda b: b.joint("wrist", "fixed", "lower", "base"), "base|loop|parent"),
        (lambda b: b.description["links"].append({"name": "x", "wait": 1}), "there is no option 'links.wait'"),
    ],
)
def test_what_is_no_robot_is_refused(change, words):
    made = arm()
    with pytest.raises(ValueError, match=words):
        change(made)
        made.build()
