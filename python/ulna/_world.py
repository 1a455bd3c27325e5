"""Robots, loose bodies and what stands still, which touch each other."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import Diagnostic
from ._geometry import Shape, shape_of
from ._record import Record, given
from ._results import Array
from ._simulate import SimulationError

if TYPE_CHECKING:
    from ._robot import Robot

#: A Shape, or its name and size: ("box", (x, y, z)), ("sphere", r), ("cylinder", (r, length)), ("capsule", (r, length)),
#: ("ellipsoid", (a, b, c)), "plane".
ShapeLike = Union[Shape, str, Tuple[str, Any]]


@dataclass(frozen=True, repr=False, eq=False)
class Contact(Record):
    """Where two objects touch or are about to, with what the last step found."""

    first: str
    second: str
    position: Array  #: (3,), in the world
    normal: Array  #: (3,), from first to second
    gap: float  #: m, at the beginning of the step
    force: Array  #: (3,), N, on the second, mean over the step
    moment: Array  #: (3,), N m, of torsional and rolling friction
    velocity: Array  #: (3,), of the second from the first there, after the step
    friction: float  #: coefficient
    first_body: int = field(repr=False, default=0)  #: of robots: the number of the body
    second_body: int = field(repr=False, default=0)


@dataclass(frozen=True)
class WorldWork:
    """Where energy came from and went to, J."""

    torques: float  #: done by drives
    wrenches: float  #: done by wrenches from outside
    damping: float  #: lost in joints that are viscous
    joint_friction: float  #: that rub
    stops: float  #: and that hit their stops
    loops: float  #: done in joints that close loops
    impacts: float  #: lost where bodies hit each other
    contact: float  #: lost along the normals of lasting contacts
    friction: float  #: lost in friction between surfaces
    correction: float  #: brought in when bodies that overlapped were moved apart


@dataclass(frozen=True, repr=False, eq=False)
class WorldResult(Record):
    """The course of a world: a row a sample, objects by name."""

    t: Array = field(repr=False)  #: (N,), s
    q: Dict[str, Array] = field(repr=False)  #: (N, nq) each; of loose bodies a quaternion (w, x, y, z) and a position
    v: Dict[str, Array] = field(repr=False)  #: (N, nv)
    tau: Dict[str, Array] = field(repr=False)  #: (N, nv), of robots
    force: Dict[str, Array] = field(repr=False)  #: (N, 3), N, what contacts exert on an object together
    position: Dict[str, Array] = field(repr=False)  #: (N, 3), of a loose body, or of the first body that a robot moves
    energy: Array = field(repr=False)  #: (N,), J
    balance: Array = field(repr=False)  #: (N,), J that came in less what was lost

    def _summary(self) -> str:
        return f"{self.t[-1] - self.t[0]:.4g} s, {len(self.t)} samples, {len(self.q)} objects that move"

    def columns(self) -> Dict[str, Array]:
        """Vectors by name: t, <object>.q0, <object>.v0, <object>.fx, ...; for pandas.DataFrame."""
        table: Dict[str, Array] = {"t": self.t, "energy": self.energy}
        for name in self.q:
            for letter, x in (("q", self.q[name]), ("v", self.v[name]), ("tau", self.tau.get(name))):
                if x is not None:
                    table.update({f"{name}.{letter}{i}": x[:, i] for i in range(x.shape[1])})
            table.update({f"{name}.f{axis}": self.force[name][:, i] for i, axis in enumerate("xyz")})
        return table

    def plot(self) -> Any:
        """Heights and contact forces of objects, and the energy; matplotlib must be installed.

        returns: the figure
        """
        from ._plot import courses

        names = list(self.q)
        heights = np.stack([self.position[n][:, 2] for n in names], axis=1)
        forces = np.stack([np.linalg.norm(self.force[n], axis=1) for n in names], axis=1)
        return courses(self.t, [("height [m]", names, heights), ("contact force [N]", names, forces)], None, [("energy [J]", self.energy)])


class World:
    """Robots, loose bodies and fixed things that touch, by Coulomb's law on exact cones.

        world = ulna.World("scene.yaml")                      # or a dict with the same keys, or the YAML as text
        world = ulna.World(step=1e-3)                         # empty
        world.add_fixed("ground", "plane")
        world.add_body("box", ("box", (0.1, 0.1, 0.1)), mass=1.0, position=(0, 0, 0.5))
        world.add_robot(robot, q)
        world.run(2.0, {"panda": lambda t, q, v: robot.gravity_torque(q)}).plot()

    scene: a file, text, or dict; docs/contact.md has the keys
    step: s, of an empty world
    gravity: (3,), m/s², of an empty world
    options: of an empty world: overlap, correction_speed, cones={"method": ..., "tolerance": ...}

    A step solves contact, friction, stops and loops at the velocity of its end. Objects have names. One thread at a time.
    """

    def __init__(
        self,
        scene: Union[None, str, "os.PathLike[str]", Mapping[str, Any]] = None,
        *,
        step: Optional[float] = None,
        gravity: Optional[npt.ArrayLike] = None,
        **options: Any,
    ) -> None:
        if scene is None:
            self._core = _core.World(given(step=step, gravity=gravity, **options))
            return
        if step is not None or gravity is not None or options:
            raise ValueError("step, gravity and options are for empty worlds; write them into the scene")
        if isinstance(scene, Mapping):
            # JSON is YAML: one reader, and its messages, for both
            lines = [f"{key}: {json.dumps(value, default=_plain)}" for key, value in scene.items() if key != "ulna"]
            text, file = "\n".join(["ulna: scene", *lines]), "scene"
        elif "\n" in os.fspath(scene):
            text, file = os.fspath(scene), "scene"
        else:
            text, file = Path(scene).read_text(), os.fspath(scene)
        self._core = _core.World.from_scene(text, file)

    # --- what is in it ---

    @property
    def names(self) -> List[str]:
        """Names of all objects, in the order in which they were added."""
        return [name for name, _ in self._core.objects()]

    @property
    def robots(self) -> List[str]:
        """Names of the robots."""
        return [name for name, kind in self._core.objects() if kind == "robot"]

    @property
    def diagnostics(self) -> Tuple[Diagnostic, ...]:
        """What was found in the scene."""
        return tuple(self._core.diagnostics)

    def _number(self, name: str, kinds: Sequence[str] = ("robot", "body", "fixed")) -> int:
        objects = self._core.objects()
        for i, (known, kind) in enumerate(objects):
            if known == name and kind in kinds:
                return i
        fitting = [n for n, kind in objects if kind in kinds]
        raise ValueError(f"there is no {' or '.join(kinds)} '{name}'; there are {', '.join(fitting) or 'none'}")

    def _require_new(self, name: str) -> None:
        if name in self.names:
            raise ValueError(f"there is an object '{name}' already; give another name")

    def add_fixed(
        self, name: str, shape: ShapeLike, position: npt.ArrayLike = (0.0, 0.0, 0.0), rotation: Optional[npt.ArrayLike] = None, **material: Any
    ) -> None:
        """Adds what stands still.

        name: of the object
        shape: ("box", (x, y, z)), ("sphere", r), ("cylinder", (r, length)), ("capsule", (r, length)), ("ellipsoid", (a, b, c)),
            "plane", which is all below z = 0 of its frame, or a Shape, such as a mesh or a height field
        position: (3,), of the shape's middle
        rotation: (3, 3)
        material: friction, torsion, rolling, restitution, compliance={"stiffness", "damping", ...}
        """
        self._require_new(name)
        self._core.add_fixed(name, shape_of(shape)._core, _pose(position, rotation), material)

    def add_body(
        self,
        name: str,
        shape: ShapeLike,
        *,
        mass: float,
        inertia: Optional[npt.ArrayLike] = None,
        position: npt.ArrayLike = (0.0, 0.0, 0.0),
        rotation: Optional[npt.ArrayLike] = None,
        **material: Any,
    ) -> None:
        """Adds a body that no joint holds.

        name: of the object
        shape: as of `add_fixed`, but no plane, mesh or height field
        mass: kg
        inertia: (3, 3), about the origin of the shape, which is then its centre of mass; if not given, it is solid and even
        position: (3,)
        rotation: (3, 3)
        material: as of `add_fixed`
        """
        self._require_new(name)
        solid = shape_of(shape)
        com, I = solid.inertial(mass=mass)[1:] if inertia is None else (np.zeros(3), np.asarray(inertia, dtype=float))
        self._core.add_body(name, solid._core, mass, com, I, _pose(position, rotation), material)

    def add_robot(self, robot: "Robot", q: Any = None, *, name: Optional[str] = None, position: npt.ArrayLike = (0.0, 0.0, 0.0), rotation: Optional[npt.ArrayLike] = None, **options: Any) -> str:
        """Adds a robot at rest, and returns its name here.

        robot: the robot
        q: (nq,) where it begins; neutral if not given
        name: what it is called; its own name if not given
        position, rotation: (3,), (3, 3): where its base stands
        options: contact, self_contact, torque_limits, material={"friction": 0.8, ...}
        """
        called = name or robot.name
        self._require_new(called)
        q0 = robot.neutral() if q is None else q
        self._core.add_robot(robot._engine, q0, {**options, "name": called, "X_WR": _pose(position, rotation)})
        return called

    def robot(self, name: str) -> "Robot":
        """A robot of the world, by name."""
        from ._robot import Robot

        return Robot._of(self._core.engine(self._number(name, ("robot",))))

    # --- state ---

    @property
    def time(self) -> float:
        """How long it has moved, s."""
        return float(self._core.time)

    def q(self, name: str) -> Array:
        """Configuration of an object; of a loose body (w, x, y, z) and the position of its origin.

        name: of the object
        """
        return np.asarray(self._core.q(self._number(name)))

    def v(self, name: str) -> Array:
        """Velocity of an object; of a loose body angular and linear, in its own axes.

        name: of the object
        """
        return np.asarray(self._core.v(self._number(name)))

    def pose(self, name: str, body: int = 0) -> Array:
        """Pose of an object in the world, (4, 4).

        name: of the object
        body: of a robot, the number of the body; 0 is the base
        """
        return np.asarray(self._core.pose(self._number(name), body))

    def set_state(self, name: str, q: npt.ArrayLike, v: Optional[npt.ArrayLike] = None) -> None:
        """Moves an object.

        name: of the object
        q: as `q` returns it
        v: as `v` returns it; at rest if not given
        """
        i = self._number(name, ("robot", "body"))
        rate = np.zeros(len(self._core.v(i))) if v is None else np.asarray(v, dtype=float)
        self._core.set_state(i, np.asarray(q, dtype=float), rate)

    def theta(self, name: str) -> Array:
        """Positions of a robot's motors behind springs as seen at the joints, (nv,); 0 of rigid joints.

        name: of the robot
        """
        return np.asarray(self._core.theta(self._number(name, ("robot",))))

    def omega(self, name: str) -> Array:
        """Their speeds, (nv,); v of rigid joints.

        name: of the robot
        """
        return np.asarray(self._core.omega(self._number(name, ("robot",))))

    def link_torque(self, name: str) -> Array:
        """Torques of a robot's springs, (nv,); of rigid joints those that act.

        name: of the robot
        """
        return np.asarray(self._core.link_torque(self._number(name, ("robot",))))

    def set_motors(self, name: str, theta: npt.ArrayLike, omega: npt.ArrayLike) -> None:
        """Moves the motors behind springs, which `set_state` puts where springs hold the links still.

        name: of the robot
        theta: (nv,), as seen at the joints; not read where a joint is rigid
        omega: (nv,), their speeds
        """
        self._core.set_motors(self._number(name, ("robot",)), np.asarray(theta, dtype=float), np.asarray(omega, dtype=float))

    @property
    def contacts(self) -> List[Contact]:
        """What touched in the last step."""
        names = self.names
        return [Contact._of({**c, "first": names[c["first"]], "second": names[c["second"]]}) for c in self._core.contacts]

    @property
    def overlaps(self) -> List[Tuple[str, str, float]]:
        """Pairs of objects that are inside each other, and by how much, m; deepest first."""
        names = self.names
        return [(names[a], names[b], depth) for a, b, depth in self._core.overlaps()]

    @property
    def energy(self) -> float:
        """Kinetic and potential, J."""
        return float(self._core.energy)

    @property
    def momentum(self) -> Array:
        """(6,): angular about the world's origin, and linear."""
        return np.asarray(self._core.momentum)

    @property
    def work(self) -> WorldWork:
        """Where energy came from and went to."""
        return WorldWork(**self._core.work)

    @property
    def report(self) -> Dict[str, Any]:
        """Of the steps: how many, the solver's worst residual in m/s, the deepest overlap in m, and so on."""
        return dict(self._core.report)

    # --- what acts, and steps ---

    def set_torque(self, name: str, tau: Any) -> None:
        """Torques of a robot from now on, in place of what the scene says.

        name: of the robot
        tau: (nv,), or a dict by joint; cut off at the limits
        """
        self._core.set_torque(self._number(name, ("robot",)), tau)

    def set_wrench(self, name: str, force: npt.ArrayLike, point: Optional[npt.ArrayLike] = None, moment: npt.ArrayLike = (0.0, 0.0, 0.0), body: int = 0) -> None:
        """What acts on a body from outside, from now on.

        name: of the object
        force: (3,), in world axes
        point: (3,), where it acts, in the world; the body's origin if not given
        moment: (3,), in world axes
        body: of a robot, the number of the body
        """
        i = self._number(name, ("robot", "body"))
        at = self._core.pose(i, body)[:3, 3] if point is None else np.asarray(point, dtype=float)
        self._core.set_wrench(i, body, np.asarray(force, dtype=float), np.asarray(moment, dtype=float), at)

    def clear_wrenches(self) -> None:
        """Nothing acts from outside any more."""
        self._core.clear_wrenches()

    def step(self, steps: int = 1) -> None:
        """Moves everything on by whole steps; SimulationError if that is impossible.

        steps: how many
        """
        self._check(self._core.advance(steps, 0.0, None))

    def advance(self, duration: float, relative: float = 1e-10, absolute: float = 1e-12) -> None:
        """Moves everything on by adaptive steps that end where bodies touch, leave each other, stick or slide: for studies.

        duration: s
        relative, absolute: tolerances of a step's error
        """
        self._check(self._core.advance(0, duration, {"relative": relative, "absolute": absolute}))

    def _check(self, status: str) -> None:
        if status != "moved":
            raise SimulationError(status, self.time)

    def run(
        self, duration: float, tau: Optional[Mapping[str, Union[Any, Callable[[float, Array, Array], Any]]]] = None, *, period: Optional[float] = None
    ) -> WorldResult:
        """Goes on for a while with controllers, and returns the course.

        duration: s
        tau: {robot: torques}, each a vector, or a function tau(t, q, v); other robots keep to what the scene says
        period: s between calls of them and between samples; the step if not given
        returns: WorldResult
        """
        each = 1 if period is None else max(1, round(period / self._core.step))
        controllers = {name: law for name, law in (tau or {}).items()}
        for name in controllers:
            self._number(name, ("robot",))
        moving = [(i, name, kind) for i, (name, kind) in enumerate(self._core.objects()) if kind != "fixed"]
        rows: List[Tuple[Any, ...]] = []

        def sample() -> None:
            c = self._core
            # a robot's first body: its base may be the world
            state = [(c.q(i), c.v(i), c.contact_force(i), c.pose(i, int(kind == "robot"))[:3, 3]) for i, _, kind in moving]
            taus = [c.tau(i) for i, _, kind in moving if kind == "robot"]
            rows.append((c.time, c.energy, c.balance, state, taus))

        for _ in range(max(1, round(duration / self._core.step / each))):
            for name, law in controllers.items():
                self.set_torque(name, law(self.time, self.q(name), self.v(name)) if callable(law) else law)
            sample()
            self.step(each)
        sample()
        stacked = [[np.stack([row[3][k][j] for row in rows]) for j in range(4)] for k in range(len(moving))]
        names = [name for _, name, _ in moving]
        acting = [name for _, name, kind in moving if kind == "robot"]
        return WorldResult(
            t=np.array([row[0] for row in rows]),
            q={n: s[0] for n, s in zip(names, stacked)},
            v={n: s[1] for n, s in zip(names, stacked)},
            tau={n: np.stack([row[4][k] for row in rows]) for k, n in enumerate(acting)},
            force={n: s[2] for n, s in zip(names, stacked)},
            position={n: s[3] for n, s in zip(names, stacked)},
            energy=np.array([row[1] for row in rows]),
            balance=np.array([row[2] for row in rows]),
        )

    def __repr__(self) -> str:
        return f"World({', '.join(self.names) or 'empty'}; t = {self.time:.6g} s)"


def simulate_scene(
    scene: Union[str, "os.PathLike[str]", Mapping[str, Any]],
    duration: float = 5.0,
    tau: Optional[Mapping[str, Any]] = None,
    *,
    period: Optional[float] = None,
) -> WorldResult:
    """Reads a scene, lets it go, and returns the course.

    scene: a file, text or dict; docs/contact.md has the keys
    duration: s
    tau: {robot: torques or tau(t, q, v)}; otherwise as the scene says
    period: s between samples and calls
    returns: WorldResult
    """
    return World(scene).run(duration, tau, period=period)


def _plain(x: Any) -> Any:
    return np.asarray(x).tolist()


def _pose(position: npt.ArrayLike, rotation: Optional[npt.ArrayLike]) -> Array:
    X = np.eye(4)
    X[:3, 3] = np.asarray(position, dtype=float)
    if rotation is not None:
        X[:3, :3] = np.asarray(rotation, dtype=float)
    return X
