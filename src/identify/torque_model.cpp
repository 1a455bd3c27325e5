#include "ulna/identify/torque_model.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "ulna/model/edit.hpp"

namespace ulna {
namespace {

struct FeatureRow {
  Feature feature;
  std::string_view name, unit;
};
constexpr FeatureRow feature_table[] = {
    {Feature::viscous, "viscous", "Nm s/rad"},
    {Feature::coulomb, "coulomb", "Nm"},
    {Feature::coulomb_positive, "coulomb_positive", "Nm"},
    {Feature::coulomb_negative, "coulomb_negative", "Nm"},
    {Feature::load, "load", ""},
    {Feature::offset, "offset", "Nm"},
    {Feature::armature, "armature", "kg m²"},
};
const FeatureRow& row_of(Feature feature) {
  return *std::find_if(std::begin(feature_table), std::end(feature_table),
                       [&](const FeatureRow& row) { return row.feature == feature; });
}

constexpr std::array<const char*, 10> inertial_names{"m",   "mx",  "my",  "mz",  "Ixx",
                                                     "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};

}  // namespace

std::string_view to_string(Feature feature) { return row_of(feature).name; }

std::optional<Feature> feature_named(std::string_view name) {
  for (const FeatureRow& row : feature_table)
    if (row.name == name) return row.feature;
  return {};
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
  const auto count = [&](Feature f) { return std::count(features_.begin(), features_.end(), f); };
  for (const Feature f : features_)
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

Eigen::VectorXd TorqueModel::known() const {
  Eigen::VectorXd z(unknowns());
  for (int b = 1; b < model_.body_count(); ++b)
    z.segment<10>(10 * (b - 1)) = model_.inertias()[b].parameters();
  for (int i = 0; i < model_.nv(); ++i)
    for (int k = 0; k < feature_count(); ++k) {
      double& number = z(at(i, k));
      switch (features_[k]) {
        case Feature::viscous:
          number = model_.damping()(i);
          break;
        case Feature::coulomb:
          number = 0.5 * (model_.friction()(i) + model_.friction_negative()(i));
          break;
        case Feature::coulomb_positive:
          number = model_.friction()(i);
          break;
        case Feature::coulomb_negative:
          number = model_.friction_negative()(i);
          break;
        case Feature::armature:
          number = model_.armature()(i);
          break;
        case Feature::load:
        case Feature::offset:
          number = 0.0;
          break;
      }
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
    for (int k = 0; k < feature_count(); ++k) {
      const double number = z(at(i, k));
      switch (features_[k]) {
        case Feature::viscous:
          plant.damping(i) = number;
          break;
        case Feature::coulomb:
          plant.friction(i) = plant.friction_negative(i) = number;
          break;
        case Feature::coulomb_positive:
          plant.friction(i) = number;
          break;
        case Feature::coulomb_negative:
          plant.friction_negative(i) = number;
          break;
        case Feature::armature:
          plant.armature(i) = number;
          break;
        case Feature::load:
        case Feature::offset:
          break;
      }
    }
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

}  // namespace ulna
