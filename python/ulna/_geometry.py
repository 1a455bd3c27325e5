"""Shapes: where they touch, how far apart they are, what they weigh; and the distances of a robot's links."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import Diagnostic
from ._record import given
from ._results import Array

if TYPE_CHECKING:
    from ._robot import Robot


class Inertial(NamedTuple):
    """Mass, centre of mass, and inertia about it: robot.with_payload(frame, *ulna.Shape("sphere", 0.1).inertial(mass=2.0))."""

    mass: float  #: kg
    com: Array  #: (3,), m
    inertia: Array  #: (3, 3), kg m², about the centre of mass


class ContactPoint(NamedTuple):
    """Where two shapes touch or nearly touch."""

    position: Array  #: (3,), in the world, midway between the two surfaces
    normal: Array  #: (3,), from the first shape to the second
    gap: float  #: m between the surfaces along it; negative where they overlap


class InertiaCheck(NamedTuple):
    """Whether a body with an inertia can exist; true if so."""

    acceptable: bool  #: a body, or the limit of one: a point mass, a rod, a plate, nothing
    ok: bool  #: a body
    text: str  #: "triangle inequality: 0.35 > 0.1 + 0.2 by 0.05 kg m^2"
    principal_moments: Array  #: (3,), ascending
    margin: float  #: relative: positive for bodies, negative for what cannot be one

    def __bool__(self) -> bool:
        return self.acceptable


class Shape:
    """A shape that may touch others.

        ulna.Shape("box", (0.1, 0.2, 0.3)), ulna.Shape("sphere", 0.1), ulna.Shape("cylinder", (radius, length)),
        ulna.Shape("capsule", (radius, length)), ulna.Shape("ellipsoid", (a, b, c)), ulna.Shape("plane")
        ulna.Shape.hull(points), ulna.Shape.mesh(vertices, faces), ulna.Shape.height_field(heights, 10.0, 10.0)
        ulna.Shape.from_file("link.stl")

    kind: one of these names
    size: m; of a capsule the length without its round ends

    Axes of cylinders and capsules are z, origins are in the middle. A plane is all that is below z = 0.
    """

    def __init__(self, kind: str, size: npt.ArrayLike = ()) -> None:
        self._core = _core.Shape(kind, np.atleast_1d(np.asarray(size, dtype=float)))
        self._made_of: Tuple[Any, ...] = ()

    @classmethod
    def _of(cls, core: Any, *made_of: Any) -> "Shape":
        shape = cls.__new__(cls)
        shape._core = core
        shape._made_of = made_of
        return shape

    def __reduce__(self) -> Tuple[Any, Tuple[Any, ...]]:
        kind, half = self.kind, self._core.half_size
        if kind in ("mesh", "height field"):
            return (Shape.mesh if kind == "mesh" else Shape.height_field), self._made_of
        if kind == "hull":
            return Shape.hull, (self.vertices,)
        round_ = (self._core.radius, 2 * half[2])
        size = {"plane": (), "sphere": round_[:1], "box": 2 * half, "ellipsoid": half}.get(kind, round_)
        return Shape, (kind, size)

    @classmethod
    def hull(cls, points: npt.ArrayLike) -> "Shape":
        """The smallest convex body around points.

        points: (N, 3), which must not lie in one plane
        """
        return cls._of(_core.Shape.hull(_points(points)))

    @classmethod
    def mesh(cls, vertices: npt.ArrayLike, faces: npt.ArrayLike) -> "Shape":
        """Triangles as they are, for what does not move.

        vertices: (N, 3)
        faces: (M, 3), numbers of vertices, anticlockwise as seen from outside
        """
        corners = np.asarray(faces, dtype=np.int32)
        if corners.ndim != 2 or corners.shape[1] != 3:
            raise ValueError(f"faces have shape {corners.shape}; (M, 3) is needed")
        points = _points(vertices)
        return cls._of(_core.Shape.mesh(points, corners), points, corners)

    @classmethod
    def height_field(cls, heights: npt.ArrayLike, width: float, depth: float) -> "Shape":
        """Ground whose height is known on a grid around the origin.

        heights: (rows along y, columns along x), m
        width, depth: m, along x and y
        """
        grid = np.atleast_2d(np.asarray(heights, dtype=float))
        return cls._of(_core.Shape.height_field(grid, width, depth), grid, width, depth)

    @classmethod
    def from_file(cls, path: Union[str, "os.PathLike[str]"], *, scale: npt.ArrayLike = 1.0, convex: bool = True) -> "Shape":
        """A mesh from STL or OBJ, and what assimp reads where ulna is built with it.

        path: the file
        scale: a number, or (3,)
        convex: its hull, which may move; otherwise the triangles themselves
        """
        vertices, faces = _core.mesh_file(os.fspath(path))
        scaled = vertices * np.asarray(scale, dtype=float)
        return cls.hull(scaled) if convex else cls.mesh(scaled, faces)

    @property
    def kind(self) -> str:
        """Its name: "box", ..., "hull", "mesh" or "height field"."""
        return str(self._core.kind)

    @property
    def vertices(self) -> Array:
        """(N, 3), of a hull; none of other shapes."""
        return np.asarray(self._core.vertices)

    def bounds(self, X: Optional[npt.ArrayLike] = None) -> Tuple[Array, Array]:
        """A box along the axes around it.

        X: (4, 4), its pose; none: in its own frame
        returns: lower (3,), upper (3,)
        """
        lower, upper = self._core.box(_pose(X))
        return np.asarray(lower), np.asarray(upper)

    def inertial(self, *, mass: Optional[float] = None, density: Optional[float] = None) -> Inertial:
        """What it weighs if it is solid and even.

        mass: kg; or
        density: kg/m³
        returns: Inertial
        """
        if (mass is None) == (density is None):
            raise ValueError("give a mass or a density")
        for name, x in (("mass", mass), ("density", density)):
            if x is not None and not (np.isfinite(x) and x > 0):
                raise ValueError(f"{name} is {x}; it must be positive")
        return Inertial(*self._core.inertial(mass or 0.0, density or -1.0))

    def __repr__(self) -> str:
        lower, upper = self.bounds()
        return f"Shape('{self.kind}', {' x '.join(f'{x:.4g}' for x in upper - lower)} m)"


def shape_of(shape: Any) -> Shape:
    """A Shape of what stands for one: ("box", (0.1, 0.1, 0.1)), "plane", or a Shape."""
    if isinstance(shape, Shape):
        return shape
    return Shape(shape) if isinstance(shape, str) else Shape(*shape)


def _points(x: npt.ArrayLike) -> Array:
    points = np.asarray(x, dtype=float)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(f"points have shape {points.shape}; (N, 3) is needed")
    return points


def _pose(X: Optional[npt.ArrayLike]) -> Array:
    pose = np.eye(4) if X is None else np.asarray(X, dtype=float)
    if pose.shape != (4, 4):
        raise ValueError(f"a pose has shape {pose.shape}; (4, 4) is needed")
    return pose


def contact_points(
    first: Any, second: Any, X_first: Optional[npt.ArrayLike] = None, X_second: Optional[npt.ArrayLike] = None, *, margin: float = 0.0
) -> List[ContactPoint]:
    """Where two shapes are nearer than a margin: the points of a patch where faces or edges meet, otherwise the nearest.

    first, second: Shapes, or what makes them: ("box", (0.1, 0.1, 0.1))
    X_first, X_second: (4, 4), poses in the world; identity if not given
    margin: m
    returns: at most 8 ContactPoints
    """
    a, b = shape_of(first), shape_of(second)
    return [ContactPoint(*p) for p in _core.contact_points(a._core, _pose(X_first), b._core, _pose(X_second), margin)]


def distance(first: Any, second: Any, X_first: Optional[npt.ArrayLike] = None, X_second: Optional[npt.ArrayLike] = None) -> float:
    """Distance of the surfaces of two shapes, m; where they overlap less than nothing: the least translation that separates them.

    first, second: as of `contact_points`
    X_first, X_second: (4, 4), poses in the world; identity if not given
    """
    a, b = shape_of(first), shape_of(second)
    return float(_core.distance(a._core, _pose(X_first), b._core, _pose(X_second)))


def check_inertia(mass: float, com: npt.ArrayLike, inertia: npt.ArrayLike) -> InertiaCheck:
    """Whether a body can exist: mass positive, and each principal moment smaller than the sum of the other two.

    mass: kg
    com: (3,), centre of mass
    inertia: (3, 3), about the centre of mass
    returns: InertiaCheck, true if it can
    """
    c, I = np.asarray(com, dtype=float), np.asarray(inertia, dtype=float)
    if c.shape != (3,) or I.shape != (3, 3):
        raise ValueError(f"com has shape {c.shape} and inertia {I.shape}; (3,) and (3, 3) are needed")
    return InertiaCheck(*_core.consistency(mass, c, I))


@dataclass(frozen=True)
class LinkShape:
    """A collision shape of a robot's link."""

    link: str
    body: int  #: the number of the body that carries it: 0 is the base
    X: Array  #: (4, 4), its pose in the frame of the body
    shape: Shape


