#include "contenders.hpp"

#include <fmt/format.h>

#include "ulna/num/counted.hpp"

namespace ulna::cli {
namespace {

template <Scalar T>
class Moved : public Contender<T> {
 public:
  void set(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) override {
    q_ = q, v_ = v, a_ = a;
  }
  VecX<T> torque() const override { return tau_; }

 protected:
  VecX<T> q_, v_, a_, tau_;
};

template <Scalar T>
class Classical : public Moved<T> {
 public:
  explicit Classical(classic::Formulation<T> formulation) : formulation_(std::move(formulation)) {}
  std::string_view name() const override { return formulation_.name; }
  std::string_view source() const override { return formulation_.source; }
  void run() override { this->tau_ = formulation_.inverse_dynamics(this->q_, this->v_, this->a_); }
  bool has_terms() const override { return true; }
  MatX<T> mass_matrix() override { return formulation_.mass_matrix(this->q_); }
  VecX<T> bias() override { return formulation_.bias(this->q_, this->v_); }

 private:
  classic::Formulation<T> formulation_;
};

/// What the fast algorithms need.
template <Scalar T>
class Fast : public Moved<T> {
 public:
  explicit Fast(const Plant<T>& plant)

      : plant_(plant),
        ws_(plant.model()),
        motion_(plant.model()),
        at_(plant.model()),
        n_(plant.model().nv()) {
    this->tau_.resize(n_);
  }
  bool has_terms() const override { return true; }
  MatX<T> mass_matrix() override {
    MatX<T> M(n_, n_);
    at_.set(this->q_);
    ulna::mass_matrix<T>(plant_, at_, ws_, M);
    return M;
  }
  VecX<T> bias() override {
    VecX<T> tau(n_);
    motion_.set(this->q_, this->v_);
    bias_torque<T>(plant_, motion_, ws_, tau);
    return tau;
  }

 protected:
  Plant<T> plant_;
  Workspace<T> ws_;
  Motion<T> motion_;
  Kinematics<T> at_;
  Eigen::Index n_;
};

template <Scalar T>
class FastInverse : public Fast<T> {
 public:
  using Fast<T>::Fast;
  std::string_view name() const override { return "fast-inverse"; }
  std::string_view source() const override { return "ulna::inverse_dynamics"; }
  void run() override {
    this->motion_.set(this->q_, this->v_, this->a_);
    inverse_dynamics<T>(this->plant_, this->motion_, this->ws_, this->tau_);
  }
};

template <Scalar T>
class FastMassMatrix : public Fast<T> {
 public:
  explicit FastMassMatrix(const Plant<T>& plant) : Fast<T>(plant), M_(this->n_, this->n_) {}
  std::string_view name() const override { return "fast-mass-matrix"; }
  std::string_view source() const override { return "ulna::mass_matrix"; }
  void run() override {
    this->at_.set(this->q_);
    ulna::mass_matrix<T>(this->plant_, this->at_, this->ws_, M_);
    this->motion_.set(this->q_, this->v_);
    bias_torque<T>(this->plant_, this->motion_, this->ws_, this->tau_);
    for (Eigen::Index i = 0; i < this->n_; ++i)
      for (Eigen::Index j = 0; j < this->n_; ++j) this->tau_(i) += M_(i, j) * this->a_(j);
  }

 private:
  MatX<T> M_;
};

/// Is given the torques, finds the motion, and is judged by the torques of what it found.
template <Scalar T>
class FastForward : public Fast<T> {
 public:
  explicit FastForward(const Plant<T>& plant) : Fast<T>(plant), found_(this->n_) {}
  std::string_view name() const override { return "fast-forward"; }
  std::string_view source() const override { return "ulna::forward_dynamics"; }
  void set(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) override {
    Fast<T>::set(q, v, a);
    this->motion_.set(q, v, a);
    inverse_dynamics<T>(this->plant_, this->motion_, this->ws_, this->tau_);
  }
  void run() override {
    this->at_.set(this->q_, this->v_);
    if (!forward_dynamics<T>(this->plant_, this->at_, this->tau_, this->ws_, found_))
      found_.fill(T(std::numeric_limits<double>::quiet_NaN()));
  }
  VecX<T> torque() const override {
    VecX<T> tau(this->n_);
    if (!is_finite(found_(0))) return found_;
    Motion<T> motion(this->plant_.model());
    Workspace<T> ws(this->plant_.model());
    motion.set(this->q_, this->v_, found_);
    inverse_dynamics<T>(this->plant_, motion, ws, tau);
    return tau;
  }
  bool has_terms() const override { return false; }

 private:
  VecX<T> found_;
};

}  // namespace

template <Scalar T>
std::vector<std::unique_ptr<Contender<T>>> contenders(const Model& model) {
  if (model.joint_count() > most_joints)
    throw std::invalid_argument(fmt::format(
        "robot '{}' has {} joints; some formulations take O(n^4) operations, so at most "
        "{} are counted: lock joints or cut off branches",
        model.name(), model.joint_count(), most_joints));
  Plant<T> plant(model);
  plant.remove_friction();
  plant.armature.setZero();
  std::vector<std::unique_ptr<Contender<T>>> all;
  for (auto& formulation : classic::formulations<T>(plant))
    all.push_back(std::make_unique<Classical<T>>(std::move(formulation)));
  all.push_back(std::make_unique<FastInverse<T>>(plant));
  all.push_back(std::make_unique<FastMassMatrix<T>>(plant));
  all.push_back(std::make_unique<FastForward<T>>(plant));
  return all;
}

template std::vector<std::unique_ptr<Contender<double>>> contenders(const Model&);
template std::vector<std::unique_ptr<Contender<Counted>>> contenders(const Model&);

}  // namespace ulna::cli
