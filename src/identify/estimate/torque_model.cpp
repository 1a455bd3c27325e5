#include "ulna/identify/estimate/torque_model.hpp"

#include <algorithm>
#include <array>

#include "identify/drives/drive_numbers.hpp"
#include "identify/messages.hpp"
#include "ulna/model/edit.hpp"

namespace ulna::identify {
namespace {

/// In the order of the enumerators: where a plant has a feature's parameters; none for those that it lacks.
using P = Plant<double>;
using Member = Vector P::*;
struct FeatureRow {
  std::string_view name, unit;
  FeatureTerms terms;
  std::array<Member, 2> members = {};
};
constexpr FeatureRow feature_table[] = {
    {"viscous", "Nm s/rad", {.v = 1.0}, {&P::damping}},
    {"coulomb", "Nm", {.direction = 1.0}, {&P::friction, &P::friction_negative}},
    {"coulomb_positive", "Nm", {.direction = 0.5, .one = 0.5}, {&P::friction}},
    {"coulomb_negative", "Nm", {.direction = 0.5, .one = -0.5}, {&P::friction_negative}},
    {"load", "", {.load = 1.0}},
    {"offset", "Nm", {.one = 1.0}},
    {"armature", "kg m²", {.a = 1.0}, {&P::armature}},
};
const FeatureRow& row_of(Feature feature) { return feature_table[int(feature)]; }

constexpr std::array<const char*, 10> inertial_names{"m",   "mx",  "my",  "mz",  "Ixx",
                                                     "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};

}  // namespace

std::string_view to_string(Feature feature) { return row_of(feature).name; }

std::optional<Feature> feature_from_string(std::string_view name) {
  for (int f = 0; f < int(std::size(feature_table)); ++f)
    if (feature_table[f].name == name) return Feature(f);
  return {};
}

const FeatureTerms& terms_of(Feature feature) { return row_of(feature).terms; }

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
    else {
      constexpr std::string_view known[] = {
          "viscous",  "coulomb",          "asymmetric",       "load", "offset",
          "stribeck", "coulomb_positive", "coulomb_negative", "none"};
      require(false, "'", name,
              "' is not one of viscous, coulomb, asymmetric, load, offset, coulomb_positive, "
              "coulomb_negative, stribeck, or none alone",
              name == "none" ? std::string() : did_you_mean(name, known));
    }
  }
  return friction;
}

bool has_rotors(const Model& model) { return (model.armature().array() > 0.0).any(); }

std::vector<Feature> with_rotors(std::vector<Feature> features, const Model& model,
                                 std::optional<bool> wanted) {
  if (wanted.value_or(has_rotors(model))) features.push_back(Feature::armature);
  return features;
}

double feature_of(Feature feature, double v, double a, double tau, double direction) {
  const FeatureTerms& by = terms_of(feature);
  return by.v * v + by.direction * direction + by.a * a + by.one +
         by.load * direction * std::abs(tau);
}

TorqueModel::TorqueModel(const Model& model, std::vector<Feature> features,
                         std::vector<DriveUnknown> drives)
    : model_(model), features_(std::move(features)), drives_(std::move(drives)) {
  require_compatible(features_);
  if (const auto& joints = model.description().loops; !joints.empty())
    loops_.emplace(Loops(model, joints, neutral(model)));
}

void require_compatible(const std::vector<Feature>& features) {
  const auto count = [&](Feature f) { return std::count(features.begin(), features.end(), f); };
  for (const Feature f : features)
    require(count(f) == 1, "feature '", to_string(f), "' is given twice");
  require(
      !count(Feature::coulomb) ||
          (!count(Feature::coulomb_positive) && !count(Feature::coulomb_negative)),
      "feature 'coulomb' is the sum of 'coulomb_positive' and 'coulomb_negative': give either the "
      "sum or the other two");
}

std::vector<std::string> TorqueModel::names() const {
  std::vector<std::string> names;
  for (int b = 1; b < model_.body_count(); ++b)
    for (const char* name : inertial_names)
      names.push_back(message(model_.body_name(b), ".", name));
  for (const std::string& dof : model_.velocity_names())
    for (const Feature f : features_) names.push_back(message(dof, ".", to_string(f)));
  for (const DriveUnknown& u : drives_) names.push_back(detail::name_of(model_, u));
  return names;
}

std::vector<std::string> TorqueModel::units() const {
  std::vector<std::string> units;
  for (int b = 1; b < model_.body_count(); ++b)
    for (int k = 0; k < 10; ++k) units.emplace_back(k == 0 ? "kg" : k < 4 ? "kg m" : "kg m²");
  for (int i = 0; i < model_.nv(); ++i)
    for (const Feature f : features_) units.emplace_back(row_of(f).unit);
  for (const DriveUnknown& u : drives_) units.emplace_back(detail::unit_of(u));
  return units;
}

Vector TorqueModel::nominal() const {
  Vector z = Vector::Zero(unknowns());
  for (int b = 1; b < model_.body_count(); ++b)
    z.segment<10>(10 * (b - 1)) = model_.inertias()[b].parameters();
  const Plant<double> plant(model_);
  for (int i = 0; i < model_.nv(); ++i)
    for (int k = 0; k < feature_count(); ++k) {
      const auto& [one, other] = row_of(features_[k]).members;
      if (one) z(at(i, k)) = other ? 0.5 * ((plant.*one)(i) + (plant.*other)(i)) : (plant.*one)(i);
    }
  for (std::size_t k = 0; k < drives_.size(); ++k)
    z(drive_at(int(k))) = detail::described(model_, drives_[k]);
  return z;
}

