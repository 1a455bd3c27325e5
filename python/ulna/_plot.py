"""Figures; matplotlib is asked for when one is drawn."""

from __future__ import annotations

from importlib import import_module
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._results import Array

Panel = Tuple[str, Sequence[str], Array]


def _pyplot() -> Any:
    try:
        return import_module("matplotlib.pyplot")
    except ImportError:
        raise ImportError("figures need matplotlib (Debian: apt install python3-matplotlib)") from None


def _chosen(names: Sequence[str], joints: Optional[Sequence[str]]) -> List[int]:
    if joints is None:
        return list(range(len(names)))
    unknown = [j for j in joints if not any(n == j or n.startswith(j + "_") for n in names)]
    if unknown:
        raise ValueError(f"there is no joint '{unknown[0]}'; there are {', '.join(names)}")
    return [i for i, n in enumerate(names) if any(n == j or n.startswith(j + "_") for j in joints)]


def courses(
    t: Array,
    panels: Sequence[Panel],
    joints: Optional[Sequence[str]] = None,
    single: Sequence[Tuple[str, Union[Array, Mapping[str, Array]]]] = (),
    title: str = "",
) -> Any:
    """Panels one below the other over time, a line for each name; those of `single` have a line or few, of any names."""
    plt = _pyplot()
    n = len(panels) + len(single)
    figure, axes = plt.subplots(n, 1, sharex=True, figsize=(8, 2.1 * n), squeeze=False, constrained_layout=True)
    for ax, (label, names, x) in zip(axes[:, 0], panels):
        for i in _chosen(names, joints):
            ax.plot(t[: len(x)], x[:, i], label=names[i], linewidth=1.2)
        ax.set_ylabel(label)
    for ax, (label, y) in zip(axes[len(panels) :, 0], single):
        lines = y if isinstance(y, Mapping) else {"": y}
        for name, line in lines.items():
            ax.plot(t, line, linewidth=1.2, label=name)
        if isinstance(y, Mapping):
            ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
        ax.set_ylabel(label)
    if panels:
        axes[0, 0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
    axes[-1, 0].set_xlabel("t [s]")
    for ax in axes[:, 0]:
        ax.grid(alpha=0.3)
    if title:
        figure.suptitle(title)
    return figure


def pairs(t: Array, names: Sequence[str], measured: Array, predicted: Array, labels: Sequence[str], title: str = "") -> Any:
    """A panel for each name with two lines, and what is between them."""
    plt = _pyplot()
    n = len(names)
    figure, axes = plt.subplots(n, 1, sharex=True, figsize=(8, 1.6 * n + 0.6), squeeze=False, constrained_layout=True)
    for i, ax in enumerate(axes[:, 0]):
        ax.plot(t, measured[:, i], label=labels[0], linewidth=1.2)
        ax.plot(t, predicted[:, i], label=labels[1], linewidth=1.0, linestyle="--")
        ax.plot(t, measured[:, i] - predicted[:, i], label="difference", linewidth=0.7, color="0.5")
        ax.set_ylabel(names[i], fontsize="small")
        ax.grid(alpha=0.3)
    axes[0, 0].legend(fontsize="small", ncol=3, frameon=False)
    axes[-1, 0].set_xlabel("t [s]")
    if title:
        figure.suptitle(title)
    return figure


def bars(names: Sequence[str], values: Array, deviations: Array, reference: Optional[Array], unit: str = "") -> Any:
    """Values with deviations, beside others; all in one unit, if it is given."""
    plt = _pyplot()
    figure, ax = plt.subplots(figsize=(8, 0.25 * len(names) + 1.2), constrained_layout=True)
    at = np.arange(len(names))
    ax.barh(at, values, xerr=np.where(np.isfinite(deviations), deviations, 0.0), height=0.6, alpha=0.8, label="estimate")
    if reference is not None:
        ax.plot(reference, at, "k|", label="before")
    ax.set_yticks(at, names, fontsize="x-small")
    ax.invert_yaxis()
    ax.set_xlabel(unit)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
    ax.grid(alpha=0.3, axis="x")
    ax.grid(visible=False, axis="y")
    ax.set_axisbelow(True)
    return figure
