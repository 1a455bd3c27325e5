"""Everything public is documented and has types."""

import dataclasses
import importlib.util
import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ulna

PUBLIC = [name for name in dir(ulna.Robot) if not name.startswith("_")]
METHODS = [name for name in PUBLIC if inspect.isfunction(getattr(ulna.Robot, name)) or inspect.ismethod(getattr(ulna.Robot, name))]
FUNCTIONS = [name for name in ulna._core.functions() if not name.endswith(("_vjp", "_jvp"))]


@pytest.mark.parametrize("name", METHODS)
def test_every_argument_is_documented(name):
    method = getattr(ulna.Robot, name)
    text = inspect.getdoc(method)
    assert text and len(text.splitlines()[0]) > 10
    for argument in inspect.signature(method).parameters:
        if argument != "self":
            assert argument in text, f"{name}: '{argument}' is not documented"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_arrays_have_shapes_and_a_bound_form(name):
    text = inspect.getdoc(getattr(ulna.Robot, name))
    assert "returns:" in text and "(" in text
    robot = ulna.Robot("panda")
    bound = getattr(robot, name)
    assert bound.__doc__ == getattr(ulna.Robot, name).__doc__ and bound.__name__ == name
    # the tables in C++ and the methods have the same parameters in the same order
    named = repr(bound).split("(", 1)[1].split(")")[0].replace(" ", "").split(",")
    assert [p for p in inspect.signature(bound).parameters if p != "out"] == [n for n in named if n not in ("*", "out")]
    assert getattr(robot, name) is bound


def _members():
    """Public functions and methods of everything but Robot: (name, object)."""
    for name in ulna.__all__:
        thing = getattr(ulna, name)
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing) and thing is not ulna.Robot and not issubclass(thing, tuple):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    yield f"{name}.{member}", value
            # fields of dataclasses are documented where they stand
            if "__init__" in vars(thing) and not dataclasses.is_dataclass(thing) and not issubclass(thing, Exception):
                yield name, thing


MEMBERS = dict(_members())
RETURNED = {"Comparison", "Equations", "ExcitingMotion", "Formulation", "Formulations", "Identification", "SimplifiedModel"}  # users do not make them


@pytest.mark.parametrize("name", [n for n in MEMBERS if n not in RETURNED])
def test_everything_else_is_documented_with_its_arguments(name):
    text = inspect.getdoc(MEMBERS[name])
    assert text and len(text) > 2, name
    if isinstance(MEMBERS[name], property):
        return
    for argument in inspect.signature(MEMBERS[name]).parameters:
        assert argument == "self" or argument in text, f"{name}: '{argument}' is not documented"


