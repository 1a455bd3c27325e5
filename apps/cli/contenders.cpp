#include "contenders.hpp"

#include <fmt/format.h>

#include <memory>

#include "ulna/num/counted.hpp"

namespace ulna::cli {
namespace {

/// What the algorithms work on, allocated once.
template <Scalar T>
struct Bench {
  Plant<T> plant;
  Workspace<T> ws{plant.model()};
  Motion<T> motion{plant.model()};
  Kinematics<T> at{plant.model()};
  VecX<T> q = {}, v = {}, a = {};
  VecX<T> tau = VecX<T>::Zero(plant.model().nv()), found = tau;  ///< found: an acceleration
  MatX<T> M = MatX<T>::Zero(tau.size(), tau.size());

  void set(const VecX<T>& q_now, const VecX<T>& v_now, const VecX<T>& a_now) {
    q = q_now, v = v_now, a = a_now;
  }
  void compute_mass_matrix() {
    at.set(q);
    mass_matrix<T>(plant, at, ws, M);
  }
  void compute_bias() {
    motion.set(q, v);
    bias_torque<T>(plant, motion, ws, tau);
  }
  void compute_torque(const VecX<T>& acceleration) {
    motion.set(q, v, acceleration);
    inverse_dynamics<T>(plant, motion, ws, tau);
  }
};

template <Scalar T>
Contender<T> classical(const Plant<T>& plant, const classic::Formulation<T>& f) {
  const std::shared_ptr<Bench<T>> on(new Bench<T>{plant});
  return {f.name,
          f.source,
          [=](const auto&... motion) { on->set(motion...); },
          [=] { on->tau = f.inverse_dynamics(on->q, on->v, on->a); },
          [=] { return on->tau; },
          [=] { return f.mass_matrix(on->q); },
          [=] { return f.bias(on->q, on->v); }};
}

template <Scalar T, class Run>
Contender<T> fast(const Plant<T>& plant, const char* name, const char* source, Run run) {
  const std::shared_ptr<Bench<T>> on(new Bench<T>{plant});
  return {name,
          source,
          [=](const auto&... motion) { on->set(motion...); },
          [=] { run(*on); },
          [=] { return on->tau; },
          [=] { return on->compute_mass_matrix(), on->M; },
          [=] { return on->compute_bias(), on->tau; }};
}

/// Is given the torques, finds the motion, and is judged by the torques of what it found.
template <Scalar T>
Contender<T> fast_forward(const Plant<T>& plant) {
  const std::shared_ptr<Bench<T>> on(new Bench<T>{plant});
  return {"fast-forward", "ulna::forward_dynamics",
          [=](const auto&... motion) {
            on->set(motion...);
            on->compute_torque(on->a);
          },
          [=] {
            on->at.set(on->q, on->v);
            if (!forward_dynamics<T>(on->plant, on->at, on->tau, on->ws, on->found))
              on->found.fill(T(std::numeric_limits<double>::quiet_NaN()));
          },
          [=] {
            if (!is_finite(on->found(0))) return on->found;
            on->compute_torque(on->found);
            return on->tau;
          }};
}

}  // namespace

template <Scalar T>
std::vector<Contender<T>> contenders(const Model& model) {
  if (model.joint_count() > most_joints)
    throw std::invalid_argument(fmt::format(
        "robot '{}' has {} joints; some formulations take O(n^4) operations, so at most "
        "{} are counted: lock joints or cut off branches",
        model.name(), model.joint_count(), most_joints));
  Plant<T> plant(model);
  plant.remove_friction();
  plant.armature.setZero();
  std::vector<Contender<T>> all;
  for (const auto& formulation : classic::formulations<T>(plant))
    all.push_back(classical<T>(plant, formulation));
  all.push_back(fast<T>(plant, "fast-inverse", "ulna::inverse_dynamics",
                        [](Bench<T>& on) { on.compute_torque(on.a); }));
  all.push_back(fast<T>(plant, "fast-mass-matrix", "ulna::mass_matrix", [](Bench<T>& on) {
    on.compute_mass_matrix();
    on.compute_bias();
    for (Eigen::Index i = 0; i < on.tau.size(); ++i)
      for (Eigen::Index j = 0; j < on.tau.size(); ++j) on.tau(i) += on.M(i, j) * on.a(j);
  }));
  all.push_back(fast_forward<T>(plant));
  return all;
}

template std::vector<Contender<double>> contenders(const Model&);
template std::vector<Contender<Counted>> contenders(const Model&);

}  // namespace ulna::cli
