"""From measurements to an identified robot."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import Diagnostic, Report
from ._record import Record, given, table_html, table_text
from ._results import Array

if TYPE_CHECKING:
    from ._robot import Robot

#: What Log takes, or a Log.
LogLike = Any


class Log:
    """Measurements of a robot's motion: a table with columns t, q_<joint>, qd_<joint>, tau_<joint>, ...

        ulna.Log("run.csv")                                    # a file; docs/formats.md has the columns
        ulna.Log(t=t, q=Q, tau=Tau)                            # arrays (N, n) in the order of the robot's joints
        ulna.Log(frame)                                        # pandas.DataFrame, or a dict of vectors by column name
        ulna.Log(result.columns(measured=True))                # of a simulation

    table: a file, a DataFrame, or a dict of vectors by column name
    t: (N,), s; or `rate_hz`
    q, v, a, tau: (N, n), rad or m, and rates; Nm or N. v and a may be left out
    current: (N, n), A, in place of tau
    rate_hz: samples a second, where there is no t
    name: what messages call it
    """

    def __init__(
        self,
        table: Union[None, str, "os.PathLike[str]", Mapping[str, Any]] = None,
        *,
        t: Optional[npt.ArrayLike] = None,
        q: Optional[npt.ArrayLike] = None,
        v: Optional[npt.ArrayLike] = None,
        a: Optional[npt.ArrayLike] = None,
        tau: Optional[npt.ArrayLike] = None,
        current: Optional[npt.ArrayLike] = None,
        rate_hz: Optional[float] = None,
        name: str = "",
    ) -> None:
        arrays = given(q=q, qd=v, qdd=a, tau=tau, current=current)
        self._file: Optional[str] = None
        self._columns: Dict[str, Array] = {}
        if isinstance(table, (str, os.PathLike)):
            if arrays or t is not None:
                raise ValueError("a log is a file, or arrays: not both")
            self._file = os.fspath(table)
        elif table is not None:
            self._columns = {str(key): np.asarray(table[key], dtype=float) for key in table}
        else:
            for prefix, x in arrays.items():
                X = np.asarray(x, dtype=float)
                X = X[:, None] if X.ndim == 1 else X
                if X.ndim != 2:
                    raise ValueError(f"{prefix} has {X.ndim} dimensions; (N, n) is needed, a row a sample")
                self._columns.update({f"{prefix}{i + 1}": X[:, i] for i in range(X.shape[1])})
        if t is not None:
            self._columns = {"t": np.asarray(t, dtype=float), **self._columns}
        elif rate_hz is not None and "t" not in self._columns and self._columns:
            n = len(next(iter(self._columns.values())))
            self._columns = {"t": np.arange(n) / rate_hz, **self._columns}
        if self._file is None and not self._columns:
            raise ValueError("a log needs measurements: Log(t=..., q=..., tau=...), a table, or a file")
        sizes = {key: x.shape for key, x in self._columns.items()}
        first = next(iter(sizes), "")
        for key, shape in sizes.items():
            if shape != sizes[first] or len(shape) != 1:
                raise ValueError(f"column '{key}' has shape {shape}, column '{first}' {sizes[first]}")
        self.name: str = name or self._file or "log"

    @property
    def columns(self) -> Dict[str, Array]:
        """Vectors by column name; those of a file are read."""
        if self._file is not None and not self._columns:
            with open(self._file, encoding="utf-8-sig") as f:
                lines = [line for line in f if line.strip() and not line.startswith("#")]
            delimiter = next((d for d in ",;\t" if d in lines[0]), ",")
            names = [n.strip().strip('"') for n in lines[0].split(delimiter)]
            rows = np.genfromtxt(StringIO("".join(lines[1:])), delimiter=delimiter, ndmin=2)
            return {name: rows[:, i] for i, name in enumerate(names)}
        return dict(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def to_csv(self, path: Union[None, str, "os.PathLike[str]"] = None) -> Optional[str]:
        """The log as CSV, with all digits.

        path: the file to be written; the text is returned if it is not given
        """
        table = self.columns
        out = StringIO()
        out.write(",".join(table) + "\n")
        np.savetxt(out, np.stack(list(table.values()), axis=1), fmt="%.17g", delimiter=",")
        if path is None:
            return out.getvalue()
        Path(path).write_text(out.getvalue())
        return None

    def _source(self) -> Tuple[str, Optional[str]]:
        """What C++ reads: the name, and the text unless it is a file of that name."""
        return (self._file, None) if self._file is not None else (self.name, self.to_csv())

    def screen(self, robot: "Robot", *, filter_hz: float = 10.0) -> Report:
        """What is wrong with it, before anything is concluded from it: columns, clock, gaps, outliers, units, signs, ...

        robot: the robot that it is of
        filter_hz: the low-pass that gaps and rates are judged by
        returns: Report, true if the log is accepted; a list of Diagnostic
        """
        found, _, accepted = _core.screen(robot._engine, [self._source()], filter_hz, True)
        return Report(accepted, found)

    def plot(self) -> Any:
        """All quantities over time; matplotlib must be installed.

        returns: the figure
        """
        from ._plot import courses

        table = self.columns
        panels = []
        for prefix in ("q_", "qd_", "qdd_", "tau_", "current_"):
            names = [n for n in table if n.startswith(prefix) or n.rstrip("0123456789") == prefix[:-1]]
            if names:
                panels.append((prefix[:-1], names, np.stack([table[n] for n in names], axis=1)))
        return courses(table.get("t", np.arange(float(len(self)))), panels, None, (), self.name)

    def __repr__(self) -> str:
        if self._file is not None:
            return f"Log('{self._file}')"
        return f"Log('{self.name}': {len(self)} samples of {len(self._columns)} columns)"


def log_of(log: LogLike) -> Log:
    """A Log of what Log takes."""
    return log if isinstance(log, Log) else Log(log)


def sources_of(logs: Any) -> List[Tuple[str, Optional[str]]]:
    """One log or several, as C++ reads them."""
    if logs is None:
        return []
    several = logs if isinstance(logs, (list, tuple)) else [logs]
    return [log_of(log)._source() for log in several]


def friction_of(robot: "Robot", friction: Union[str, Sequence[str]], armature: Optional[bool]) -> Tuple[List[str], bool]:
    """Features and whether Stribeck friction is among them, from "viscous,coulomb,offset"; rotor inertias are one more, if they
    are asked for or the robot is described with rotors."""
    text = friction if isinstance(friction, str) else ",".join(friction)
    features, stribeck = _core.friction(robot._engine, text, armature)
    return list(features), bool(stribeck)


@dataclass(frozen=True, repr=False, eq=False)
class Fit(Record):
    """How well parameters explain torques: the root mean square of the error, in percent of that of the torque."""

    total_percent: float
    per_joint_percent: Array  #: (nv,)
    rms: Array  #: (nv,), Nm or N


@dataclass(frozen=True, repr=False, eq=False)
class Parameter(Record):
    """An estimated parameter."""

    name: str  #: "link3.Ixy", "elbow.viscous"
    value: float
    deviation: float  #: standard deviation; infinite where it is not determined
    prior: float  #: what was believed before
    unit: str
    state: str  #: "estimated", "prior" (data say nothing of it) or "known"
    learned: float = 0.0  #: how much of what is known of it comes from the data: 0 to 1


@dataclass(frozen=True, repr=False, eq=False)
class Trace(Record):
    """A piece of motion, filtered."""

    file: str
    validation: bool
    t: Array = field(repr=False)  #: (N,), s
    measured: Array = field(repr=False)  #: (N, nv), torques
    predicted: Array = field(repr=False)  #: (N, nv), by the estimate


@dataclass(frozen=True, repr=False, eq=False)
class LinkPayload(Record):
    """What a link carries, by motion with it and without."""

    link: str
    state: str  #: "found", "none" (nothing that weighs anything) or "unseen" (the motion does not show it)
    mass: float  #: kg
    mass_deviation: float  #: standard deviation
    com: Array  #: (3,), m, in the link's frame
    com_deviation: Array  #: (3,)
    rotational: Array = field(repr=False)  #: (3, 3), kg m², about the centre of mass
    rotational_deviation: Array = field(repr=False)  #: (3, 3)
    added: Array = field(repr=False)  #: (10,), to the numbers of the body that has the link
    unconstrained: Array = field(repr=False)  #: (10,), by least squares alone
    deviation: Array = field(repr=False)  #: (10,), of these
    percent: float  #: of the torque with the payload that is not explained
    without_percent: float  #: the same by the robot without it
    feature_changes: Array = field(repr=False)  #: of friction and offsets, in the order of the names of unknowns
    samples: int = field(repr=False)
    samples_without: int = field(repr=False)
    reasons: List[str] = field(repr=False)  #: why it is seen badly, if it is
    helpful: List[Dict[str, Any]] = field(repr=False)  #: motions that would help: joint, low, high, mass_deviation, com_deviation


class Identification:
    """An identified robot, as Robot.identify returns it: `robot`, `parameters`, `fit`, `remarks`, and what they rest on."""

    _head = ("parameter", "value", "deviation", "before", "unit", "state")

    def __init__(self, values: Dict[str, Any]) -> None:
        from ._robot import Robot

        chosen, estimate = values["chosen"], values["chosen"]["estimate"]
        self.robot: "Robot" = Robot._of(values["engine"])  #: with the identified parameters
        self.joints: List[str] = values["joints"]  #: names of the degrees of freedom
        self.names: List[str] = values["names"]  #: of all unknowns z: "link1.m", ..., "elbow.viscous"
        self.units: List[str] = values["units"]
        self.states: List[str] = values["states"]  #: "estimated", "prior" or "known"
        self.z: Array = estimate["z"]  #: (unknowns,), the estimate
        self.deviation: Array = estimate["deviation"]  #: (unknowns,), standard deviations
        self.prior: Array = estimate["prior"]  #: (unknowns,), what was believed before
        self.learned: Array = estimate["learned"]  #: (unknowns,), 0: all from the prior, 1: all from the data
        self.base_names: List[str] = values["base_names"]  #: of base parameters: "link1.Izz + link2.Ixx + ..."
        self.base: Array = estimate["base"]  #: (base,), their values
        self.base_deviation: Array = estimate["base_deviation"]  #: (base,)
        self.noise: Array = estimate["noise"]  #: (nv,), standard deviation of what is not explained
        self.condition: float = estimate["excitation"]["condition"]  #: of the scaled base regressor
        self.rank: int = estimate["excitation"]["rank"]
        self.consistent: bool = estimate["consistent"]  #: every body can exist, no friction pushes
        self.indefinite_percent: float = chosen["indefinite_percent"]  #: of random configurations, those with M not > 0
        self.bodies: List[str] = chosen["bodies"]  #: of each, whether it can exist
        self.fit: Fit = Fit._of(chosen["fit"])
        self.validation: Optional[Fit] = _fit(chosen["validation"])  #: on motion that was held out
        self.reference: Optional[Fit] = _fit(chosen["reference"])  #: of what was held out, or of all, below 10 Hz, to compare with others
        self.features: List[str] = values["features"]  #: "viscous", "coulomb", ..., "armature"
        self.filter_hz: float = values["filter_hz"]
        self.choice: Optional[Dict[str, Any]] = values["choice"]  #: what was chosen by evidence, and `tried`: model, percent, gain, ...
        self.effects: Dict[str, Any] = values["effects"]  #: torque_delay, compliance, couplings that samples were rid of
        self.residuals: Dict[str, Any] = values["residuals"]  #: spectra, autocorrelation, patterns and what they mean, joint by joint
        self.plain: Optional[Fit] = _fit(values["plain"] and values["plain"]["fit"])  #: of ordinary least squares
        self.cross_validation: Optional[Fit] = _fit(values["cross_validation"])
        self.traces: List[Trace] = [Trace._of(t) for t in values["traces"]]
        self.logs: List[Dict[str, Any]] = values["logs"]  #: file, use, and figures of each
        self.filter: str = values["filter"]  #: in words
        self.samples: int = values["samples"]
        self.delay: float = values["delay"]["delay"]  #: s by which torques are late, as found
        self.gains: List[Dict[str, Any]] = values["gains"]  #: torque per current, where they were to be found
        self.payload: Optional[LinkPayload] = LinkPayload._of(values["payload"]) if values["payload"] else None
        self.online: Optional[Dict[str, Any]] = values["online"]  #: figures of a run of the online estimator
        self.refined: Optional[Dict[str, Any]] = values["refined"]  #: of refinement by simulation
        self.essential: Optional[List[int]] = values["essential"]  #: base parameters that matter
        self.remarks: List[str] = [_in_python(text) for _, text in values["remarks"]]
        self.findings: List[str] = [_in_python(text) for finding, text in values["remarks"] if finding]
        self.diagnostics: Tuple[Diagnostic, ...] = tuple(values["diagnostics"])  #: of the logs
        self.trusted: bool = not values["findings"]  #: whether nothing speaks against the estimate
        self.stopped: bool = values["stopped"]

    @property
    def parameters(self) -> List[Parameter]:
        """All unknowns with deviations: ten per moving body, then friction."""
        columns = (self.names, self.z, self.deviation, self.prior, self.units, self.states, self.learned)
        return [Parameter(*row) for row in zip(*columns)]

    def __getitem__(self, name: str) -> Parameter:
        """A parameter by name: result["link3.m"]."""
        if name not in self.names:
            raise ValueError(f"there is no parameter '{name}'; there are {', '.join(self.names[:12])}, ...")
        return self.parameters[self.names.index(name)]

    def to_urdf(self) -> str:
        """The identified robot as URDF."""
        return self.robot.to_urdf()

    def plot(self, trace: int = 0) -> Any:
        """Measured and predicted torques of each joint; matplotlib must be installed.

        trace: the number of the piece of motion
        returns: the figure
        """
        from ._plot import pairs

        if not -len(self.traces) <= trace < len(self.traces):
            raise ValueError(f"there is no trace {trace}; there are {len(self.traces)}")
        piece = self.traces[trace]
        which = "held out" if piece.validation else "fitted"
        return pairs(piece.t, self.joints, piece.measured, piece.predicted, ("measured", "predicted"), f"torques of {piece.file} ({which}), Nm or N")

    def plot_parameters(self, only: str = "") -> Any:
        """Values with standard deviations, and what was believed before; matplotlib must be installed.

        only: names that contain this, such as "viscous" or "link3."
        returns: the figure
        """
        from ._plot import bars

        kept = [i for i, n in enumerate(self.names) if only in n and self.states[i] != "known"]
        if not kept:
            raise ValueError(f"no parameter that was looked for has '{only}' in its name; there are {', '.join(self.names[:3])}, ...")
        units = {self.units[i] for i in kept}
        return bars([self.names[i] for i in kept], self.z[kept], self.deviation[kept], self.prior[kept], units.pop() if len(units) == 1 else "")

    def _rows(self) -> List[Tuple[Any, ...]]:
        return [(p.name, p.value, p.deviation, p.prior, p.unit, p.state) for p in self.parameters if p.state != "known"]

    def __repr__(self) -> str:
        held_out = f", {self.validation.total_percent:.3g} % on motion held out" if self.validation else ""
        return (
            f"Identification('{self.robot.name}': {len(self.base)} base parameters, torque error {self.fit.total_percent:.3g} %"
            f"{held_out}, {'trusted' if self.trusted else str(len(self.findings)) + ' findings'})"
        )

    def __str__(self) -> str:
        return "\n".join([repr(self), *("  " + r for r in self.remarks), table_text(self._head, self._rows())])

    def _repr_html_(self) -> str:
        return table_html(self._head, self._rows(), repr(self))


def _in_python(remark: str) -> str:
    """Options by their names here: Options::split is split."""
    return re.sub(r"\b(?:Options|LogInputs)::(\w+)", r"\1", remark)


def _fit(values: Optional[Dict[str, Any]]) -> Optional[Fit]:
    return Fit._of(values) if values else None


def identify(
    robot: "Robot",
    log: LogLike,
    validation: LogLike,
    loaded: LogLike,
    online: bool,
    friction: Union[None, str, Sequence[str]],
    armature: Optional[bool],
    prior: Optional["Robot"],
    progress: Optional[Callable[[int, int, str], Any]],
    options: Dict[str, Any],
) -> Identification:
    """What Robot.identify returns."""
    # rotors are an option of their own
    features, stribeck = (None, False) if friction is None else friction_of(prior or robot, friction, False)
    engine = robot._engine if prior is None else _core.with_parameters_of(robot._engine, prior._engine)
    how = {**given(**options, features=features, rotors=armature), "stribeck": stribeck}
    return Identification(_core.identify(engine, sources_of(log), sources_of(validation), sources_of(loaded), online, how, progress))


class BaseParameters(NamedTuple):
    """The combinations of unknowns that torques depend on at all: beta = map z [Gautier 1991; Mayeda, Yoshida, Osuka 1990]."""

    names: List[str]  #: of the base parameters: "link1.Izz + link2.Ixx + 0.1 link3.m"
    unknowns: List[str]  #: of z: ten per moving body, then friction of the joints
    map: Array  #: (base, unknowns)
    independent: List[int]  #: positions in z of the unknowns that name them
    dependent: List[int]  #: of those that show together with independent ones only
    idle: List[int]  #: of those that no torque ever depends on


def base_parameters(robot: "Robot", friction: Union[str, Sequence[str]], armature: Optional[bool]) -> BaseParameters:
    """What Robot.base_parameters returns."""
    return BaseParameters(*_core.base_parameters(robot._engine, friction_of(robot, friction, armature)[0]))


class ExcitingMotion:
    """A motion that identifies a robot, as Robot.excite returns it: begins and ends at rest, keeps all limits.

    Call it with times: q, v, a = motion(t). Of a robot with springs, `springs` says what its fast sines show of them.
    """

    def __init__(self, robot: "Robot", core: Any, figures: Dict[str, Any], springs: Optional[Dict[str, Any]] = None) -> None:
        self.robot, self._core = robot, core
        slow = core if springs is None else core.slow
        self.springs: Optional[Dict[str, Any]] = springs  #: filter_hz, link_hz, motor_use, spring_use, drives with deviation
        self.duration: float = core.duration  #: s
        self.kind: str = slow.kind
        self.harmonics: int = slow.harmonics
        self.status: str = figures["status"]
        self.log_det: float = figures["log_det"]  #: twice the information gained, in nats
        self.log_det_start: float = figures["log_det_start"]  #: of the best random motion that was improved on
        self.condition: float = figures["excitation"]["condition"]  #: of the base regressor
        self.base_parameters: int = figures["base_parameters"]
        self.rank: int = figures["excitation"]["rank"]
        self.figures: Dict[str, Any] = figures  #: shares of limits that are used, distances, notes, seeds

    def __call__(self, t: npt.ArrayLike) -> Tuple[Array, Array, Array]:
        """q, v and a.

        t: s, a number or (N,); it stands still before and after
        returns: (n,) each, or (N, n)
        """
        times = np.atleast_1d(np.asarray(t, dtype=float))
        x = tuple(np.asarray(self._core.at(times, order)) for order in range(3))
        return x if np.ndim(t) else tuple(y[0] for y in x)  # type: ignore[return-value]

    def sample(self, rate_hz: float = 1000.0) -> Log:
        """The motion and its torques as a Log, to be sent to a robot or written to a file.

        rate_hz: samples a second
        """
        t = np.asarray(self._core.times(rate_hz))
        if self.springs is not None:
            return self._sample_of_springs(t)
        q, v, a = self(t)
        return Log(t=t, q=q, v=v, a=a, tau=self.robot.inverse_dynamics(q, v, a), name=f"{self.robot.name} excitation")

    def _sample_of_springs(self, t: Array) -> Log:
        x, names = _core.drive_along(self.robot._engine, self._core, t), self.robot.velocity_names
        prefixes = (("q_", "q"), ("qd_", "v"), ("qdd_", "a"), ("tau_", "tau"), ("theta_", "theta"), ("thetad_", "omega"))
        columns = {prefix + name: x[key][:, i] for prefix, key in prefixes for i, name in enumerate(names)}
        return Log({"t": t, **columns}, name=f"{self.robot.name} excitation")

    def plot(self) -> Any:
        """Positions, velocities and torques over time; matplotlib must be installed.

        returns: the figure
        """
        from ._plot import courses

        t = np.linspace(0.0, self.duration, 600 if self.springs is None else 3000)
        q, v, a = self(t)
        names = self.robot.velocity_names
        tau = self.robot.inverse_dynamics(q, v, a) if self.springs is None else _core.drive_along(self.robot._engine, self._core, t)["tau"]
        panels = [("q [rad, m]", names, q), ("v [/s]", names, v), ("tau [Nm, N]", names, tau)]
        return courses(t, panels, None, (), f"exciting motion for {self.robot.name}")

    def __repr__(self) -> str:
        return (
            f"ExcitingMotion('{self.robot.name}': {self.duration:g} s, {self.kind}, {self.rank} of {self.base_parameters} base "
            f"parameters, log det {self.log_det:.1f}, condition {self.condition:.3g})"
        )


class OnlineEstimator:
    """Identifies a robot sample by sample; its numbers are those of a robot that can exist after each.

        estimator = ulna.OnlineEstimator(robot)
        for ...:
            estimator.learn(q, v, tau)          # as measured, at rate_hz
        estimator.robot                         # with the parameters of now

    robot: the robot, whose parameters are the prior's
    noise: (nv,), standard deviation of torques; half a percent of the effort limits if not given
    friction: "viscous,coulomb,offset", ...
    armature: estimate rotor inertias too; if not given, where the robot is described with rotors. They must be if it has them, or torques
        are not explained
    rate_hz: samples a second
    filter_hz: the low-pass that measurements pass, causal and the same for all
    options: memory (s), outlier, patience, noise_memory (s over which noise is learned; 10), wander, slow, prior={"deviation": 0.3}, gravity; see docs/identification.md
    """

    def __init__(
        self,
        robot: "Robot",
        noise: Optional[npt.ArrayLike] = None,
        *,
        friction: Union[str, Sequence[str]] = "viscous,coulomb",
        armature: Optional[bool] = None,
        rate_hz: float = 1000.0,
        filter_hz: float = 10.0,
        **options: Any,
    ) -> None:
        features, stribeck = friction_of(robot, friction, armature)
        if stribeck:
            raise ValueError("friction: stribeck is not linear in its parameters, and cannot be estimated online")
        effort = np.where(np.isfinite(robot.effort_limit) & (robot.effort_limit > 0), robot.effort_limit, 50.0)
        deviation = 0.005 * effort if noise is None else np.broadcast_to(np.asarray(noise, dtype=float), (robot.nv,))
        how = {"correlated": max(1.0, rate_hz / filter_hz), "noise_memory": 10.0, **options, "rate_hz": rate_hz}
        self._prior = robot
        self.measured: Optional[Array] = None  #: (nv,), torques of the last sample, filtered
        self.predicted: Optional[Array] = None  #: (nv,), what was expected of them before
        self._core = _core.OnlineEstimator(robot._engine, features, np.array(deviation), how, filter_hz)

    def learn(self, q: Any, v: Any, tau: Any) -> str:
        """Takes a measurement: filters it, and learns from it.

        q: (nq,)
        v: (nv,)
        tau: (nv,)
        returns: "learned", "doubted" (far from what was expected), "changed" (the robot has), "restored" or "ignored"
        """
        outcome, self.measured, self.predicted = self._core.learn(q, v, tau)
        return str(outcome)

    def update(self, q: Any, v: Any, a: Any, tau: Any) -> str:
        """Learns from a sample that is filtered already.

        q: (nq,)
        v, a, tau: (nv,)
        returns: as `learn`
        """
        return str(self._core.update(q, v, a, tau))

    def predict(self, q: Any, v: Any, a: Any) -> Array:
        """Torques by the parameters of now, friction included.

        q: (nq,)
        v, a: (nv,)
        returns: tau, (nv,)
        """
        return np.asarray(self._core.predict(q, v, a))

    def expect_change(self) -> None:
        """Something is about to be grasped or released: what the tip carries is learned anew."""
        self._core.expect_change()

    def forget(self, *names: str) -> None:
        """Forgets what data show of some unknowns, and keeps what they show of the others.

        names: of unknowns, such as "link7.m", or of bodies and joints, such as "link7"
        """
        known = self.names
        chosen = [i for i, n in enumerate(known) if n in names or n.rsplit(".", 1)[0] in names]
        for name in names:
            if not any(n == name or n.rsplit(".", 1)[0] == name for n in known):
                raise ValueError(f"there is no unknown '{name}'; there are {', '.join(known[:12])}, ...")
        self._core.forget(chosen)

    @property
    def robot(self) -> "Robot":
        """With the parameters of now."""
        from ._robot import Robot

        return Robot._of(self._core.engine())

    @property
    def names(self) -> List[str]:
        """Of the unknowns."""
        return list(self._core.names)

    @property
    def z(self) -> Array:
        """Unknowns, of now: ten per moving body, then friction."""
        return np.asarray(self._core.z)

    @property
    def deviation(self) -> Array:
        """Their standard deviations, from data and prior together."""
        return np.asarray(self._core.deviations())

    @property
    def noise(self) -> Array:
        """(nv,): as given, or as learned."""
        return np.asarray(self._core.noise)

    @property
    def samples(self) -> int:
        """Learned from."""
        return int(self._core.samples)

    @property
    def changes(self) -> int:
        """Of the robot, noticed."""
        return int(self._core.changes)

    def __repr__(self) -> str:
        return f"OnlineEstimator('{self._prior.name}': {self.samples} samples, {self.changes} changes)"
