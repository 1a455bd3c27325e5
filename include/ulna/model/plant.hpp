#pragma once

#include <vector>

#include "ulna/model/model.hpp"
#include "ulna/spatial/lanes_symmetric.hpp"

namespace ulna {

/// A robot with its numbers: the Model, which never changes, and the parameters that identification
/// is after, which can be replaced many times a second without allocation. Algorithms take a Plant.
///
///     Plant<double> plant(model);          // the model's own parameters
///     plant.set_inertial(pi);              // ten per moving body, in the users' frames
///
/// The order of π is that of Inertia and of the bodies in the model. With T a dual number,
/// algorithms yield derivatives with respect to parameters.
template <Scalar T>
class Plant {
 public:
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  explicit Plant(Model robot)
      : damping(robot.damping().template cast<T>()),
        friction(robot.friction().template cast<T>()),
        friction_negative(robot.friction_negative().template cast<T>()),
        armature(robot.armature().template cast<T>()),
        drives(robot.drives()),
        gravity(robot.gravity().template cast<T>()),
        model_(std::move(robot)),
        bodies_(model_.body_count()) {
    for (int b = 0; b < model_.body_count(); ++b)
      bodies_[b] = Body(Inertia<T>(model_.canonical_inertias()[b].parameters().template cast<T>()));
  }

  // --- what the joints resist with, per degree of freedom ---

  Vector damping, friction, friction_negative, armature;
  /// Motors that are coupled or behind a spring, and the springs.
  DriveParameters<T> drives;

  /// In the base's axes, m/s²: of a base that is tilted, too. Regressors and generated code have the model's.
  Vec3<T> gravity;

  void remove_friction() {
    for (Vector* v : {&damping, &friction, &friction_negative, &drives.damping, &drives.friction,
                      &drives.friction_negative})
      v->setZero();
  }

  // --- inertias ---

  /// How many inertial parameters there are: ten per moving body.
  int inertial_size() const { return 10 * model_.joint_count(); }

  /// Replaces all inertias. Allocates nothing; throws std::invalid_argument if the size is wrong.
  void set_inertial(const Eigen::Ref<const Vector>& pi) {
    require_inertial_size(pi.size());
    for (int b = 1; b < model_.body_count(); ++b)
      bodies_[b] = Body(X_BC(b).inverse() * Inertia<T>(pi.template segment<10>(10 * (b - 1))));
  }
  void get_inertial(Eigen::Ref<Vector> pi) const {
    require_inertial_size(pi.size());
    for (int b = 1; b < model_.body_count(); ++b)
      pi.template segment<10>(10 * (b - 1)) = (X_BC(b) * canonical_inertia(b)).parameters();
  }

  /// A body as the algorithms use it: mass, first moment and second moment Σ = ∫ r r' dm in the
  /// canonical frame, the blocks of the pseudo-inertia.
  struct Body {
    T mass{0.0};
    lanes::V3<T> first = lanes::V3<T>::zero();
    lanes::S3<T> second = lanes::S3<T>::zero();

    Body() = default;
    explicit Body(const Inertia<T>& inertia) : mass(inertia.mass()), first(inertia.first_moment()) {
      const Mat3<T> I = inertia.rotational();
      second = lanes::S3<T>(Mat3<T>(T(0.5) * I.trace() * Mat3<T>::Identity() - I));
    }
  };
  const Body& body(int b) const { return bodies_[b]; }
  void set_body(int b, const Body& body) { bodies_[b] = body; }

  /// Inertia of a body in its canonical frame; get_inertial gives those in the users' frames.
  Inertia<T> canonical_inertia(int b) const {
    const Mat3<T> S = bodies_[b].second.mat();
    return Inertia<T>::about_origin(bodies_[b].mass, bodies_[b].first.vec(),
                                    S.trace() * Mat3<T>::Identity() - S);
  }

  const Model& model() const { return model_; }

 private:
  Transform<T> X_BC(int b) const {
    return Transform<T>::from_rotation(
        Rotation<T>::from_matrix(model_.joint(b).R_BC.matrix().template cast<T>()));
  }
  void require_inertial_size(Eigen::Index size) const {
    if (size != inertial_size())
      throw std::invalid_argument("inertial parameters: " + std::to_string(size) +
                                  " numbers given, robot '" + model_.name() + "' has " +
                                  std::to_string(inertial_size()) + ", 10 per moving body");
  }

  Model model_;
  std::vector<Body> bodies_;
};

}  // namespace ulna
