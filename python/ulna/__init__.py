"""Robot dynamics from numpy.

    import ulna
    robot = ulna.Robot("panda")                    # or a URDF file, or a DH table in YAML
    tau = robot.inverse_dynamics(q, v, a)          # one state: q, v, a are vectors
    tau = robot.inverse_dynamics(Q, V, A)          # N states: (N, n) arrays, on all cores
    M, J = robot.mass_matrix(q), robot.jacobian(q, "panda_link8")

help(ulna.Robot) lists everything a robot can be asked for.
"""

from ._builder import Builder
from ._control import OptimalControlProblem, Plan, RobotProblem, Solution, complex_step
from ._core import __version__
from ._drives import Loops
from ._equations import Equations, Symbol
from ._errors import Diagnostic, ModelError, Report
from ._formulations import (
    Compared,
    Comparison,
    Formulation,
    Formulations,
    Growth,
    OperationCount,
    SimplifiedModel,
    Term,
    operation_growth,
)
from ._geometry import (
    Capsules,
    CollisionShapes,
    ContactPoint,
    Inertial,
    InertiaCheck,
    LinkShape,
    Shape,
    check_inertia,
    contact_points,
    distance,
)
from ._identify import BaseParameters, ExcitingMotion, Fit, Identification, LinkPayload, Log, OnlineEstimator, Parameter, Trace
from ._mpc import (
    ElasticController,
    IdentifyingController,
    Payload,
    TrialResult,
    reach_and_wave,
    run_trial,
    smooth_reach_and_wave,
)
from ._qp import QpSolution, QuadraticProgram
from ._results import (
    ContactDerivatives,
    ContactMotion,
    ContactTorques,
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
    LoopDerivatives,
    LoopMotion,
    MomentumRegressor,
    OperationalSpace,
    ReducedDynamics,
    State,
    StepDerivatives,
)
from ._robot import Robot, check, robots
from ._simulate import Reading, Simulation, SimulationError, SimulationResult, Work
from ._supervise import Event, MomentumObserver, Supervisor
from ._view import Viewer, view
from ._world import Contact, World, WorldResult, WorldWork, simulate_scene

__all__ = [
    "BaseParameters",
    "Builder",
    "Capsules",
    "CollisionShapes",
    "Compared",
    "Comparison",
    "Contact",
    "ContactDerivatives",
    "ContactMotion",
    "ContactPoint",
    "ContactTorques",
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
    "Growth",
    "Identification",
    "IdentifyingController",
    "IkResult",
    "InertiaCheck",
    "Inertial",
    "InverseDynamicsDerivatives",
    "InverseDynamicsSecondDerivatives",
    "Joint",
    "LinkPayload",
    "LinkShape",
    "Log",
    "LoopDerivatives",
    "LoopMotion",
    "Loops",
    "ModelError",
    "MomentumObserver",
    "MomentumRegressor",
    "OnlineEstimator",
    "OperationCount",
    "OperationalSpace",
    "OptimalControlProblem",
    "Parameter",
    "Payload",
    "Plan",
    "QpSolution",
    "QuadraticProgram",
    "Reading",
    "ReducedDynamics",
    "Report",
    "Robot",
    "RobotProblem",
    "Shape",
    "SimplifiedModel",
    "Simulation",
    "SimulationError",
    "SimulationResult",
    "Solution",
    "State",
    "StepDerivatives",
    "Supervisor",
    "Symbol",
    "Term",
    "Trace",
    "TrialResult",
    "Viewer",
    "Work",
    "World",
    "WorldResult",
    "WorldWork",
    "__version__",
    "check",
    "check_inertia",
    "complex_step",
    "contact_points",
    "distance",
    "operation_growth",
    "reach_and_wave",
    "robots",
    "run_trial",
    "simulate_scene",
    "smooth_reach_and_wave",
    "view",
]
