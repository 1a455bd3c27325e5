"""Robots that are put together in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from ._record import given

if TYPE_CHECKING:
    from ._robot import Robot

#: (3,)
Vector3 = npt.ArrayLike


def _pose(xyz: Vector3, rpy: Vector3) -> Dict[str, Any]:
    return {"xyz": np.asarray(xyz, dtype=float), "rpy": np.asarray(rpy, dtype=float)}


class Builder:
    """Puts a robot together, link by link. Each call returns the builder.

        arm = (ulna.Builder("arm")
               .link("base")
               .link("upper", *ulna.Shape("cylinder", (0.05, 0.4)).inertial(mass=2.0))
               .joint("shoulder", "revolute", "base", "upper", xyz=(0, 0, 0.3), axis=(0, 1, 0), effort=50.0)
               .build())

    name: of the robot
    gravity: (3,), m/s²

    `description` is all of it as a dict, as Robot.description() returns one and Robot.from_description() takes it.
    """

    def __init__(self, name: str = "robot", gravity: Vector3 = (0.0, 0.0, -9.81)) -> None:
        kinds = ("links", "joints", "frames", "loops", "motors")
        self.description: Dict[str, Any] = {"name": name, "gravity": np.asarray(gravity, dtype=float), **{k: [] for k in kinds}}

    def _add(self, kind: str, item: Dict[str, Any]) -> "Builder":
        self.description[kind].append(item)
        return self

    def link(
        self,
        name: str,
        mass: Optional[float] = None,
        com: Vector3 = (0.0, 0.0, 0.0),
        inertia: Optional[npt.ArrayLike] = None,
        *,
        visuals: Sequence[Tuple[Any, ...]] = (),
        collisions: Sequence[Tuple[Any, ...]] = (),
    ) -> "Builder":
        """Adds a link.

        name: of the link
        mass: kg; none: it has no inertia
        com: (3,), centre of mass
        inertia: (3, 3), about the centre of mass; a point mass if it is not given
        visuals, collisions: shapes in the link's frame: ("box", (x, y, z)), ("sphere", r), ("cylinder", (r, length)),
            ("capsule", (r, length)), ("mesh", file); or {"geometry": one of these, "origin": {"xyz": (3,), "rpy": (3,)}}
        """
        I = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, dtype=float)
        inertial = None if mass is None else {"mass": mass, "com": np.asarray(com, dtype=float), "inertia": I}
        shapes = {k: [s if isinstance(s, Mapping) else {"geometry": s} for s in x] for k, x in (("visuals", visuals), ("collisions", collisions))}
        return self._add("links", {"name": name, "inertial": inertial, **shapes})

    def joint(
        self,
        name: str,
        type: str,
        parent: str,
        child: str,
        *,
        xyz: Vector3 = (0.0, 0.0, 0.0),
        rpy: Vector3 = (0.0, 0.0, 0.0),
        axis: Vector3 = (0.0, 0.0, 1.0),
        lower: Optional[float] = None,
        upper: Optional[float] = None,
        velocity: Optional[float] = None,
        effort: Optional[float] = None,
        damping: float = 0.0,
        friction: float = 0.0,
        friction_negative: Optional[float] = None,
        armature: float = 0.0,
        pitch: float = 0.0,
        mimic: Optional[Mapping[str, Any]] = None,
        spring: Optional[Mapping[str, float]] = None,
    ) -> "Builder":
        """Adds a joint.

        name: of the joint
        type: "fixed", "revolute", "continuous", "prismatic", "helical", "planar", "ball" or "floating"
        parent, child: names of links
        xyz, rpy: (3,), where it is in the parent: m, and roll, pitch, yaw
        axis: (3,), in the joint's frame
        lower, upper: limits of position, rad or m; none if not given
        velocity, effort: limits of |v| and |tau|; none if not given
        damping, friction: torque per velocity, and Coulomb friction
        friction_negative: that for v < 0; the same if not given
        armature: inertia of the rotor, seen at the joint
        pitch: of a helical joint, m/rad
        mimic: {"joint": name, "multiplier": 1.0, "offset": 0.0}
        spring: {"stiffness": K, "hardening": 0.0, "damping": D} between motor and link
        """
        limits = given(lower=lower, upper=upper, velocity=velocity, effort=effort)
        back = friction if friction_negative is None else friction_negative
        dynamics = {"damping": damping, "friction": friction, "friction_negative": back, "armature": armature}
        what: Dict[str, Any] = {"name": name, "type": type, "parent": parent, "child": child, "origin": _pose(xyz, rpy)}
        what.update(axis=np.asarray(axis, dtype=float), limits=limits, dynamics=dynamics, pitch=pitch)
        return self._add("joints", {**what, **given(mimic=mimic, spring=spring)})

    def frame(self, name: str, link: str, *, xyz: Vector3 = (0.0, 0.0, 0.0), rpy: Vector3 = (0.0, 0.0, 0.0)) -> "Builder":
        """Adds a frame of interest.

        name: of the frame
        link: that it is fixed to
        xyz, rpy: (3,), where it is in the link
        """
        return self._add("frames", {"name": name, "link": link, "origin": _pose(xyz, rpy)})

    def loop(
        self,
        name: str,
        type: str,
        link1: str,
        link2: str,
        *,
        xyz1: Vector3 = (0.0, 0.0, 0.0),
        rpy1: Vector3 = (0.0, 0.0, 0.0),
        xyz2: Vector3 = (0.0, 0.0, 0.0),
        rpy2: Vector3 = (0.0, 0.0, 0.0),
        axis: Vector3 = (0.0, 0.0, 1.0),
    ) -> "Builder":
        """Adds a joint that closes a loop between two links of the tree.

        name: of the joint
        type: as of `joint`
        link1, link2: names of links
        xyz1, rpy1, xyz2, rpy2: (3,), where it is in each of them
        axis: (3,), in the joint's frame
        """
        origins = {"origin1": _pose(xyz1, rpy1), "origin2": _pose(xyz2, rpy2)}
        return self._add("loops", {"name": name, "type": type, "link1": link1, "link2": link2, **origins, "axis": np.asarray(axis, dtype=float)})

    def motor(
        self,
        name: str,
        gears: Mapping[str, float],
        *,
        inertia: float = 0.0,
        damping: float = 0.0,
        friction: float = 0.0,
        friction_negative: Optional[float] = None,
        mount: Optional[Mapping[str, Any]] = None,
    ) -> "Builder":
        """Adds a motor; joints that no motor names are driven directly.

        name: of the motor
        gears: {joint: ratio}; it turns by the sum of ratio * position
        inertia: of the rotor at its shaft, kg m²
        damping, friction, friction_negative: at its shaft
        mount: {"link": name, "axis": (3,)}: the link that carries the rotor
        """
        back = friction if friction_negative is None else friction_negative
        what: Dict[str, Any] = {"name": name, "gears": [{"joint": j, "ratio": r} for j, r in gears.items()]}
        what.update(inertia=inertia, damping=damping, friction=friction, friction_negative=back, **given(mount=mount))
        return self._add("motors", what)

    def build(self, *, strict: bool = False) -> "Robot":
        """The robot; ModelError if it cannot be one.

        strict: refuse descriptions that would be repaired
        """
        from ._robot import Robot

        return Robot.from_description(self.description, strict=strict)

    def __repr__(self) -> str:
        counts: List[str] = [f"{len(self.description[k])} {k}" for k in ("links", "joints")]
        return f"Builder('{self.description['name']}': {', '.join(counts)})"
