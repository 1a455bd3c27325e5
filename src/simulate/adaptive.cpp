#include "simulate/flow.hpp"

bool ulna::has_adaptive() { return ULNA_WITH_SUNDIALS; }

#if ULNA_WITH_SUNDIALS

#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>

#include "simulate/step_impl.hpp"

namespace ulna::detail {
namespace {

/// Displacements begin anew when a joint has turned so far, rad: five terms are exact to 1e-13.
constexpr double farthest_turn = 0.5;
constexpr int series_terms = 5;
/// Steps of one segment: at least and at most, and per second in between. Those of light links with much damping are
/// limited by stability, and would be millions.
constexpr double fewest_steps = 300.0, most_steps = 100e3, steps_per_second = 300e3;

/// What SUNDIALS is made of, from its first part on.
struct Solver {
  ~Solver() {
    if (memory) ERKStepFree(&memory);
    if (y) N_VDestroy(y);
    if (context) SUNContext_Free(&context);
  }
  SUNContext context = nullptr;
  N_Vector y = nullptr;
  void* memory = nullptr;
};

/// Its numbers are the displacement x from where the segment began, v, and the four kinds of work.
class Arkode : public AdaptiveFlow {
 public:
  Arkode(const Model& model, const AdaptiveOptions& options, int events)
      : model_(model),
        nv_(model.nv()),
        q_(model.nq()),
        v_(nv_),
        expected_(events, 0),
        found_(events + 2, 0),
        directions_(events + 2, -1) {
    Solver& s = solver_;
    bool ready = SUNContext_Create(nullptr, &s.context) == 0 &&
                 (s.y = N_VNew_Serial(2 * nv_ + 4, s.context)) != nullptr;
    if (ready) N_VConst(0.0, s.y);
    ready =
        ready && (s.memory = ERKStepCreate(&rate, 0.0, s.y, s.context)) != nullptr &&
        ERKStepSetErrHandlerFn(
            s.memory, [](int, const char*, const char*, char*, void*) {}, this) == ARK_SUCCESS &&
        ERKStepSetUserData(s.memory, this) == ARK_SUCCESS &&
        ERKStepSetOrder(s.memory, options.order) == ARK_SUCCESS &&
        ERKStepSStolerances(s.memory, options.relative, options.absolute) == ARK_SUCCESS &&
        ERKStepRootInit(s.memory, events + 2, &roots) == ARK_SUCCESS &&
        ERKStepSetRootDirection(s.memory, directions_.data()) == ARK_SUCCESS &&
        ERKStepSetNoInactiveRootWarn(s.memory) == ARK_SUCCESS;
    if (!ready) throw std::runtime_error("simulation: SUNDIALS cannot be set up");
  }

  SimulationStatus go(HeldDynamics& dynamics, Eigen::VectorXd& q, Eigen::VectorXd& v, double h,
                      double& gone, SimulationWork& work, long& events) override {
    dynamics_ = &dynamics;
    q0_ = q;
    possible_ = true;
    for (std::size_t e = 0; e < expected_.size(); ++e) expected_[e] = dynamics.expected(int(e), q);
    double* numbers = N_VGetArrayPointer(solver_.y);
    std::fill_n(numbers, 2 * nv_ + 4, 0.0);
    std::copy(v.begin(), v.end(), numbers + nv_);
    void* const memory = solver_.memory;
    if (ERKStepReInit(memory, &rate, 0.0, solver_.y) != ARK_SUCCESS ||
        ERKStepSetInitStep(memory, std::min(last_step_, h)) != ARK_SUCCESS ||
        ERKStepSetStopTime(memory, h) != ARK_SUCCESS ||
        ERKStepSetMaxNumSteps(memory, long(std::clamp(steps_per_second * h, fewest_steps,
                                                      most_steps))) != ARK_SUCCESS)
      return SimulationStatus::gave_up;
    const int flag = ERKStepEvolve(memory, h, solver_.y, &gone, ARK_NORMAL);
    tired_ = flag == ARK_TOO_MUCH_WORK;
    if (flag < 0 && !tired_)
      return possible_ ? SimulationStatus::diverged : SimulationStatus::plant_not_physical;
    if (!read(solver_.y)) return SimulationStatus::diverged;
    ERKStepGetCurrentStep(memory, &last_step_);
    q = q_, v = v_;
    if (flag == ARK_ROOT_RETURN) {
      ERKStepGetRootInfo(memory, found_.data());
      for (std::size_t e = 0; e < expected_.size(); ++e)
        if (expected_[e] && found_[e]) dynamics.make_exact(int(e), q, v), ++events;
    }
    const double* const done = numbers + 2 * nv_;
    work.add({.torques = done[0], .wrenches = done[1], .damping = done[2], .friction = done[3]});
    return SimulationStatus::moved;
  }

