#include "ulna/model/configuration.hpp"

#include "spec.hpp"
#include "ulna/spatial/spatial.hpp"

namespace ulna::python {
namespace {

using enum Role;

void moved(const Engine& e, Scratch&, const Call& c) {
  detail::require<double>("q", c.x[0].vec(), e.model.nq(), e.model);
  detail::require<double>("v", c.x[1].vec(), e.model.nv(), e.model);
  integrate<double>(e.model, c.x[0].vec(), c.x[1].vec(),
                    Eigen::Map<VectorXd>(c.out[0], e.model.nq()));
}

void displacement(const Engine& e, Scratch&, const Call& c) {
  detail::require<double>("q0", c.x[0].vec(), e.model.nq(), e.model);
  detail::require<double>("q1", c.x[1].vec(), e.model.nq(), e.model);
  difference<double>(e.model, c.x[0].vec(), c.x[1].vec(),
                     Eigen::Map<VectorXd>(c.out[0], e.model.nv()));
}

/// What is given, as a vector: of dicts and lists.
void configuration_vector(const Engine& e, Scratch&, const Call& c) {
  detail::require<double>("q", c.x[0].vec(), e.model.nq(), e.model);
  Eigen::Map<VectorXd>(c.out[0], e.model.nq()) = c.x[0].vec();
}
void velocity_vector(const Engine& e, Scratch&, const Call& c) {
  detail::require<double>("v", c.x[0].vec(), e.model.nv(), e.model);
  Eigen::Map<VectorXd>(c.out[0], e.model.nv()) = c.x[0].vec();
}

void normal(const Engine& e, Scratch&, const Call& c) {
  detail::require<double>("q", c.x[0].vec(), e.model.nq(), e.model);
  Eigen::Map<VectorXd> out(c.out[0], e.model.nq());
  out = c.x[0].vec();
  normalize(e.model, out);
}

/// The rate of a joint's numbers in q: velocities of planar, ball and floating joints are in the moving frame.
void joint_rate(JointType type, const double* q, const double* v, double* rate) {
  const auto turn = [&] {
    const Quaternion<double> at{q[0], q[1], q[2], q[3]};
    const Quaternion<double> spin{0.0, 0.5 * v[0], 0.5 * v[1], 0.5 * v[2]};
    Eigen::Map<Vec4<double>>{rate} = (at * spin).coefficients();
    return at;
  };
  if (type == JointType::planar) {
    rate[0] = v[0];
    rate[1] = std::cos(q[0]) * v[1] - std::sin(q[0]) * v[2];
    rate[2] = std::sin(q[0]) * v[1] + std::cos(q[0]) * v[2];
  } else if (type == JointType::ball) {
    turn();
  } else if (type == JointType::floating) {
    const auto R = Rotation<double>::from_quaternion(turn().normalized());
    Eigen::Map<Vec3<double>>{rate + 4} = R * Vec3<double>(v[3], v[4], v[5]);
  } else {
    rate[0] = v[0];
  }
}

void rate(const Engine& e, Scratch&, const Call& c) {
  detail::require<double>("q", c.x[0].vec(), e.model.nq(), e.model);
  detail::require<double>("v", c.x[1].vec(), e.model.nv(), e.model);
  for (const Joint& j : e.model.joints())
    if (!j.mimics && j.type != JointType::fixed)
      joint_rate(j.type, c.x[0].data + j.q, c.x[1].data + j.v, c.out[0] + j.q);
}

}  // namespace

std::span<const Spec> configuration_functions() {
  static const Parameter q{"q", configuration}, q0{"q0", configuration}, q1{"q1", configuration},
      v{"v", velocity};
  static const std::vector<Spec> list{
      {"integrate", {q, v}, {Shape{nq}}, moved},
      {"difference", {q0, q1}, {Shape{nv}}, displacement},
      {"configuration_vector", {q}, {Shape{nq}}, configuration_vector},
      {"velocity_vector", {v}, {Shape{nv}}, velocity_vector},
      {"normalize", {q}, {Shape{nq}}, normal},
      {"configuration_rate", {q, v}, {Shape{nq}}, rate},
  };
  return list;
}

std::vector<const Spec*> all_specs() {
  std::vector<const Spec*> all;
  for (const auto list : {dynamics_functions(), kinematics_functions(), derivative_functions(),
                          configuration_functions(), drive_functions()})
    for (const Spec& spec : list) all.push_back(&spec);
  return all;
}

const Spec* find_spec(std::string_view name) {
  for (const Spec* spec : all_specs())
    if (spec->name == name) return spec;
  return nullptr;
}

}  // namespace ulna::python
