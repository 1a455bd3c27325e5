#include "simulate/flow.hpp"

bool ulna::has_adaptive() { return ULNA_WITH_SUNDIALS; }

#if ULNA_WITH_SUNDIALS

#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>

#include "simulate/step_impl.hpp"

namespace ulna::detail {
namespace {

/// Displacements begin anew when a joint has turned so far, rad: there five terms of the series are
/// exact to 1e-13.
constexpr double farthest_turn = 0.5;
constexpr int series_terms = 5;
constexpr long most_steps = 100'000;

double turned(const Joint& joint, const double* x) {
  return joint_twist(joint.type, joint.pitch, x).angular.norm();
}

}  // namespace

/// Its numbers are the displacement x from where the segment began, v, and the four kinds of work.
struct AdaptiveFlow::Solver {
  Solver(const Model& robot, const AdaptiveOptions& o, int events)
      : model(robot),
        options(o),
        nv(robot.nv()),
        q0(robot.nq()),
        q(robot.nq()),
        v(robot.nv()),
        a(robot.nv()),
        x(robot.nv()),
        expected(events, 0),
        found(events + 2, 0) {
    if (SUNContext_Create(nullptr, &context) != 0) fail();
    y = N_VNew_Serial(2 * nv + 4, context);
    if (!y) fail();
    N_VConst(0.0, y);
    memory = ERKStepCreate(&Solver::rate, 0.0, y, context);
    if (!memory) fail();
    const int roots = events + 2;
    directions.assign(roots, -1);
    const bool ready =
        ERKStepSetErrHandlerFn(
            memory, [](int, const char*, const char*, char*, void*) {}, this) == ARK_SUCCESS &&
        ERKStepSetUserData(memory, this) == ARK_SUCCESS &&
        ERKStepSetOrder(memory, options.order) == ARK_SUCCESS &&
        ERKStepSStolerances(memory, options.relative, options.absolute) == ARK_SUCCESS &&
        ERKStepSetMaxNumSteps(memory, most_steps) == ARK_SUCCESS &&
        ERKStepRootInit(memory, roots, &Solver::roots) == ARK_SUCCESS &&
        ERKStepSetRootDirection(memory, directions.data()) == ARK_SUCCESS &&
        ERKStepSetNoInactiveRootWarn(memory) == ARK_SUCCESS;
    if (!ready) fail();
  }
  ~Solver() { release(); }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  void release() {
    if (memory) ERKStepFree(&memory);
    if (y) N_VDestroy(y);
    if (context) SUNContext_Free(&context);
    y = nullptr;
  }
  [[noreturn]] void fail() {
    release();
    throw std::runtime_error("simulation: SUNDIALS cannot be set up");
  }

  /// The state that SUNDIALS is at.
  bool read(N_Vector at) {
    const double* numbers = N_VGetArrayPointer(at);
    x = Eigen::Map<const Eigen::VectorXd>(numbers, nv);
    v = Eigen::Map<const Eigen::VectorXd>(numbers + nv, nv);
    if (!finite<double>(x) || !finite<double>(v)) return false;
    integrate<double>(model, q0, x, q);
    return true;
  }

  static int rate(double, N_Vector at, N_Vector out, void* self) noexcept {
    Solver& s = *static_cast<Solver*>(self);
    if (!s.read(at)) return 1;  // shorter steps may do
    s.possible = s.dynamics->accelerate(s.q, s.v, s.a);
    if (!s.possible) return -1;
    double* r = N_VGetArrayPointer(out);
    std::copy(s.v.begin(), s.v.end(), r);
    for (const Joint& j : s.model.joints())
      if (curved(j))
        displacement_rate(j, s.x.data() + j.v, s.v.data() + j.v, r + j.v, series_terms);
    std::copy(s.a.begin(), s.a.end(), r + s.nv);
    const SimulationWork p = s.dynamics->power(s.q, s.v);
    const double work[] = {p.torques, p.wrenches, p.damping, p.friction};
    std::copy(std::begin(work), std::end(work), r + 2 * s.nv);
    return 0;
  }

