#include "ulna/rig/test_plant.hpp"

bool ulna::rig::has_mujoco() noexcept { return ULNA_WITH_MUJOCO; }

#if ULNA_WITH_MUJOCO

#include <algorithm>
#include <array>
#include <cmath>

#include "rig/mujoco_model.hpp"

namespace ulna::rig {
namespace {

using Vector = Eigen::VectorXd;
using Map = Eigen::Map<Vector>;

/// MuJoCo's dry friction is the same in both directions. One that is not is the mean of both and half their
/// difference as a torque that always acts: f+ = s + d, f- = s - d, also at rest, where friction is from -f+ to f-.
class MujocoPlant final : public TestPlant {
 public:
  MujocoPlant(const Model& model, const MujocoOptions& options)
      : options_(options),
        m_(compile_mujoco(model, options)),
        d_(mj_makeData(m_.get())),
        scratch_(mj_makeData(m_.get())),
        plant_(model),
        q_(Vector::Zero(model.nq())),
        v_(Vector::Zero(model.nv())) {
    if (!d_ || !scratch_) throw std::bad_alloc();
    take_over_friction(plant_.friction, plant_.friction_negative);
    set_state(q_, v_);
  }

  void set_state(const Vector& q, const Vector& v) override {
    detail::require_size("q", q.size(), plant_.model().nq(), plant_.model());
    detail::require_size("v", v.size(), plant_.model().nv(), plant_.model());
    mj_resetData(m_.get(), d_.get());
    q_ = q, v_ = v;
    Map(d_->qpos, q.size()) = q, Map(d_->qvel, v.size()) = v;
    drive_.setZero(), load_.setZero();
    time_ = 0.0, current_ = false;
  }

  SimulationStatus hold(In<double> tau) noexcept override {
    if (tau.size() != drive_.size()) return SimulationStatus::bad_argument;
    if (!tau.allFinite()) return SimulationStatus::torque_not_finite;
    drive_ = tau, current_ = false;
    if (options_.torque_limits) {
      const Vector& limit = plant_.model().effort_limit();
      drive_ = drive_.cwiseMin(limit).cwiseMax(-limit);
    }
    return SimulationStatus::moved;
  }

  void load(const Vector& tau) noexcept override { load_ = tau, current_ = false; }

  void set_dry_friction(const Vector& positive, const Vector& negative) noexcept override {
    take_over_friction(positive, negative);
  }

  SimulationStatus step(double h) noexcept override {
    if (!(h >= 0.0) || !std::isfinite(h)) return SimulationStatus::bad_argument;
    const double count = std::max(1.0, std::ceil(h / options_.step - 1e-9));
    m_->opt.timestep = h / count;
    apply_torques();
    for (double i = 0.0; i < count; i += 1.0) {
      // MuJoCo would begin anew, with a warning
      if (!is_sound()) return SimulationStatus::diverged;
      mj_step(m_.get(), d_.get());
    }
    current_ = false;
    const bool reset =
        std::ranges::any_of(std::array{mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC},
                            [this](int what) { return d_->warning[what].number > 0; });
    if (reset || !is_sound()) return SimulationStatus::diverged;
    q_ = Map(d_->qpos, q_.size()), v_ = Map(d_->qvel, v_.size());
    time_ += h;
    return SimulationStatus::moved;
  }

  void change(const std::function<void(Plant<double>&)>& edit) override {
    edit(plant_);
    set_mujoco_plant(*m_, *scratch_, plant_);
    take_over_friction(plant_.friction, plant_.friction_negative);
  }

  double time() const noexcept override { return time_; }
  const Vector& q() const noexcept override { return q_; }
  const Vector& v() const noexcept override { return v_; }
  const Vector& tau() const noexcept override { return drive_; }
  const Plant<double>& plant() const noexcept override { return plant_; }

  const Vector& acceleration() noexcept override {
    compute_here();
    return a_;
  }
  const Vector& friction_torque() noexcept override {
    compute_here();
    return friction_;
  }

 private:
  void take_over_friction(const Vector& positive, const Vector& negative) noexcept {
    Map(m_->dof_frictionloss, v_.size()) = 0.5 * (positive + negative);
    lopsided_ = 0.5 * (positive - negative);
    current_ = false;
  }

  void apply_torques() noexcept { Map(d_->qfrc_applied, v_.size()) = drive_ + load_ - lopsided_; }

  bool is_sound() const noexcept {
    const auto small = [](const mjtNum* x, int size) {
      return std::all_of(x, x + size, [](double y) { return std::abs(y) < 1e8; });
    };
    return small(d_->qpos, m_->nq) && small(d_->qvel, m_->nv);
  }

  /// Acceleration and friction of now: a step leaves those of its beginning.
  void compute_here() noexcept {
    if (current_) return;
    current_ = true;
    apply_torques();
    mj_forward(m_.get(), d_.get());
    a_ = Map(d_->qacc, a_.size());
    friction_ = -lopsided_;
    for (int row = 0; row < d_->nefc; ++row)
      if (d_->efc_type[row] == mjCNSTR_FRICTION_DOF)
        friction_(d_->efc_id[row]) += d_->efc_force[row];
  }

  MujocoOptions options_;
  MujocoModel m_;
  MujocoData d_, scratch_;
  Plant<double> plant_;
  Vector q_, v_, drive_ = v_, load_ = v_, lopsided_ = v_, a_ = v_, friction_ = v_;
  double time_ = 0.0;
  bool current_ = false;  ///< whether a_ and friction_ are of now
};

}  // namespace

std::unique_ptr<TestPlant> make_mujoco_plant(const Model& model, const MujocoOptions& options) {
  return std::make_unique<MujocoPlant>(model, options);
}

}  // namespace ulna::rig

#else

#include <stdexcept>

namespace ulna::rig {

std::unique_ptr<TestPlant> make_mujoco_plant(const Model&, const MujocoOptions&) {
  throw std::runtime_error(
      "ulna was built without MuJoCo; install it (Debian: libmujoco-dev) and build ulna again, or "
      "simulate with ulna");
}

}  // namespace ulna::rig

#endif
