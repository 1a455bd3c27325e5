// block 2
struct Reading {
  double time = 0.0;
  VectorXd q = given::q, v = given::v, tau = given::tau;
} reading;
const double now = 0.0;
ulna::mpc::IdentifyingController controller(model, {});
ulna::supervise::Supervisor supervisor(model, {.rate_hz = 1000.0});
struct {
  void write(const VectorXd&) {}
} rig;
// block 3
using namespace ulna;
const Model model = [] {
  Description described = given::model.description();
  described.frames.push_back({.name = "touch", .link = "panda_link8", .origin = Pose({0, 0, 0.1})});
  return Builder(described).build();
}();
mpc::ControllerOptions options;
