"""Robots in a browser."""

from __future__ import annotations

import webbrowser
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core

if TYPE_CHECKING:
    from ._robot import Robot


class Viewer:
    """Shows robots in a browser while a program moves them.

        viewer = ulna.Viewer(robot)
        print(viewer.url)
        every period:
            viewer.show(t, q)

    robot: the robot to show, or several
    ghosts: robots that are drawn translucent, such as a reference; they are numbered behind the others
    plots: what plot() shows: {"torque": "Nm"} for a number per joint, or {"power": ("W", ["motors", "friction"])}
    title: of the page; the robots' names if not given
    port: of the server, which only this machine reaches; 0: one that is free
    packages: where the meshes of package://NAME are, {NAME: folder}, beside those that the environment of ROS names
    """

    def __init__(
        self,
        robot: "Union[Robot, Sequence[Robot]]",
        *,
        ghosts: "Sequence[Robot]" = (),
        plots: Optional[Mapping[str, Union[str, Tuple[str, Sequence[str]]]]] = None,
        title: str = "",
        port: int = 0,
        packages: Optional[Mapping[str, str]] = None,
    ) -> None:
        if not _core.has_viewer():
            raise RuntimeError("this ulna was built without its viewer: it needs Boost.Beast (Debian: libboost-dev)")
        solid = list(robot) if isinstance(robot, Sequence) else [robot]
        self._robots = [*solid, *ghosts]
        if not self._robots:
            raise ValueError("there is no robot to show")
        joints = list(self._robots[0].velocity_names)
        groups = []
        for name, what in (plots or {}).items():
            unit, names = (what, joints) if isinstance(what, str) else (what[0], list(what[1]))
            groups.append((name, unit, names))
        self._size = sum(len(names) for _, _, names in groups)
        self._core = _core.Viewer(
            [r._engine for r in self._robots],
            [r.name for r in self._robots],
            [False] * len(solid) + [True] * len(ghosts),
            port,
            title,
            groups,
            {name: str(folder) for name, folder in (packages or {}).items()},
        )

    @property
    def url(self) -> str:
        """Where the page is."""
        return str(self._core.url)

    @property
    def clients(self) -> int:
        """How many pages are connected."""
        return int(self._core.clients)

    def show(self, t: float, q: npt.ArrayLike, *, robot: int = 0) -> None:
        """Where a robot is from now on; returns within microseconds, whatever pages do.

        t: s
        q: (nq,)
        robot: its number, ghosts behind the others
        """
        if not self._core.show(robot, float(t), np.asarray(q, dtype=float)):
            self._refuse(robot, "q", q, self._of(robot).nq)

    def plot(self, t: float, values: npt.ArrayLike) -> None:
        """The numbers of the plots at a moment.

        t: s
        values: of all plots, one behind the other; NaN where there is none
        """
        if not self._core.plot(float(t), np.asarray(values, dtype=float)):
            raise ValueError(f"values: {np.size(values)} numbers given, the plots have {self._size}; and t must be finite")

    def play(self, t: npt.ArrayLike, q: npt.ArrayLike, *, robot: int = 0) -> None:
        """A whole motion, which the page plays.

        t: (N,), s
        q: (N, nq)
        robot: its number, ghosts behind the others
        """
        times, Q = np.asarray(t, dtype=float), np.asarray(q, dtype=float)
        of = self._of(robot)
        if times.ndim != 1 or Q.shape != (times.size, of.nq):
            raise ValueError(f"q: shape {Q.shape}, a motion of {times.size} moments needs ({times.size}, {of.nq})")
        if not (np.isfinite(times).all() and np.isfinite(Q).all()):
            raise ValueError("t, q: a number is not finite")
        self._core.play(of._engine, robot, times, Q)

    def open(self) -> None:
        """Opens the page in the browser."""
        webbrowser.open(self.url)

    def _of(self, robot: int) -> "Robot":
        if not 0 <= robot < len(self._robots):
            raise IndexError(f"robot: there is no robot {robot}; there are {len(self._robots)}")
        return self._robots[robot]

    def _refuse(self, robot: int, name: str, q: Any, size: int) -> None:
        self._of(robot)
        if np.size(q) != size:
            raise ValueError(f"{name}: {np.size(q)} numbers given, the robot has {size}")
        raise ValueError(f"t, {name}: a number is not finite")

    def __repr__(self) -> str:
        return f"Viewer({', '.join(r.name for r in self._robots)} at {self.url})"

    def _repr_html_(self) -> str:
        return f'<a href="{self.url}" target="_blank">{self.url}</a>'


def view(robot: "Union[Robot, Sequence[Robot]]", q: Optional[npt.ArrayLike] = None, *, browser: bool = True, **options: Any) -> Viewer:
    """Shows a robot in the browser; the page is there for as long as what this returns.

    robot: the robot to show, or several
    q: (nq,), where it is, or (N, nq), a motion of 100 moments a second; neutral if not given
    browser: whether to open the page
    options: those of Viewer
    returns: the Viewer, whose show() moves the robot
    """
    viewer = Viewer(robot, **options)
    if q is not None:
        Q = np.asarray(q, dtype=float)
        if Q.ndim == 2:
            viewer.play(0.01 * np.arange(len(Q)), Q)
        else:
            viewer.show(0.0, Q)
    if browser:
        viewer.open()
    return viewer
