#pragma once

#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// The numbers of a robot that identification is after, apart from the Model so that they can be
/// replaced many times a second while the Model stays as it is. Algorithms read the inertias from
/// here, in canonical frames; users give and get them in their own frames, ten per moving body in
/// the order π of Inertia, bodies in the order of the model.
template <Scalar T>
class Parameters {
 public:
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  /// The model's own.
  explicit Parameters(const Model& model)
      : inertias_(model.body_count()),
        damping(model.damping().template cast<T>()),
        friction(model.friction().template cast<T>()),
        friction_negative(model.friction_negative().template cast<T>()),
        armature(model.armature().template cast<T>()) {
    for (std::size_t b = 0; b < inertias_.size(); ++b)
      inertias_[b] = Inertia<T>(typename Inertia<T>::Parameters(
          model.canonical_inertias()[b].parameters().template cast<T>()));
  }

  /// How many inertial parameters a model has: ten per moving body.
  static int inertial_size(const Model& model) { return 10 * model.joint_count(); }

  /// Replaces all inertias. Allocates nothing; throws std::invalid_argument if the size is wrong.
  void set_inertial(const Model& model, const Eigen::Ref<const Vector>& pi) {
    require_size(model, pi.size());
    for (int b = 1; b < model.body_count(); ++b) {
      const Inertia<T> I_B(typename Inertia<T>::Parameters(pi.template segment<10>(10 * (b - 1))));
      inertias_[b] = X_BC(model, b).inverse() * I_B;
    }
  }
  void get_inertial(const Model& model, Eigen::Ref<Vector> pi) const {
    require_size(model, pi.size());
    for (int b = 1; b < model.body_count(); ++b)
      pi.template segment<10>(10 * (b - 1)) =
          (X_BC(model, b) * inertias_[b]).parameters();
  }

  /// Inertia of a body in its canonical frame.
  const Inertia<T>& inertia(int body) const { return inertias_[body]; }

 private:
  static Transform<T> X_BC(const Model& model, int body) {
    return Transform<T>::from_rotation(Rotation<T>::from_matrix(
        model.joint(body).R_BC.matrix().template cast<T>()));
  }
  static void require_size(const Model& model, Eigen::Index size) {
    if (size != inertial_size(model))
      throw std::invalid_argument("inertial parameters: " + std::to_string(size) +
                                  " numbers given, the model has " +
                                  std::to_string(inertial_size(model)) + " (10 per moving body)");
  }

  std::vector<Inertia<T>> inertias_;

 public:
  Vector damping, friction, friction_negative, armature;  ///< per degree of freedom
};

}  // namespace ulna
