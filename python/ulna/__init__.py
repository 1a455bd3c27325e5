"""Robot dynamics from numpy.

    import ulna
    robot = ulna.Robot("panda")                    # or a URDF file, or a DH table in YAML
    tau = robot.inverse_dynamics(q, v, a)          # one state: q, v, a are vectors
    tau = robot.inverse_dynamics(Q, V, A)          # N states: (N, n) arrays, on all cores
    M, J = robot.mass_matrix(q), robot.jacobian(q, "panda_link8")

help(ulna.Robot) lists everything a robot can be asked for.
"""

from ._core import __version__
from ._errors import Diagnostic, ModelError, Report
from ._results import (
    ForwardDynamicsDerivatives,
    ForwardDynamicsSecondDerivatives,
    FrameMotionDerivatives,
    Gradients,
    IkResult,
    InverseDynamicsDerivatives,
    InverseDynamicsSecondDerivatives,
    Joint,
    MomentumRegressor,
)
from ._robot import Robot, check, robots


__all__ = [
    "Diagnostic",
    "ForwardDynamicsDerivatives",
    "ForwardDynamicsSecondDerivatives",
    "FrameMotionDerivatives",
    "Gradients",
    "IkResult",
    "InverseDynamicsDerivatives",
    "InverseDynamicsSecondDerivatives",
    "Joint",
    "ModelError",
    "MomentumRegressor",
    "Report",
    "Robot",
    "__version__",
    "check",
    "robots",
]
