#include "ulna/identify/estimate/torque_model.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

#include "ulna/model/edit.hpp"

namespace ulna::identify {
namespace {

/// A feature and where a plant has its parameters; none for those that it lacks.
using Member = Eigen::VectorXd Plant<double>::*;
struct FeatureRow {
  Feature feature;
  std::string_view name, unit;
  std::array<Member, 2> members = {};
};
constexpr FeatureRow feature_table[] = {
    {Feature::viscous, "viscous", "Nm s/rad", {&Plant<double>::damping}},
    {Feature::coulomb,
     "coulomb",
     "Nm",
     {&Plant<double>::friction, &Plant<double>::friction_negative}},
    {Feature::coulomb_positive, "coulomb_positive", "Nm", {&Plant<double>::friction}},
    {Feature::coulomb_negative, "coulomb_negative", "Nm", {&Plant<double>::friction_negative}},
    {Feature::load, "load", ""},
    {Feature::offset, "offset", "Nm"},
    {Feature::armature, "armature", "kg m²", {&Plant<double>::armature}},
};
const FeatureRow& row_of(Feature feature) {
  return *std::find_if(std::begin(feature_table), std::end(feature_table),
                       [&](const FeatureRow& row) { return row.feature == feature; });
}

constexpr std::array<const char*, 10> inertial_names{"m",   "mx",  "my",  "mz",  "Ixx",
                                                     "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};

}  // namespace

std::string_view to_string(Feature feature) { return row_of(feature).name; }

std::optional<Feature> feature_from_string(std::string_view name) {
  for (const FeatureRow& row : feature_table)
    if (row.name == name) return row.feature;
  return {};
}

Friction friction_from_string(std::string_view list) {
  Friction friction;
  std::istringstream names{std::string(list == "none" ? "" : list)};
  for (std::string name; std::getline(names, name, ',');) {
    const auto feature = feature_from_string(name);
    if (name == "stribeck")
      friction.stribeck = true;
    else if (name == "asymmetric")
      friction.features.insert(friction.features.end(),
                               {Feature::coulomb_positive, Feature::coulomb_negative});
    else if (feature && *feature != Feature::armature)
      friction.features.push_back(*feature);
    else
      throw std::invalid_argument(
          "'" + name +
          "' is not one of viscous, coulomb, asymmetric, load, offset, coulomb_positive, "
          "coulomb_negative, stribeck, or none alone");
  }
  return friction;
}

double feature_of(Feature feature, double v, double a, double tau, double direction) {
  switch (feature) {
    case Feature::viscous:
      return v;
    case Feature::coulomb:
      return direction;
    case Feature::coulomb_positive:
      return 0.5 * (direction + 1.0);
    case Feature::coulomb_negative:
      return 0.5 * (direction - 1.0);
    case Feature::load:
      return direction * std::abs(tau);
    case Feature::offset:
      return 1.0;
    case Feature::armature:
      return a;
  }
  return 0.0;
}

TorqueModel::TorqueModel(const Model& model, std::vector<Feature> features)
    : model_(model), features_(std::move(features)) {
  require_compatible(features_);
}

void require_compatible(const std::vector<Feature>& features) {
  const auto count = [&](Feature f) { return std::count(features.begin(), features.end(), f); };
  for (const Feature f : features)
    if (count(f) > 1)
      throw std::invalid_argument("feature '" + std::string(to_string(f)) + "' is given twice");
  if (count(Feature::coulomb) &&
      (count(Feature::coulomb_positive) || count(Feature::coulomb_negative)))
    throw std::invalid_argument(
        "feature 'coulomb' is the sum of 'coulomb_positive' and 'coulomb_negative': give either it "
        "or both of them");
}

std::vector<std::string> TorqueModel::names() const {
  std::vector<std::string> names;
  for (int b = 1; b < model_.body_count(); ++b)
    for (const char* name : inertial_names)
      names.push_back(std::string(model_.body_name(b)) + "." + name);
  for (const std::string& dof : model_.velocity_names())
    for (const Feature f : features_) names.push_back(dof + "." + std::string(to_string(f)));
  return names;
}

std::vector<std::string> TorqueModel::units() const {
  std::vector<std::string> units;
  for (int b = 1; b < model_.body_count(); ++b)
    for (int k = 0; k < 10; ++k) units.emplace_back(k == 0 ? "kg" : k < 4 ? "kg m" : "kg m²");
  for (int i = 0; i < model_.nv(); ++i)
    for (const Feature f : features_) units.emplace_back(row_of(f).unit);
  return units;
}

Eigen::VectorXd TorqueModel::nominal() const {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(unknowns());
  for (int b = 1; b < model_.body_count(); ++b)
    z.segment<10>(10 * (b - 1)) = model_.inertias()[b].parameters();
  const Plant<double> plant(model_);
  for (int i = 0; i < model_.nv(); ++i)
    for (int k = 0; k < feature_count(); ++k) {
      const auto& [one, other] = row_of(features_[k]).members;
      if (one) z(at(i, k)) = other ? 0.5 * ((plant.*one)(i) + (plant.*other)(i)) : (plant.*one)(i);
    }
  return z;
}

Eigen::MatrixXd TorqueModel::features_of(const Eigen::MatrixXd& V, const Eigen::MatrixXd& A,
                                         const Eigen::MatrixXd& Tau,
                                         const Eigen::MatrixXd& directions) const {
  const int n = feature_count();
  Eigen::MatrixXd X(n * model_.nv(), V.cols());
  for (Eigen::Index s = 0; s < V.cols(); ++s)
    for (int i = 0; i < model_.nv(); ++i)
      for (int k = 0; k < n; ++k)
        X(n * i + k, s) = feature_of(features_[k], V(i, s), A(i, s), Tau(i, s), directions(i, s));
  return X;
}

Eigen::MatrixXd TorqueModel::torques(const Eigen::VectorXd& z, const Eigen::MatrixXd& Q,
                                     const Eigen::MatrixXd& V, const Eigen::MatrixXd& A,
                                     const Eigen::MatrixXd& X) const {
  detail::require_size("z", z.size(), unknowns(), model_);
  Plant<double> plant(model_);
  plant.set_inertial(z.head(inertial_size()));
  plant.remove_friction();
  plant.armature.setZero();
  Eigen::MatrixXd tau(model_.nv(), Q.cols());
  Batch(model_).inverse_dynamics(plant, Q, V, A, tau);
  const int n = feature_count();
  for (Eigen::Index s = 0; s < tau.cols(); ++s)
    for (int i = 0; i < model_.nv(); ++i)
      for (int k = 0; k < n; ++k) tau(i, s) += X(n * i + k, s) * z(at(i, k));
  return tau;
}

void TorqueModel::set(const Eigen::VectorXd& z, Plant<double>& plant) const {
  plant.set_inertial(z.head(inertial_size()));
  for (int i = 0; i < model_.nv(); ++i)
    for (int k = 0; k < feature_count(); ++k)
      for (const Member member : row_of(features_[k]).members)
        if (member) (plant.*member)(i) = z(at(i, k));
}

Model TorqueModel::identified(const Eigen::VectorXd& z) const {
  Plant<double> plant(model_);
  set(z, plant);
  const Model lumped = lump_fixed_joints(model_);
  Description description = lumped.description();
  for (int b = 1; b < lumped.body_count(); ++b) {
    const auto link = std::find_if(description.links.begin(), description.links.end(),
                                   [&](const auto& l) { return l.name == lumped.body_name(b); });
    link->inertial = Inertial(Inertia<double>(z.segment<10>(10 * (b - 1))));
    const Joint& joint = lumped.joint(b);
    if (joint.mimics) continue;
    const auto described =
        std::find_if(description.joints.begin(), description.joints.end(),
                     [&](const auto& j) { return j.name == lumped.joint_name(b); });
    // one number each for a joint: those of its first degree of freedom
    described->dynamics = {plant.damping(joint.v), plant.friction(joint.v),
                           plant.friction_negative(joint.v), plant.armature(joint.v)};
  }
  return Builder(description).build();
}

Model with_parameters_of(const Model& robot, const Model& other) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("robot '" + other.name() + "' is not built as '" + robot.name() +
                                "': " + why + "; it must be the same robot with other parameters");
  };
  if (other.joint_count() != robot.joint_count())
    refuse(std::to_string(other.joint_count()) + " moving joints, not " +
           std::to_string(robot.joint_count()));
  for (int b = 1; b <= robot.joint_count(); ++b) {
    const Joint &ours = robot.joint(b), &theirs = other.joint(b);
    const double off = (ours.X_PJ.translation() - theirs.X_PJ.translation()).norm() +
                       (ours.X_PJ.rotation().matrix() - theirs.X_PJ.rotation().matrix()).norm() +
                       (ours.R_BC.matrix() - theirs.R_BC.matrix()).norm();
    if (ours.type != theirs.type || ours.parent != theirs.parent || ours.mimics != theirs.mimics ||
        !(off < 1e-3))
      refuse("joint '" + std::string(other.joint_name(b)) + "' differs from '" +
             std::string(robot.joint_name(b)) + "'");
  }
  const std::vector<Feature> all{Feature::viscous, Feature::coulomb_positive,
                                 Feature::coulomb_negative, Feature::armature};
  return TorqueModel(robot, all).identified(TorqueModel(other, all).nominal());
}

}  // namespace ulna::identify
