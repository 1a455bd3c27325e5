#include "simulate/arkode.hpp"
#include "simulate/flow.hpp"
#include "simulate/step_impl.hpp"

namespace ulna::detail {
namespace {

/// Displacements begin anew when a joint has turned so far, rad: five terms are exact to 1e-13.
constexpr double farthest_turn = 0.5;
constexpr int series_terms = 5;
/// First steps, s, tried one after the other.
constexpr double first_steps[] = {infinity, 1e-4, 1e-7};
/// Steps of one segment: at least and at most, and per second in between. Those of light links with much damping are
/// limited by stability, and would be millions.
constexpr double fewest_steps = 300.0, most_steps = 100e3, steps_per_second = 300e3;

/// Its numbers are the displacement x from where the segment began, v, and the four kinds of work.
class RobotFlow : public AdaptiveFlow, EventSystem {
 public:
  RobotFlow(const Model& model, const AdaptiveOptions& options, int events)
      : model_(model),
        nv_(model.nv()),
        q_(model.nq()),
        v_(nv_),
        y_(2 * nv_ + 4),
        expected_(events, 0),
        arkode_(2 * nv_ + 4, options) {}

  SimulationStatus go(HeldDynamics& dynamics, Eigen::VectorXd& q, Eigen::VectorXd& v, double h,
                      double& gone, SimulationWork& work, long& events) override {
    dynamics_ = &dynamics;
    q0_ = q;
    possible_ = true;
    for (std::size_t e = 0; e < expected_.size(); ++e) expected_[e] = dynamics.expected(int(e), q);
    y_.setZero();
    y_.segment(nv_, nv_) = v;
    const long most = long(std::clamp(steps_per_second * h, fewest_steps, most_steps));
    Arkode::Result result = Arkode::Result::failed;
    // a first step that is far too long, for a spring, may lead to where nothing can be computed
    for (double first : first_steps) {
      if (first < infinity && first >= h) continue;
      result =
          arkode_.go(*this, int(expected_.size()) + 2, y_.data(), h, {first, infinity, most}, gone);
      if (result != Arkode::Result::failed) break;
    }
    tired_ = result == Arkode::Result::tired;
    if (result == Arkode::Result::failed)
      return possible_ ? SimulationStatus::diverged : SimulationStatus::plant_not_physical;
    if (!read(y_.data())) return SimulationStatus::diverged;
    q = q_, v = v_;
    if (result == Arkode::Result::root)
      for (std::size_t e = 0; e < expected_.size(); ++e)
        if (expected_[e] && arkode_.found(int(e))) dynamics.make_exact(int(e), q, v), ++events;
    const double* const done = y_.data() + 2 * nv_;
    work.add({.torques = done[0], .wrenches = done[1], .damping = done[2], .friction = done[3]});
    return SimulationStatus::moved;
  }

  bool tired() const override { return tired_; }

 private:
  /// The state of these numbers.
  bool read(const double* numbers) {
    x_ = Eigen::Map<const Eigen::VectorXd>(numbers, nv_);
    v_ = Eigen::Map<const Eigen::VectorXd>(numbers + nv_, nv_);
    if (!finite<double>(x_) || !finite<double>(v_)) return false;
    integrate<double>(model_, q0_, x_, q_);
    return true;
  }

  Rate rate(const double* y, double* dy) override {
    if (!read(y)) return Rate::too_far;
    possible_ = dynamics_->accelerate(q_, v_, a_);
    if (!possible_) return Rate::impossible;
    displacement_rates(model_, x_.data(), v_.data(), dy);
    std::copy(a_.begin(), a_.end(), dy + nv_);
    const SimulationWork p = dynamics_->power(q_, v_);
    const double work[] = {p.torques, p.wrenches, p.damping, p.friction};
    std::copy(std::begin(work), std::end(work), dy + 2 * nv_);
    return Rate::good;
  }

  Rate roots(const double* y, double* distance) override {
    if (!read(y)) return Rate::too_far;
    const std::size_t events = expected_.size();
    for (std::size_t e = 0; e < events; ++e)
      distance[e] = expected_[e] ? dynamics_->distance(int(e), q_, v_) : 1.0;
    distance[events] = farthest_turn - largest_turn(model_, x_.data());
    distance[events + 1] = dynamics_->reserve(q_, v_);
    return Rate::good;
  }

  const Model model_;
  int nv_;
  Eigen::VectorXd q_, q0_ = q_, v_, a_ = v_, x_ = v_, y_;
  std::vector<char> expected_;
  HeldDynamics* dynamics_ = nullptr;
  bool possible_ = true, tired_ = false;
  Arkode arkode_;
};

}  // namespace

void displacement_rates(const Model& model, const double* x, const double* v, double* rate) {
  std::copy_n(v, model.nv(), rate);
  for (const Joint& j : model.joints())
    if (curved(j)) displacement_rate(j, x + j.v, v + j.v, rate + j.v, series_terms);
}

double largest_turn(const Model& model, const double* x) {
  double most = 0.0;
  for (const Joint& j : model.joints())
    if (curved(j)) most = std::max(most, joint_twist(j.type, j.pitch, x + j.v).angular.norm());
  return most;
}

std::unique_ptr<AdaptiveFlow> adaptive_flow(const Model& model, const AdaptiveOptions& options,
                                            int events) {
  return std::make_unique<RobotFlow>(model, options, events);
}

}  // namespace ulna::detail