#: a function, where its signature stands, and what C++ has of other names
SIGNATURES = {
    "Simulation": (ulna.Simulation, {"adaptive": None}),
    "identify": (ulna.Robot.identify, {"gains": None, "known_payload": None, "features": None, "prior": None, "split": 0.0, "stribeck": None}),
    "excite": (ulna.Robot.excite, {"known": None, "parameters": None, "capsules": None}),
    "equations": (ulna.Robot.equations, {"terms": None}),
    "codegen": (ulna.Robot.codegen, {}),
    "RobotProblem": (ulna.RobotProblem, {"frames": None, "collisions": None, "final_given": None, "initial_given": None}),
    "IdentifyingController": (ulna.IdentifyingController, {"payload_body": None}),
    "run_trial": (ulna.run_trial, {"sensors": None, "reality": None, "q0": None}),
    "Supervisor": (ulna.Supervisor, {}),
    "MomentumObserver": (ulna.MomentumObserver, {}),
    "QuadraticProgram": (ulna.QuadraticProgram, {}),
    "solve": (ulna.OptimalControlProblem.solve, {}),
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_defaults_are_those_of_cpp(name):
    function, others = SIGNATURES[name]
    if name not in ulna._core.defaults:
        pytest.skip(f"built without {name}")
    defaults = ulna._core.defaults[name]
    compared = 0
    for option, parameter in inspect.signature(function).parameters.items():
        if option in defaults and option not in others:
            given = list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default
            assert given == defaults[option], option
            compared += 1
    assert compared >= 2, f"{name}: {compared}"


def test_properties_and_module_are_documented():
    for name in PUBLIC:
        assert inspect.getdoc(getattr(ulna.Robot, name)), name
    for name in ulna.__all__:
        if name != "__version__":
            assert inspect.getdoc(getattr(ulna, name)), name
    assert "import ulna" in ulna.__doc__


def test_help_lists_methods_with_their_arguments():
    text = pydoc.render_doc(ulna.Robot, renderer=pydoc.plaintext)
    assert "inverse_dynamics(self, q" in text
    assert "tau = M(q) a + C(q, v) v + g(q)" in text
    robot = ulna.Robot("panda")
    assert list(inspect.signature(robot.inverse_dynamics).parameters) == ["q", "v", "a", "wrenches", "axes", "out"]
    assert "w'" in robot.inverse_dynamics.vjp.__doc__ and "tau" in robot.inverse_dynamics.jvp.__doc__


def test_everything_public_has_types():
    assert (Path(ulna.__file__).parent / "py.typed").exists()
    for name in METHODS:
        method = getattr(ulna.Robot, name)
        function = method.__func__ if inspect.ismethod(method) else method
        arguments = [p for p in inspect.signature(function).parameters if p not in ("self", "cls")]
        assert set(arguments) <= set(function.__annotations__), name
        assert "return" in function.__annotations__, name
    for name in ("check", "robots"):
        assert "return" in getattr(ulna, name).__annotations__


def test_stub_of_the_compiled_part_has_what_is_there():
    stub = (Path(ulna.__file__).parent / "_core.pyi").read_text()
    for name in dir(ulna._core):
        if not name.startswith("_") or name == "__version__":
            assert name in stub, name


EXAMPLE = """
import numpy as np
import ulna

robot = ulna.Robot("panda")
q = robot.random_configuration(1)
tau: ulna._results.Array = robot.inverse_dynamics(q, 0 * q, 0 * q)
d = robot.inverse_dynamics_derivatives(q, q, q)
M = d.da
result = robot.simulate(1.0, lambda t, q, v: robot.gravity_torque(q), q=q)
worst: float = result.energy_error
found = robot.identify(ulna.Log(t=result.t, q=result.q, v=result.v, tau=result.tau), split=0.5)
name: str = found.parameters[0].name
controller = ulna.IdentifyingController(robot, rate_hz=500.0)
controller.follow(lambda t: (q, 0 * q))
torque = controller.act(0.0, q, 0 * q)
problem = ulna.RobotProblem(robot, steps=10)
plan = problem.solve(q)
solved: bool = plan.solved
world = ulna.World(step=1e-3)
shape = ulna.Shape("box", (0.1, 0.1, 0.1))
world.add_body("box", shape, mass=1.0)
points = ulna.contact_points(shape, ("sphere", 0.1), margin=0.1)
gap: float = points[0].gap
arm = ulna.Builder("arm").link("base").link("rod", *shape.inertial(mass=1.0)).joint("turn", "continuous", "base", "rod").build()
at_end = arm.step([0.1], [0.2], [0.0], 0.01)
A = arm.step_derivatives(at_end.q, at_end.v, [0.0]).A
inertia = robot.operational_space(q, "panda_link8").inertia
first: str = ulna.QuadraticProgram([dict(Q=[[1.0]], A=[[1.0]], B=[[1.0]], R=[[1.0]]), dict(Q=[[1.0]])]).solve([1.0]).status
kept = [t.element for t in robot.simplify(result.q, result.v, result.a).kept]
motion = robot.excite(5.0, seconds=1.0)
pushed = ulna.MomentumObserver(robot).update(q, 0 * q, tau, 1e-3)
base: int = len(robot.base_parameters().names)
"""

WRONG = """
import ulna
ulna.Robot(3)
ulna.Robot("panda").simulate("long")
ulna.IdentifyingController(ulna.Robot("panda")).kind + 1
"""


def _mypy(*arguments):
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", *arguments], capture_output=True, text=True)


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_types_pass_strict_checks_and_find_what_is_wrong(tmp_path, monkeypatch):
    package = Path(ulna.__file__).parent
    monkeypatch.setenv("MYPYPATH", str(package.parent))
    monkeypatch.setenv("MYPY_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "right.py").write_text(EXAMPLE)
    (tmp_path / "wrong.py").write_text(WRONG)
    right = _mypy(str(package), str(tmp_path / "right.py"))
    assert right.returncode == 0, right.stdout
    wrong = _mypy(str(tmp_path / "wrong.py"))
    assert {line.split(":")[1] for line in wrong.stdout.splitlines() if "error:" in line} == {"3", "4", "5"}, wrong.stdout
