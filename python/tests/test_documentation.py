"""Everything public is documented and has types."""

import inspect
import io
import pydoc
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