  static int roots(double, N_Vector at, double* distance, void* self) noexcept {
    Solver& s = *static_cast<Solver*>(self);
    if (!s.read(at)) return 1;
    const std::size_t events = s.expected.size();
    for (std::size_t e = 0; e < events; ++e)
      distance[e] = s.expected[e] ? s.dynamics->distance(static_cast<int>(e), s.q, s.v) : 1.0;
    distance[events] = 1.0;
    for (const Joint& j : s.model.joints())
      if (curved(j))
        distance[events] = std::min(distance[events], farthest_turn - turned(j, s.x.data() + j.v));
    distance[events + 1] = s.dynamics->reserve(s.q, s.v);
    return 0;
  }

  const Model model;
  AdaptiveOptions options;
  int nv;
  Eigen::VectorXd q0, q, v, a, x;
  std::vector<char> expected;
  std::vector<int> found, directions;
  HeldDynamics* dynamics = nullptr;
  bool possible = true;
  double last_step = 0.0;
  SUNContext context = nullptr;
  N_Vector y = nullptr;
  void* memory = nullptr;
};

AdaptiveFlow::AdaptiveFlow(const Model& model, const AdaptiveOptions& options, int events)
    : solver_(std::make_unique<Solver>(model, options, events)) {}
AdaptiveFlow::~AdaptiveFlow() = default;

SimulationStatus AdaptiveFlow::go(HeldDynamics& dynamics, Eigen::VectorXd& q, Eigen::VectorXd& v,
                                  double h, double& gone, SimulationWork& work, long& events) {
  Solver& s = *solver_;
  s.dynamics = &dynamics;
  s.q0 = q;
  s.possible = true;
  for (std::size_t e = 0; e < s.expected.size(); ++e)
    s.expected[e] = dynamics.expected(static_cast<int>(e), q);
  double* numbers = N_VGetArrayPointer(s.y);
  std::fill_n(numbers, 2 * s.nv + 4, 0.0);
  std::copy(v.begin(), v.end(), numbers + s.nv);
  if (ERKStepReInit(s.memory, &Solver::rate, 0.0, s.y) != ARK_SUCCESS ||
      ERKStepSetInitStep(s.memory, std::min(s.last_step, h)) != ARK_SUCCESS ||
      ERKStepSetStopTime(s.memory, h) != ARK_SUCCESS)
    return SimulationStatus::gave_up;
  const int flag = ERKStepEvolve(s.memory, h, s.y, &gone, ARK_NORMAL);
  if (flag < 0)
    return !s.possible                 ? SimulationStatus::plant_not_physical
           : flag == ARK_TOO_MUCH_WORK ? SimulationStatus::gave_up
                                       : SimulationStatus::diverged;
  if (!s.read(s.y)) return SimulationStatus::diverged;
  ERKStepGetCurrentStep(s.memory, &s.last_step);
  q = s.q, v = s.v;
  if (flag == ARK_ROOT_RETURN) {
    ERKStepGetRootInfo(s.memory, s.found.data());
    for (std::size_t e = 0; e < s.expected.size(); ++e)
      if (s.expected[e] && s.found[e]) dynamics.make_exact(static_cast<int>(e), q, v), ++events;
  }
  const double* const done = numbers + 2 * s.nv;
  work.add({.torques = done[0], .wrenches = done[1], .damping = done[2], .friction = done[3]});
  return SimulationStatus::moved;
}

}  // namespace ulna::detail

#else

#include <stdexcept>

namespace ulna::detail {

struct AdaptiveFlow::Solver {};
AdaptiveFlow::AdaptiveFlow(const Model&, const AdaptiveOptions&, int) {
  throw std::runtime_error(
      "simulation: this ulna was built without SUNDIALS, so there are no adaptive steps; use fixed "
      "ones, or install libsundials-dev and build again");
}
AdaptiveFlow::~AdaptiveFlow() = default;
SimulationStatus AdaptiveFlow::go(HeldDynamics&, Eigen::VectorXd&, Eigen::VectorXd&, double,
                                  double&, SimulationWork&, long&) {
  return SimulationStatus::gave_up;
}

}  // namespace ulna::detail

#endif
