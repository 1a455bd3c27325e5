"""The class Robot."""

from __future__ import annotations

import os
from html import escape
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._doors import Doors
from ._drives import Drives
from ._dynamics import Dynamics, Vector
from ._errors import Diagnostic, ModelError, Report
from ._kinematics import Kinematics
from ._results import Array, IkResult, Joint


def robots() -> List[str]:
    """Names of the embedded robots, each of which `Robot` takes: ["acrobot", ..., "panda", ...]."""
    return list(_core.robots())


def _is_text(source: str) -> bool:
    return "\n" in source or source.lstrip().startswith("<")


def check(source: Union[str, "os.PathLike[str]"], *, strict: bool = False) -> Report:
    """Everything that is found in a description: errors, warnings and notes, each with place, rule and remedy.

    source: a file, an embedded robot's name, or the description itself as text
    strict: refuse what would be repaired
    returns: Report, true if the description is accepted; a list of Diagnostic
    """
    text = os.fspath(source)
    try:
        if _is_text(text):
            engine = _core.Engine.parse(text, "text", strict)
        else:
            engine = _core.Engine.load(text, strict)
    except ModelError as error:
        return Report(False, error.diagnostics)
    return Report(True, engine.diagnostics)


class Robot(Dynamics, Kinematics, Drives, Doors):
    """A robot: its kinematics, dynamics, derivatives and regressors, from numpy arrays.

    Robot("panda")         an embedded robot; ulna.robots() lists them
    Robot("arm.urdf")      a file: URDF, or a DH or screw table in YAML
    Robot.from_string(t)   the same as text

    name: a file or an embedded robot's name
    strict: refuse descriptions that would be repaired
    floating_base: put a floating joint under the base
    independent_mimics: let mimicking joints move on their own
    threads: how many threads batches run on; 0: one per core

    q has nq numbers, v, a and tau have nv. Each argument is a vector (n,), which is one state, or an array (N, n),
    which is N states and runs as a batch on all cores with the GIL released. A vector beside arrays is repeated.
    Lists and views are taken, and dicts by joint name, in which joints left out are at rest: zero, or neutral in q.
    If all arrays are float32, so is the result. Sizes that do not fit and numbers that are not finite raise
    ValueError, descriptions that are refused ModelError.

    Robots are immutable but for `threads`, and may be shared by threads; edits return new robots.
    """

    def __init__(
        self,
        name: Union[str, "os.PathLike[str]"],
        *,
        strict: bool = False,
        floating_base: bool = False,
        independent_mimics: bool = False,
        threads: int = 0,
    ) -> None:
        self._engine = _core.Engine.load(os.fspath(name), strict, floating_base, independent_mimics)
        self.threads = threads

    @classmethod
    def from_string(
        cls,
        text: str,
        *,
        file: str = "text",
        strict: bool = False,
        floating_base: bool = False,
        independent_mimics: bool = False,
        threads: int = 0,
    ) -> "Robot":
        """A robot from a description as text: URDF, DH or screw table; its content decides which.

        text: the description
        file: the name that messages have
        strict, floating_base, independent_mimics, threads: as for Robot
        """
        robot = cls._of(_core.Engine.parse(text, file, strict, floating_base, independent_mimics))
        robot.threads = threads
        return robot

    @classmethod
    def from_description(cls, description: Mapping[str, Any], *, strict: bool = False, threads: int = 0) -> "Robot":
        """A robot from a dict, as `description` returns one; ulna.Builder makes them in steps.

        description: {"name", "gravity", "links", "joints", "frames", "loops", "motors"}
        strict, threads: as for Robot
        """
        robot = cls._of(_core.build(dict(description), strict))
        robot.threads = threads
        return robot

    @classmethod
    def _of(cls, engine: Any) -> "Robot":
        robot = cls.__new__(cls)
        robot._engine = engine
        return robot

    # --- what it is ---

    @property
    def name(self) -> str:
        """The robot's name."""
        return str(self._engine.name)

    @property
    def file(self) -> str:
        """Where it was read, or ""."""
        return str(self._engine.file)

    @property
    def nq(self) -> int:
        """How many numbers a configuration has."""
        return int(self._engine.nq)

    @property
    def nv(self) -> int:
        """How many numbers a velocity has: the degrees of freedom."""
        return int(self._engine.nv)

    @property
    def joints(self) -> List[Joint]:
        """The moving joints, depth-first."""
        return [Joint(*joint) for joint in self._engine.joints]

    @property
    def joint_names(self) -> List[str]:
        """Names of the moving joints, depth-first."""
        return list(self._engine.joint_names)

    @property
    def body_names(self) -> List[str]:
        """Names of the links that joints carry, the base first."""
        return list(self._engine.body_names)

    @property
    def frame_names(self) -> List[str]:
        """Names that `frame` may be: all links and named frames."""
        return list(self._engine.frame_names)

    @property
    def configuration_names(self) -> List[str]:
        """Names of the numbers in q, nq of them."""
        return list(self._engine.configuration_names)

    @property
    def velocity_names(self) -> List[str]:
        """Names of the numbers in v, nv of them."""
        return list(self._engine.velocity_names)

    @property
    def diagnostics(self) -> Tuple[Diagnostic, ...]:
        """Notes and warnings of its description."""
        found: Optional[Tuple[Diagnostic, ...]] = self.__dict__.get("_diagnostics")
        return found if found is not None else tuple(self._engine.diagnostics)

    @property
    def gravity(self) -> Array:
        """Gravity in m/s², (3,)."""
        return np.asarray(self._engine.gravity)

    @property
    def mass(self) -> float:
        """Mass of all moving bodies in kg."""
        return float(self._engine.mass)

    @property
    def lower_limit(self) -> Array:
        """Lower limits of q, (nq,); -inf where there is none."""
        return np.asarray(self._engine.lower_limit)

    @property
    def upper_limit(self) -> Array:
        """Upper limits of q, (nq,); inf where there is none."""
        return np.asarray(self._engine.upper_limit)

    @property
    def velocity_limit(self) -> Array:
        """Limits of |v|, (nv,); inf where there is none."""
        return np.asarray(self._engine.velocity_limit)

    @property
    def effort_limit(self) -> Array:
        """Limits of |tau|, (nv,); inf where there is none."""
        return np.asarray(self._engine.effort_limit)

    @property
    def damping(self) -> Array:
        """Viscous friction, torque per velocity, (nv,)."""
        return np.asarray(self._engine.damping)

    @property
    def friction(self) -> Array:
        """Coulomb friction for v > 0, (nv,)."""
        return np.asarray(self._engine.friction)

    @property
    def friction_negative(self) -> Array:
        """Magnitude of Coulomb friction for v < 0, (nv,)."""
        return np.asarray(self._engine.friction_negative)

    @property
    def armature(self) -> Array:
        """Inertia of the rotors, seen at the joints, (nv,)."""
        return np.asarray(self._engine.armature)

    @property
    def parameters(self) -> Array:
        """Inertial parameters pi, (10 joints,): (m, m c, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) of each body about its frame."""
        return np.asarray(self._engine.parameters)

    @property
    def drive_parameters(self) -> Array:
        """Numbers of the motors, (5 nv,): inertia, damping, friction and friction_negative of each, then the rotors seen at the joints.

        Of motors that are neither coupled nor behind springs they are 0: those are part of their joints.
        """
        return np.asarray(self._engine.drive_parameters)

    @property
    def spring_parameters(self) -> Array:
        """Stiffness, hardening and damping of the springs, (nv, 3); 0 where a joint is rigid."""
        return np.asarray(self._engine.spring_parameters)

    @property
    def gear_ratios(self) -> Array:
        """How many times as far as joints motors turn, (gears,), motor by motor; of coupled motors several."""
        return np.asarray(self._engine.gear_ratios)

    @property
    def has_drives(self) -> bool:
        """Whether it has springs or coupled motors, which inverse_dynamics takes as rigid, each joint with its own motor."""
        return bool(self._engine.has_drives)

    @property
    def has_springs(self) -> bool:
        """Whether there are springs between motors and links."""
        return bool(self._engine.has_springs)

    @property
    def has_loops(self) -> bool:
        """Whether joints close loops, which most functions leave open."""
        return bool(self._engine.has_loops)

    @property
    def threads(self) -> int:
        """How many threads batches run on; 0: one per core."""
        return int(self._engine.threads)

    @threads.setter
    def threads(self, threads: int) -> None:
        if threads < 0:
            raise ValueError(f"threads is {threads}; it must not be negative")
        self._engine.threads = threads

    # --- configurations ---

    def neutral(self) -> Array:
        """Zero, with identity quaternions, moved into the limits where zero lies outside; (nq,)."""
        return np.asarray(self._engine.neutral())

    def random_configuration(
        self, seed: Union[int, np.random.Generator, None] = None, n: Optional[int] = None
    ) -> Array:
        """Configurations between the limits, uniform; within ±pi or ±1 m where there are none.

        seed: a number or numpy's generator; the same seed, the same configurations
        n: how many
        returns: (nq,), or (n, nq) if n is given
        """
        generator = seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed)
        number = int(generator.integers(0, 2**63))
        Q = np.ascontiguousarray(self._engine.random_configurations(number, 1 if n is None else n))
        return np.asarray(Q[0]) if n is None else Q

    def fk(self, q: Vector) -> Dict[str, Array]:
        """Forward kinematics: the poses of all frames by name.

        q: (nq,) or (N, nq): configuration
        returns: {frame: (4, 4) or (N, 4, 4)}
        """
        return {frame: self.pose(q, frame) for frame in self.frame_names}

    def ik(
        self,
        frame: str,
        target: npt.ArrayLike,
        start: Optional[Vector] = None,
        *,
        position_only: bool = False,
        position_tolerance: float = 1e-6,
        orientation_tolerance: float = 1e-6,
        iterations: int = 200,
        restarts: int = 20,
        seed: int = 1,
    ) -> IkResult:
        """Inverse kinematics: q with a frame at a pose, within the joint limits.

        frame: the name of a link or frame
        target: (4, 4), its pose in the world; or (3,), its position
        start: (nq,), where the search begins; neutral() if it is not given
        position_only: any orientation will do
        position_tolerance, orientation_tolerance: metres, radians
        iterations: at most so many per start
        restarts: from so many random configurations if the first start fails
        seed: of the random configurations
        returns: IkResult; `found` says whether q reaches the target
        """
        X = np.array(target, dtype=float)
        if X.shape == (3,):
            X, position_only = np.block([[np.eye(3), X[:, None]], [np.zeros(3), 1.0]]), True
        if X.shape != (4, 4):
            raise ValueError(f"target has shape {X.shape}; a pose (4, 4) or a position (3,) is needed")
        q0 = self.neutral() if start is None else self.configuration_vector(start)
        return IkResult(
            *self._engine.ik(
                frame, X, q0, position_tolerance, orientation_tolerance, position_only, iterations, restarts, seed
            )
        )

    # --- robots made from it ---

    def with_gravity(self, gravity: npt.ArrayLike) -> "Robot":
        """The robot under another gravity.

        gravity: (3,), m/s²
        """
        return self._of(self._engine.with_gravity(np.asarray(gravity, dtype=float)))

    def lock_joints(self, at: Mapping[str, Any]) -> "Robot":
        """The robot with some joints frozen.

        at: {joint: value}, as many numbers as the joint has in q
        """
        values = {name: np.atleast_1d(np.asarray(value, dtype=float)).tolist() for name, value in at.items()}
        return self._of(self._engine.lock_joints(values))

    def sub_chain(self, base_link: str, tip_link: str) -> "Robot":
        """The chain from one link down to another; moving branches beside it are left out, each with a note.

        base_link, tip_link: names of links
        """
        return self._of(self._engine.sub_chain(base_link, tip_link))

    def lump_fixed_joints(self) -> "Robot":
        """The robot with its fixed joints dissolved: one link per body, and a frame for each link lost."""
        return self._of(self._engine.lump_fixed_joints())

    def with_floating_base(self, joint_name: str = "floating_base") -> "Robot":
        """The robot with its base free to move.

        joint_name: the name of the floating joint
        """
        return self._of(self._engine.with_floating_base(joint_name))

    def with_plain_drives(self) -> "Robot":
        """The robot without springs, and with coupled motors taken apart."""
        return self._of(self._engine.with_plain_drives())

    def without_mimics(self) -> "Robot":
        """The robot with mimicking joints moving on their own."""
        return self._of(self._engine.without_mimics())

    def without_friction(self) -> "Robot":
        """The robot whose joints and motors have neither friction nor damping."""
        return self._of(self._engine.without_friction())

    def with_parameters(self, parameters: npt.ArrayLike) -> "Robot":
        """The robot with other inertial parameters; each body's inertia is put on the link that its joint carries.

        parameters: (10 joints,), as `parameters` has them
        """
        return self._of(self._engine.with_parameters(np.asarray(parameters, dtype=float)))

    def with_payload(
        self,
        frame: str,
        mass: float,
        com: npt.ArrayLike = (0.0, 0.0, 0.0),
        inertia: Optional[npt.ArrayLike] = None,
    ) -> "Robot":
        """The robot holding a body.

        frame: the link or frame that holds it
        mass: kg
        com: (3,), its centre of mass in the frame
        inertia: (3, 3), about the centre of mass in the frame's axes; a point mass if it is not given
        """
        I = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, dtype=float)
        return self._of(self._engine.with_payload(frame, mass, np.asarray(com, dtype=float), I))

    def description(self) -> Dict[str, Any]:
        """What it is made of, as a dict that from_description() takes: in the author's frames and words.

        returns: {"name", "gravity", "links", "joints", "frames", "loops", "motors"}; a copy
        """
        return dict(_core.description(self._engine))

    def to_urdf(self) -> str:
        """The robot as URDF. Read back, it is the same robot, bit by bit."""
        return str(self._engine.to_urdf())

    # --- functions for loops, and for others' solvers ---

    def function(self, name: str) -> Any:
        """A function of its own, for loops: called like the method, without a lookup in between.

        name: "inverse_dynamics", "jacobian", ...; what Robot has as functions of arrays
        """
        method = next((c.__dict__[name] for c in type(self).__mro__ if name in c.__dict__), None)
        if not hasattr(method, "make"):
            raise ValueError(f"there is no function '{name}'; there are {', '.join(_core.functions())}")
        return method.make(self)  # type: ignore[union-attr]

    def inverse_dynamics_fn(self) -> Callable[..., Array]:
        """inverse_dynamics as a function of its own, for loops: f(q, v, a, out=None)."""
        return self.function("inverse_dynamics")  # type: ignore[no-any-return]

    def forward_dynamics_fn(self) -> Callable[..., Array]:
        """forward_dynamics as a function of its own, for loops: f(q, v, tau, out=None)."""
        return self.function("forward_dynamics")  # type: ignore[no-any-return]

    def mass_matrix_fn(self) -> Callable[..., Array]:
        """mass_matrix as a function of its own, for loops: f(q, out=None)."""
        return self.function("mass_matrix")  # type: ignore[no-any-return]

    def ode(self, tau: Union[None, Vector, Callable[[float, Array, Array], Vector]] = None) -> Callable[[float, Array], Array]:
        """The equations of motion dx/dt = f(t, x) with x = (q, v), as scipy.integrate.solve_ivp takes them.

        tau: the torques: None for none, a vector, or a function tau(t, q, v)
        returns: f(t, x) with x: (nq + nv,), the same as its value
        """
        forward, rate, nq, nv = self.forward_dynamics_fn(), self.function("configuration_rate"), self.nq, self.nv
        constant = np.zeros(nv) if tau is None else None if callable(tau) else self.velocity_vector(tau)

        def f(t: float, x: Array) -> Array:
            q, v = x[:nq], x[nq:]
            dx = np.empty(nq + nv)
            rate(q, v, out=dx[:nq])
            forward(q, v, constant if constant is not None else tau(t, q, v), out=dx[nq:])  # type: ignore
            return dx

        return f

    # --- copies and pictures ---

    def __copy__(self) -> "Robot":
        robot = self._of(self._engine.copied())
        robot.__dict__["_diagnostics"] = self.diagnostics
        return robot

    def __deepcopy__(self, memo: Any) -> "Robot":
        return self.__copy__()

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_restored, (type(self), self.to_urdf(), self.file, self.threads, self.diagnostics))

    def __repr__(self) -> str:
        return f"Robot('{self.name}': {self.nv} degrees of freedom, {len(self.joints)} joints, {self.mass:.4g} kg)"

    def _repr_html_(self) -> str:
        def number(x: float) -> str:
            return f"{x:.4g}" if np.isfinite(x) else ""

        rows = ""
        for joint in self.joints:
            cells = [joint.name, joint.type]
            single = not joint.mimics and joint.type not in ("planar", "ball", "floating")
            limits = (self.lower_limit[joint.q], self.upper_limit[joint.q]) if single else ()
            rates = (self.velocity_limit[joint.v], self.effort_limit[joint.v]) if single else ()
            cells += [number(x) for x in (*limits, *rates)] if single else ["", "", "", ""]
            rows += "<tr>" + "".join(f"<td>{escape(c)}</td>" for c in cells) + "</tr>"
        head = "".join(f"<th>{h}</th>" for h in ("joint", "type", "lower", "upper", "velocity", "effort"))
        return (
            f"<p><b>{escape(self.name)}</b>: {self.nv} degrees of freedom, {self.mass:.4g} kg</p>"
            f"<table><tr>{head}</tr>{rows}</table>"
        )


def _restored(cls: Any, urdf: str, file: str, threads: int, diagnostics: Sequence[Diagnostic]) -> Robot:
    """A robot from what __reduce__ has written."""
    robot: Robot = cls.from_string(urdf, file=file, threads=threads)
    robot.__dict__["_diagnostics"] = tuple(diagnostics)
    return robot