@dataclass(frozen=True)
class CollisionShapes:
    """The collision shapes of a robot's description; meshes as their hulls."""

    shapes: List[LinkShape]
    diagnostics: Tuple[Diagnostic, ...]  #: meshes that could not be read and are left out


def collision_shapes(robot: "Robot", mesh_folders: Sequence[str]) -> CollisionShapes:
    """What Robot.collision_shapes returns."""
    shapes, found = _core.collision_shapes(robot._engine, list(mesh_folders))
    return CollisionShapes([LinkShape(link, body, X, Shape._of(core)) for link, body, X, core in shapes], tuple(found))


class Capsules:
    """A robot as capsules between its joints: distances of its links from each other, the floor and obstacles, with slopes.

        watched = ulna.Capsules(robot, floor=0.0, obstacles=[{"from": (0.5, 0, 0), "to": (0.5, 0, 1), "radius": 0.1}])
        distance, slope = watched.distances(q)

    robot: the robot
    radius: m; 0: a twentieth of its reach
    floor: height that nothing may go below; None: none
    distance: m, at least, between surfaces; None: links may meet
    obstacles: [{"from": (3,), "to": (3,), "radius": r}], in the world
    options: capsules, self; see docs/control.md
    """

    def __init__(
        self,
        robot: "Robot",
        *,
        radius: float = 0.0,
        floor: Optional[float] = None,
        distance: Optional[float] = 0.01,
        obstacles: Sequence[Any] = (),
        **options: Any,
    ) -> None:
        how = given(radius=radius, floor=floor, obstacles=list(obstacles), **options)
        self._core = _core.Capsules(robot._engine, {**how, "distance": distance})
        self._name = robot.name

    @property
    def pairs(self) -> List[str]:
        """What is watched: "link2 and link5", "link4 and the floor", "link3 and obstacle 0"."""
        return list(self._core.pairs)

    @property
    def ignored(self) -> List[str]:
        """What is not, because it nearly always meets."""
        return list(self._core.ignored)

    @property
    def radius(self) -> float:
        """Of the capsules, m."""
        return float(self._core.radius)

    def distances(self, q: Any) -> Tuple[Array, Array]:
        """Distances between surfaces, less than nothing where they meet.

        q: (nq,)
        returns: distances (pairs,), and their slopes (pairs, nv)
        """
        d, slope = self._core.distances(q)
        return np.asarray(d), np.asarray(slope)

    def __repr__(self) -> str:
        return f"Capsules('{self._name}': {len(self.pairs)} distances, radius {self.radius:.3g} m)"
