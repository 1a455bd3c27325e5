// block 1
using namespace ulna::control;
using ulna::Plant;
const VectorXd q_goal = q;
// block 2
using namespace ulna::control;
using namespace ulna;
RobotProblemOptions options;
MotionLimits limits(model);
// block 3
using namespace ulna::control;
RobotProblemOptions options;
RobotProblem problem(ulna::Plant<double>(model), [] {
  RobotProblemOptions pressing{.steps = 20, .duration = 0.02};
  pressing.transcription = Transcription::inverse_dynamics;
  pressing.contact = {.frame = "panda_link8", .normal = {-1, 0, 0}, .friction = 0.3};
  return pressing;
}());
