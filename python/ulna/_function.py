"""Functions of a robot: documented methods on the class, fast callables on the object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Type, TypeVar, overload

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec, Protocol

    from ._robot import Robot

    P = ParamSpec("P")
    R = TypeVar("R", covariant=True)

    class Bound(Protocol[P, R]):
        """A function of one robot; inverse and forward dynamics have vjp and jvp."""

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

        @property
        def vjp(self) -> Callable[..., Any]: ...

        @property
        def jvp(self) -> Callable[..., Any]: ...

    class Method(Protocol[P, R]):
        @overload
        def __get__(self, robot: None, owner: Type[Robot]) -> Callable[..., R]: ...

        @overload
        def __get__(self, robot: Robot, owner: Type[Robot]) -> Bound[P, R]: ...


class _Method:
    """On the class, the Python function with its signature and documentation; on a robot, the C++ function, which is
    kept in the robot's dict, so that Python finds it without asking here again."""

    def __init__(self, function: Callable[..., Any], result: Optional[type]) -> None:
        self.function = function
        self.result = result
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    def __get__(self, robot: Any, owner: Any = None) -> Any:
        if robot is None:
            return self.function
        bound = self.make(robot)
        robot.__dict__[self.__name__] = bound
        return bound

    def make(self, robot: Any) -> Any:
        bound = robot._engine.function(self.__name__)
        bound.__doc__ = self.function.__doc__
        bound.__name__ = self.__name__
        bound.__wrapped__ = self.function.__get__(robot)  # inspect.signature reads it
        if self.result is not None:
            bound.result_type = self.result
        for product, (text, result) in _products.get(self.__name__, {}).items():
            inner = robot._engine.function(self.__name__ + "_" + product)
            inner.__doc__ = text
            inner.__name__ = product
            if result is not None:
                inner.result_type = result
            setattr(bound, product, inner)
        return bound


_products: Dict[str, Dict[str, Any]] = {}


def products(name: str, kind: str, text: str, result: Optional[type] = None) -> None:
    """Registers vjp or jvp of a function."""
    _products.setdefault(name, {})[kind] = (text, result)


if TYPE_CHECKING:

    def function(
        result: Optional[type] = None,
    ) -> Callable[[Callable[Concatenate[Robot, P], R]], Method[P, R]]: ...

else:

    def function(result=None):
        """Makes a method of Robot whose values C++ computes."""
        return lambda f: _Method(f, result)


class Functions:
    """Base of what has such functions."""

    _engine: Any

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Calls a function by its name: what Robot.f(robot, ...) does, where robot.f(...) is meant."""
        return getattr(self, name)(*args, **kwargs)
