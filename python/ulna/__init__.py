"""Robot dynamics from numpy.

    import ulna
    robot = ulna.Robot("panda")                    # or a URDF file, or a DH table in YAML
    tau = robot.inverse_dynamics(q, v, a)          # one state: q, v, a are vectors
    tau = robot.inverse_dynamics(Q, V, A)          # N states: (N, n) arrays, on all cores
    M, J = robot.mass_matrix(q), robot.jacobian(q, "panda_link8")

help(ulna.Robot) lists everything a robot can be asked for.
"""

from ._control import OptimalControlProblem, Plan, RobotProblem, Solution, complex_step
from ._core import __version__
from ._drives import Loops
from ._equations import Equations, Symbol
from ._errors import Diagnostic, ModelError, Report
from ._formulations import Compared, Comparison, Formulation, Formulations, OperationCount
from ._identify import ExcitingMotion, Fit, Identification, Log, OnlineEstimator, Parameter, Trace
from ._mpc import (
    ElasticController,
    IdentifyingController,
    Payload,
    TrialResult,
    reach_and_wave,
    run_trial,
    smooth_reach_and_wave,
)
from ._results import (
    DriveAccelerations,
    DriveEnergy,
    DriveForwardDynamicsDerivatives,
    DriveInverseDynamicsDerivatives,
    DriveTorques,
    ForwardDynamicsDerivatives,
    ForwardDynamicsSecondDerivatives,
    FrameMotionDerivatives,
    Gradients,
    IkResult,
    InverseDynamicsDerivatives,
    InverseDynamicsSecondDerivatives,
    Joint,
    LoopMotion,
    MomentumRegressor,
)
from ._robot import Robot, check, robots
from ._simulate import Reading, Simulation, SimulationError, SimulationResult, Work
from ._supervise import Event, Supervisor
from ._view import Viewer, view
from ._world import Contact, World, WorldResult, WorldWork, simulate_scene

__all__ = [
    "Compared",
    "Comparison",
    "Contact",
    "Diagnostic",
    "DriveAccelerations",
    "DriveEnergy",
    "DriveForwardDynamicsDerivatives",
    "DriveInverseDynamicsDerivatives",
    "DriveTorques",
    "ElasticController",
    "Equations",
    "Event",
    "ExcitingMotion",
    "Fit",
    "Formulation",
    "Formulations",
    "ForwardDynamicsDerivatives",
    "ForwardDynamicsSecondDerivatives",
    "FrameMotionDerivatives",
    "Gradients",
    "Identification",
    "IdentifyingController",
    "IkResult",
    "InverseDynamicsDerivatives",
    "InverseDynamicsSecondDerivatives",
    "Joint",
    "Log",
    "LoopMotion",
    "Loops",
    "ModelError",
    "MomentumRegressor",
    "OnlineEstimator",
    "OperationCount",
    "OptimalControlProblem",
    "Parameter",
    "Payload",
    "Plan",
    "Reading",
    "Report",
    "Robot",
    "RobotProblem",
    "Simulation",
    "SimulationError",
    "SimulationResult",
    "Solution",
    "Supervisor",
    "Symbol",
    "Trace",
    "TrialResult",
    "Viewer",
    "Work",
    "World",
    "WorldResult",
    "WorldWork",
    "__version__",
    "check",
    "complex_step",
    "reach_and_wave",
    "robots",
    "run_trial",
    "simulate_scene",
    "smooth_reach_and_wave",
    "view",
]
