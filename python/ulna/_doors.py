"""What other parts of ulna do with a robot: equations, code, simulation, identification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core, _formulations, _geometry, _identify, _simulate
from ._dynamics import Vector
from ._equations import Equations
from ._formulations import Comparison, Formulations, SimplifiedModel
from ._geometry import CollisionShapes
from ._identify import BaseParameters, ExcitingMotion, Identification
from ._results import Array, ContactDerivatives, ContactMotion, ContactTorques, OperationalSpace, State, StepDerivatives
from ._simulate import Changes, SimulationResult, Torque

if TYPE_CHECKING:
    from ._robot import Robot


class Doors:
    """Methods of Robot."""

    _engine: Any

    def _itself(self) -> "Robot":
        return self  # type: ignore[return-value]

    # --- equations, formulations, code ---

    def equations(
        self,
        terms: Optional[Sequence[str]] = None,
        *,
        numeric: bool = False,
        short_names: bool = False,
        let: Sequence[str] = (),
        seconds: float = 30.0,
        most_joints: int = 7,
    ) -> Equations:
        """Equations of motion in symbols, tau = M(q) a + C(q, v) v + g(q); a notebook shows them as LaTeX.

        For small arms of revolute and prismatic joints: how long an equation is grows exponentially with the number of joints.

        terms: letters of those that are derived: M, C, h = C v, g, and of robots with springs or coupled motors s and B; all that
            the robot has if not given, but h
        numeric: the robot's numbers instead of symbols
        short_names: C12 and S12 for cos(th1 + th2) and sin(th1 + th2)
        let: relations that hold in this robot, or new names: ["lc1=l1/2", "l1=a"]
        seconds: at most
        most_joints: robots with more are refused
        returns: Equations
        """
        wanted = terms if terms is not None else ["M", "C", "g", "s", "B"] if self._itself().has_drives else ["M", "C", "g"]
        options = dict(numeric=numeric, short_names=short_names, let=list(let), seconds=seconds, most_joints=most_joints)
        return Equations(self._itself(), list(wanted), options)

    def formulations(self) -> Formulations:
        """The textbook formulations that take this arm, Lagrange-Euler, Newton-Euler, d'Alembert, ..., with operation counts.

        returns: Formulations, by name: robot.formulations()["lagrange-euler"].inverse_dynamics(q, v, a)
        """
        return Formulations(self._itself())

    def compare_formulations(self, states: int = 100, *, seed: int = 1) -> Comparison:
        """All formulations and ulna's inverse dynamics on the same random states: disagreement, operations, time.

        states: how many
        seed: of the states
        returns: Comparison, a table
        """
        return _formulations.compare(self._itself(), states, seed)

    def codegen(
        self,
        function: str,
        *,
        lanes: int = 0,
        symbolic_inertias: bool = False,
        compiler: str = "cc",
        flags: Sequence[str] = ("-O3", "-march=native", "-ffp-contract=fast"),
    ) -> Callable[..., Any]:
        """A function of this one robot as generated C, compiled and loaded: called as Robot's own, and several times as fast.

        What was compiled is kept in $ULNA_CACHE, $XDG_CACHE_HOME/ulna or ~/.cache/ulna. `operations` and `from_cache` are
        attributes of the result.

        function: "inverse_dynamics", "mass_matrix", "inverse_mass_matrix", "forward_dynamics", "inverse_dynamics_derivatives",
            "forward_dynamics_derivatives", "torque_regressor", "drive_inverse_dynamics" (q, v, a, jerk, snap) or
            "drive_forward_dynamics" (q, v, theta, omega, tau)
        lanes: 2, 4, 8 or 16: so many of many states are computed at a time in SIMD lanes; it takes longer to compile
        symbolic_inertias: the inertial parameters are a last argument, pi (10 joints,)
        compiler, flags: of C
        returns: f(q, v, a, out=None), for vectors, (N, n), dicts, out= as Robot.inverse_dynamics
        """
        options = dict(lanes=lanes, compiler=compiler, flags=list(flags))
        made = _core.compile_function(self._engine, function, symbolic_inertias, options)
        method = next((c.__dict__[function] for c in type(self).__mro__ if function in c.__dict__), None)
        if getattr(method, "result", None) is not None:
            made.result_type = method.result  # type: ignore[union-attr]
        return made

    def c_code(
        self, function: str, *, lanes: int = 0, symbolic_inertias: bool = False, single_precision: bool = False
    ) -> Tuple[str, str]:
        """A function of this one robot as C99 without heap or dependencies.

        function: as of `codegen`
        lanes: also a function for many states, so many at a time in SIMD lanes
        symbolic_inertias: the inertial parameters are a last argument
        single_precision: float instead of double
        returns: header and source
        """
        _, header, source = _core.c_source(self._engine, function, symbolic_inertias, lanes, single_precision)
        return str(header), str(source)

    def simplify(self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, *, tolerance: float = 0.01) -> SimplifiedModel:
        """A model without the terms that hardly matter along a motion [Fu, Gonzalez, Lee 1987, sec. 3.4.1].

        The generalised d'Alembert equations name what comes of translation and of rotation; each is weighed by itself.

        q: (N, nq), the motion
        v: (N, nv)
        a: (N, nv)
        tolerance: no torque gets wrong by more than this share of the joint's largest torque
        returns: SimplifiedModel: `terms`, the heaviest first, and inverse_dynamics() of those that are kept
        """
        return SimplifiedModel(self._itself(), q, v, a, tolerance)

    # --- tasks and contacts ---

    def operational_space(self, q: Vector, task: Union[str, npt.ArrayLike], axes: str = "aligned", *, most: float = 1e10) -> OperationalSpace:
        """The robot as a task meets it: inertia (J M^-1 J')^-1 and the pseudo-inverse of J by it [Khatib 1987].

        q: (nq,) or (N, nq): configuration
        task: a frame's name, or J itself, (m, nv) or (N, m, nv): a frame's position alone is robot.jacobian(q, frame)[3:]
        axes: 'aligned', 'local' or 'world': of a frame's Jacobian
        most: ValueError if J M^-1 J' has a larger condition number: the task is singular
        returns: inertia (m, m), pseudo_inverse (nv, m); of N states, N of them
        """
        robot = self._itself()
        J = robot.jacobian(q, task, axes) if isinstance(task, str) else np.asarray(task, dtype=float)
        if J.ndim < 2 or J.shape[-1] != robot.nv or not np.isfinite(J).all():
            raise ValueError(f"the task's Jacobian has shape {J.shape}; finite numbers (m, {robot.nv}) are needed")
        M_inverse_Jt = robot.inverse_mass_matrix(q) @ np.swapaxes(J, -1, -2)
        inverse = J @ M_inverse_Jt
        condition = np.linalg.cond(inverse)
        if not np.all(condition <= most):
            raise ValueError(f"the task is singular: J M^-1 J' has a condition number of {np.max(condition):.3g}, more than {most:g}")
        inertia = np.linalg.inv(inverse)
        return OperationalSpace(inertia, M_inverse_Jt @ inertia)

    def collision_shapes(self, mesh_folders: Sequence[str] = ()) -> CollisionShapes:
        """The collision shapes of its description, with their places on bodies.

        mesh_folders: where package:// and relative paths are looked for, after the folder of the robot's file
        returns: CollisionShapes
        """
        return _geometry.collision_shapes(self._itself(), mesh_folders)

    def contact_forward_dynamics(self, q: Vector, v: Vector, tau: Vector, contacts: Sequence[Mapping[str, Any]]) -> ContactMotion:
        """Acceleration and forces where frames touch planes: M a + c = tau + sum J'f, with a point that sticks not accelerated.

        q: (nq,)
        v: (nv,)
        tau: (nv,)
        contacts: [{"frame": name, "normal": (0, 0, 1), "friction": 0.8, "mode": "stick" or "slide"}]; the frame's origin touches
        returns: ContactMotion; forces may pull: which contact is in which mode is for who calls to decide
        """
        return ContactMotion(*_core.contact_forward_dynamics(self._engine, q, v, tau, list(contacts)))

    def contact_dynamics_derivatives(
        self, q: Vector, v: Vector, tau: Vector, contacts: Sequence[Mapping[str, Any]]
    ) -> ContactDerivatives:
        """Exact derivatives of `contact_forward_dynamics`.

        q: (nq,)
        v: (nv,)
        tau: (nv,)
        contacts: as of `contact_forward_dynamics`
        returns: ContactDerivatives
        """
        return ContactDerivatives(*_core.contact_dynamics_derivatives(self._engine, q, v, tau, list(contacts)))

    def contact_inverse_dynamics(self, q: Vector, v: Vector, a: Vector, contacts: Sequence[Mapping[str, Any]]) -> ContactTorques:
        """Torques and contact forces of a motion of a robot that stands: of all within the friction cones, those with the least effort.

        Without drives are floating joints, and coordinates whose effort limit is zero.

        q: (nq,)
        v: (nv,)
        a: (nv,)
        contacts: [{"frame": name, "normal": (0, 0, 1), "friction": 0.8}]
        returns: ContactTorques; `enough` says whether such forces exist
        """
        return ContactTorques(*_core.contact_inverse_dynamics(self._engine, q, v, a, list(contacts)))

    # --- steps ---

    def _steps(self, integrator: str) -> Any:
        kept = self.__dict__.setdefault("_kept_steps", {})
        if integrator not in kept:
            kept[integrator] = _core.Steps(self._engine, integrator)
        return kept[integrator]

    def step(self, q: Vector, v: Vector, tau: Vector, h: Union[float, npt.ArrayLike] = 1e-3, integrator: str = "rk4") -> State:
        """A step of forward dynamics under constant torques; many states run as a batch.

        It has no friction that holds, no stops, no closed loops: `simulate` and Simulation have.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        tau: (nv,) or (N, nv): torques
        h: s, or (N,)
        integrator: "euler", "semi_implicit_euler", "midpoint" or "rk4"
        returns: q (nq,), v (nv,) at its end; of N states, N of them
        """
        return State(*self._steps(integrator).take(q, v, tau, np.atleast_1d(np.asarray(h, dtype=float)), False))

    def step_derivatives(
        self, q: Vector, v: Vector, tau: Vector, h: Union[float, npt.ArrayLike] = 1e-3, integrator: str = "rk4"
    ) -> StepDerivatives:
        """A step and its exact derivatives: the discrete A and B.

        q: (nq,) or (N, nq): configuration
        v: (nv,) or (N, nv): velocity
        tau: (nv,) or (N, nv): torques
        h: s, or (N,)
        integrator: "euler", "semi_implicit_euler", "midpoint" or "rk4"
        returns: q (nq,), v (nv,), A (2 nv, 2 nv), B (2 nv, nv); of N states, N of them
        """
        return StepDerivatives(*self._steps(integrator).take(q, v, tau, np.atleast_1d(np.asarray(h, dtype=float)), True))

    # --- simulation and identification ---

    def simulate(
        self,
        duration: float,
        tau: Torque = None,
        q: Optional[Vector] = None,
        v: Optional[Vector] = None,
        *,
        period: float = 1e-3,
        record_every: int = 1,
        changes: Changes = None,
        integrator: str = "rk4",
        substep: float = 1e-3,
        adaptive: Union[bool, Mapping[str, float]] = False,
        torque_limits: bool = True,
        stops: bool = True,
        loops: bool = True,
        sensors: Optional[Mapping[str, Any]] = None,
    ) -> SimulationResult:
        """How the robot moves: with dry friction that holds, stops, closed loops, springs, sensors, and an account of energy.

            robot.simulate(2.0, lambda t, q, v: robot.gravity_torque(q) - 5 * v, q=q0).plot()

        duration: s
        tau: None, (nv,), a dict by joint, or a function tau(t, q, v) that is called every period; with sensors, of readings
        q: (nq,), where it begins; neutral, or near it where loops are closed, if not given
        v: (nv,); at rest if not given
        period: s between calls of tau and between samples
        record_every: of so many periods, one is recorded
        changes: what becomes of the robot meanwhile: see Simulation.run
        integrator, substep, adaptive, torque_limits, stops, loops, sensors: see Simulation
        returns: SimulationResult; SimulationError if it cannot go on
        """
        options = dict(
            integrator=integrator, substep=substep, adaptive=adaptive, torque_limits=torque_limits, stops=stops,
            loops=loops, sensors=sensors,
        )  # fmt: skip
        run = dict(period=period, record_every=record_every, changes=changes)
        return _simulate.simulate(self._itself(), duration, tau, q, v, options, run)

    def identify(
        self,
        log: Any,
        *,
        validation: Any = None,
        split: float = 0.0,
        method: str = "consistent",
        friction: Union[None, str, Sequence[str]] = None,
        armature: Optional[bool] = None,
        filter_hz: Optional[float] = None,
        prior: Optional["Robot"] = None,
        prior_deviation: float = 2.0,
        payload: str = "",
        loaded: Any = None,
        friction_change: float = 0.2,
        robot_deviation: float = 0.05,
        known_payload: Optional[npt.ArrayLike] = None,
        gains: Optional[npt.ArrayLike] = None,
        find_gains: bool = False,
        torque_delay: Optional[float] = None,
        choose: bool = True,
        folds: int = 0,
        essential: bool = False,
        refine: bool = False,
        delay: bool = False,
        ratios: bool = False,
        base_held: bool = False,
        online: bool = False,
        progress: Optional[Callable[[int, int, str], Any]] = None,
    ) -> Identification:
        """Estimates the parameters from logs of motion: screened, filtered, tau = Y(q, v, a) pi + friction, bodies that can exist.

            result = robot.identify("run.csv", split=0.5)
            result.robot, result.parameters, result.fit, result.plot()

        log: a Log, a file, a pandas.DataFrame, a dict of columns, or a list of those
        validation: logs that are only predicted
        split: share of each log that is fitted, the rest held out; 0: all of it
        method: "consistent" (bodies are real), "ols", "wls", "irls", "tls" or "ridge"
        friction: which torques of joints are estimated: viscous, coulomb, asymmetric, load, offset, stribeck; or "none". Chosen by
            evidence if not given
        armature: estimate rotor inertias too; chosen if not given
        filter_hz: cut-off of the zero-phase low-pass, Hz; chosen if not given
        prior: the robot with parameters that are believed before; itself if not given
        prior_deviation: how far off bodies may well be, relative
        payload: the link whose payload is looked for; without `loaded`, its body alone is unknown
        loaded: logs with the payload, `log` being without; `result.payload` is what was added
        friction_change: by which share of itself friction may differ between logs without and with the payload
        known_payload: (4,), kg and x, y, z of its centre of mass in the frame of `payload`: by it, `find_gains` finds gains
        robot_deviation: how far off the robot's bodies may be, relative, where there is no log without the payload
        gains: (nv,), torque per current, where logs have currents
        find_gains: they are those with which currents fit the robot's torques best
        torque_delay: s by which torques are measured later than motion; chosen if not given
        choose: False: nothing is chosen; what is not given is 10 Hz, viscous, coulomb and offset, rotors that are described, no delay
        folds: parts for cross-validation
        essential: find the base parameters that matter
        refine: make the estimate better by simulation; `delay` then finds how late torques are, "stribeck" friction works too
        delay: see refine
        ratios: find the ratios by which motors are coupled
        base_held: of a robot whose base floats, what holds it is not known: only joints' torques count
        online: learn sample by sample instead, as a controller would
        progress: called with step, steps and name; False stops with what was found
        returns: Identification; ModelError with diagnostics for logs that are refused
        """
        options = dict(
            split=split, method=method, filter_hz=filter_hz, prior={"deviation": prior_deviation}, payload=payload,
            known_payload=None if known_payload is None else np.asarray(known_payload, dtype=float),
            weighing={"friction_change": friction_change, "robot_deviation": robot_deviation},
            gains=None if gains is None else np.asarray(gains, dtype=float), find_gains=find_gains, torque_delay=torque_delay, choose=choose,
            folds=folds, essential=essential, refine=refine, delay=delay, ratios=ratios, base_held=base_held,
        )  # fmt: skip
        return _identify.identify(self._itself(), log, validation, loaded, online, friction, armature, prior, progress, options)

    def base_parameters(
        self, friction: Union[str, Sequence[str]] = "viscous,coulomb,offset", armature: Optional[bool] = None
    ) -> BaseParameters:
        """The combinations of parameters that torques can show; others cannot be identified from any motion.

        friction, armature: what is estimated with the bodies, as of `identify`
        returns: BaseParameters
        """
        return _identify.base_parameters(self._itself(), friction, armature)

    def excite(
        self,
        duration: float = 20.0,
        *,
        kind: str = "fourier",
        harmonics: int = 0,
        share: float = 0.9,
        acceleration: float = 0.0,
        friction: Union[str, Sequence[str]] = "viscous,coulomb,offset",
        armature: Optional[bool] = None,
        floor: Optional[float] = None,
        distance: Optional[float] = 0.01,
        springs: Optional[Mapping[str, Any]] = None,
        starts: int = 3,
        iterations: int = 100,
        seconds: float = 120.0,
        seed: int = 1,
        progress: Optional[Callable[[int, int, float], Any]] = None,
    ) -> ExcitingMotion:
        """The motion that tells most of the parameters: greatest log det(1 + L' Y'W Y L), within all limits.

        duration: s
        kind: "fourier" (periodic) or "bspline"
        harmonics: 0: up to half a hertz, at least 5
        share: of the limits that may be used
        acceleration: rad/s², m/s²; 0: no limit
        friction, armature: what is estimated with the bodies, as of `identify`
        floor: height in the world that nothing may go below
        distance: m between links, at least; None: links may meet
        springs: of robots with springs, on whose slow motion small sines show these: {"fast_share": 0.15 (of a joint's effort), "fastest_hz":
            15.0, "link_encoders": False, "torque_sensors": False (that the log will have beside motors' encoders)}
        starts: random motions to improve on
        iterations: of the solver, from each
        seconds: in all, at most
        seed: of the random motions
        progress: called with start, iteration and the best so far; False stops with that
        returns: ExcitingMotion
        """
        robot = self._itself()
        elastic = robot.has_springs
        if springs is not None and not elastic:
            raise ValueError(f"springs: robot '{robot.name}' has none")
        features, stribeck = _identify.friction_of(robot, friction, armature)
        if stribeck or "load" in features:
            raise ValueError("friction: motions are designed for neither stribeck nor load")
        options: Dict[str, Any] = dict(
            kind=kind, duration=duration, harmonics=harmonics, share=share, acceleration=acceleration, starts=starts,
            iterations=iterations, seconds=seconds, seed=seed, capsules={"floor": floor, "distance": distance},
        )  # fmt: skip
        if not elastic:
            return ExcitingMotion(robot, *_core.excite(self._engine, features, options, progress))
        fast = {"fast_share": 0.15, "fastest_hz": 15.0, **(springs or {})}
        sensors = {key: fast.pop(key) for key in ("link_encoders", "torque_sensors") if key in fast}
        # the slow motion is that of the robot without springs, whose rotors take their share of the effort
        rigid = [*features, *([] if "armature" in features else ["armature"])]
        slow_options = {**options, "rest": 4, "reserve": fast["fast_share"]}
        slow, figures = _core.excite(robot.with_plain_drives()._engine, rigid, slow_options, progress)
        how = {**fast, "share": share, "seed": seed, "sensors": sensors}
        return ExcitingMotion(robot, *_with_springs(figures, _core.excite_springs(self._engine, features, slow, how)))


def _with_springs(figures: Dict[str, Any], found: Tuple[Any, Dict[str, Any]]) -> Tuple[Any, Dict[str, Any], Dict[str, Any]]:
    motion, springs = found
    springs["deviation"] = dict(zip(springs.pop("drives"), springs["deviation"]))
    return motion, figures, springs