Matrix TorqueModel::features_of(const Matrix& V, const Matrix& A, const Matrix& Tau) const {
  return features_of(V, A, Tau, V.cwiseSign());
}

Matrix TorqueModel::features_of(const Matrix& V, const Matrix& A, const Matrix& Tau,
                                const Matrix& directions) const {
  const int n = feature_count();
  Matrix X(n * model_.nv(), V.cols());
  for (Index s = 0; s < V.cols(); ++s)
    for (int i = 0; i < model_.nv(); ++i)
      for (int k = 0; k < n; ++k)
        X(n * i + k, s) = feature_of(features_[k], V(i, s), A(i, s), Tau(i, s), directions(i, s));
  return X;
}

void TorqueModel::regressor(const Kinematics<double>& state, RegressorWorkspace<double>& ws,
                            const Eigen::Ref<const Vector>& tau,
                            const Eigen::Ref<const Vector>& direction, OutRows<double> rows) const {
  torque_regressor<double>(state, ws, rows.leftCols(inertial_size()));
  rows.rightCols(unknowns() - inertial_size()).setZero();
  for (int i = 0; i < model_.nv(); ++i)
    for (int k = 0; k < feature_count(); ++k)
      rows(i, at(i, k)) =
          feature_of(features_[k], state.v()(i), state.a()(i), tau(i), direction(i));
}

Matrix TorqueModel::torques(const Vector& z, const Matrix& Q, const Matrix& V, const Matrix& A,
                            const Matrix& X) const {
  ulna::detail::require_size("z", z.size(), unknowns(), model_);
  Plant<double> plant(model_);
  plant.set_inertial(z.head(inertial_size()));
  plant.remove_friction();
  plant.armature.setZero();
  Matrix tau(model_.nv(), Q.cols());
  Batch(model_).inverse_dynamics(plant, Q, V, A, tau);
  const int n = feature_count();
  for (Index s = 0; s < tau.cols(); ++s)
    for (int i = 0; i < model_.nv(); ++i)
      for (int k = 0; k < n; ++k) tau(i, s) += X(n * i + k, s) * z(at(i, k));
  return reduced(Q, std::move(tau));
}

Matrix TorqueModel::reduced(const Matrix& Q, Matrix Tau) const {
  if (!loops_) return Tau;
  LoopCoordinates at = *loops_;
  for (Index s = 0; s < Tau.cols(); ++s) {
    at.set(Q.col(s));
    at.reduce(Tau.col(s));
  }
  return Tau;
}

void TorqueModel::set(const Vector& z, Plant<double>& plant) const {
  plant.set_inertial(z.head(inertial_size()));
  for (int i = 0; i < model_.nv(); ++i)
    for (int k = 0; k < feature_count(); ++k)
      for (const Member member : row_of(features_[k]).members)
        if (member) (plant.*member)(i) = z(at(i, k));
  for (std::size_t k = 0; k < drives_.size(); ++k)
    detail::set(drives_[k], z(drive_at(int(k))), plant);
}

Model TorqueModel::identified(const Vector& z) const {
  Plant<double> plant(model_);
  set(z, plant);
  const Model lumped = lump_fixed_joints(model_);
  Description description = lumped.description();
  for (int b = 1; b < lumped.body_count(); ++b) {
    const auto link =
        std::ranges::find(description.links, lumped.body_name(b), &LinkDescription::name);
    link->inertial = Inertial(Inertia<double>(z.segment<10>(10 * (b - 1))));
    const Joint& joint = lumped.joint(b);
    if (joint.mimics) continue;
    const auto described =
        std::ranges::find(description.joints, lumped.joint_name(b), &JointDescription::name);
    // one number each for a joint: those of its first degree of freedom
    const bool elastic = described->spring.has_value();
    described->dynamics = {plant.damping(joint.v), plant.friction(joint.v),
                           plant.friction_negative(joint.v),
                           elastic ? plant.drives.rotor(joint.v) : plant.armature(joint.v)};
    if (elastic)
      described->spring = Spring{plant.drives.stiffness(joint.v), plant.drives.hardening(joint.v),
                                 plant.drives.spring_damping(joint.v)};
  }
  if (!model_.drives().plain()) detail::describe_motors(*this, z, plant, description);
  return Builder(description).build();
}

Model with_parameters_of(const Model& robot, const Model& other) {
  const auto require_same = [&](bool same, const auto&... difference) {
    require(same, "robot '", other.name(), "' does not match '", robot.name(), "': ", difference...,
            "; it must be the same robot with other parameters");
  };
  require_same(other.joint_count() == robot.joint_count(), "the number of moving joints is ",
               other.joint_count(), ", not ", robot.joint_count());
  for (int b = 1; b <= robot.joint_count(); ++b) {
    const Joint &ours = robot.joint(b), &theirs = other.joint(b);
    const double off = (ours.X_PJ.translation() - theirs.X_PJ.translation()).norm() +
                       (ours.X_PJ.rotation().matrix() - theirs.X_PJ.rotation().matrix()).norm() +
                       (ours.R_BC.matrix() - theirs.R_BC.matrix()).norm();
    require_same(ours.type == theirs.type && ours.parent == theirs.parent &&
                     ours.mimics == theirs.mimics && off < 1e-3,
                 "joint '", other.joint_name(b), "' differs from '", robot.joint_name(b), "'");
  }
  const std::vector<Feature> all{Feature::viscous, Feature::coulomb_positive,
                                 Feature::coulomb_negative, Feature::armature};
  return TorqueModel(robot, all).identified(TorqueModel(other, all).nominal());
}

}  // namespace ulna::identify