  bool tired() const override { return tired_; }

 private:
  /// The state that SUNDIALS is at.
  bool read(N_Vector at) {
    const double* numbers = N_VGetArrayPointer(at);
    x_ = Eigen::Map<const Eigen::VectorXd>(numbers, nv_);
    v_ = Eigen::Map<const Eigen::VectorXd>(numbers + nv_, nv_);
    if (!finite<double>(x_) || !finite<double>(v_)) return false;
    integrate<double>(model_, q0_, x_, q_);
    return true;
  }

  static int rate(double, N_Vector at, N_Vector out, void* self) noexcept {
    Arkode& s = *static_cast<Arkode*>(self);
    if (!s.read(at)) return 1;  // shorter steps may do
    s.possible_ = s.dynamics_->accelerate(s.q_, s.v_, s.a_);
    if (!s.possible_) return -1;
    double* r = N_VGetArrayPointer(out);
    std::copy(s.v_.begin(), s.v_.end(), r);
    for (const Joint& j : s.model_.joints())
      if (curved(j))
        displacement_rate(j, s.x_.data() + j.v, s.v_.data() + j.v, r + j.v, series_terms);
    std::copy(s.a_.begin(), s.a_.end(), r + s.nv_);
    const SimulationWork p = s.dynamics_->power(s.q_, s.v_);
    const double work[] = {p.torques, p.wrenches, p.damping, p.friction};
    std::copy(std::begin(work), std::end(work), r + 2 * s.nv_);
    return 0;
  }

  static int roots(double, N_Vector at, double* distance, void* self) noexcept {
    Arkode& s = *static_cast<Arkode*>(self);
    if (!s.read(at)) return 1;
    const std::size_t events = s.expected_.size();
    for (std::size_t e = 0; e < events; ++e)
      distance[e] = s.expected_[e] ? s.dynamics_->distance(int(e), s.q_, s.v_) : 1.0;
    distance[events] = 1.0;
    for (const Joint& j : s.model_.joints()) {
      if (!curved(j)) continue;
      const double turned = joint_twist(j.type, j.pitch, s.x_.data() + j.v).angular.norm();
      distance[events] = std::min(distance[events], farthest_turn - turned);
    }
    distance[events + 1] = s.dynamics_->reserve(s.q_, s.v_);
    return 0;
  }

  const Model model_;
  int nv_;
  Eigen::VectorXd q_, q0_ = q_, v_, a_ = v_, x_ = v_;
  std::vector<char> expected_;
  std::vector<int> found_, directions_;
  HeldDynamics* dynamics_ = nullptr;
  bool possible_ = true, tired_ = false;
  double last_step_ = 0.0;
  Solver solver_;
};

}  // namespace

std::unique_ptr<AdaptiveFlow> adaptive_flow(const Model& model, const AdaptiveOptions& options,
                                            int events) {
  return std::make_unique<Arkode>(model, options, events);
}

}  // namespace ulna::detail

#else

std::unique_ptr<ulna::detail::AdaptiveFlow> ulna::detail::adaptive_flow(const Model&,
                                                                        const AdaptiveOptions&,
                                                                        int) {
  throw std::runtime_error(
      "simulation: this ulna was built without SUNDIALS, so there are no adaptive steps; use fixed "
      "ones, or install libsundials-dev and build again");
}

#endif
