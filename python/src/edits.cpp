#include "edits.hpp"

#include "ulna/model/builder.hpp"

namespace ulna::python {
namespace {

LinkDescription& link_of(Description& description, std::string_view name) {
  for (LinkDescription& link : description.links)
    if (link.name == name) return link;
  throw std::out_of_range("there is no link '" + std::string(name) + "'");
}

}  // namespace

Model with_parameters(const Model& model, const VectorXd& pi) {
  const Index wanted = 10 * model.joint_count();
  if (pi.size() != wanted)
    throw std::invalid_argument("inertial parameters: " + std::to_string(pi.size()) +
                                " numbers given, robot '" + model.name() + "' has " +
                                std::to_string(wanted) + ", 10 per moving body");
  if (!pi.allFinite()) throw std::invalid_argument("inertial parameters are not finite");
  Description description = model.description();
  for (LinkDescription& link : description.links)
    if (model.frame(link.name).body > 0) link.inertial.reset();
  for (int b = 1; b <= model.joint_count(); ++b)
    link_of(description, model.body_name(b)).inertial =
        Inertial(Inertia<double>(pi.segment<10>(10 * (b - 1))));
  return Builder(std::move(description)).build();
}

Model with_payload(const Model& model, std::string_view frame, double mass, const Vec3<double>& com,
                   const Mat3<double>& inertia) {
  if (!(mass >= 0.0) || !std::isfinite(mass) || !com.allFinite() || !inertia.allFinite())
    throw std::invalid_argument("payload: mass, com and inertia must be finite, mass not negative");
  const Frame& at = model.frame(frame);
  if (at.body == 0)
    throw std::invalid_argument("payload: frame '" + std::string(frame) +
                                "' is fixed to the base, where no mass counts");
  Description description = model.description();
  LinkDescription& link = link_of(description, model.body_name(at.body));
  const Inertia<double> load = at.X_BF * Inertia<double>::about_com(mass, com, inertia);
  const Inertia<double> own = link.inertial ? link.inertial->in_link_frame() : Inertia<double>();
  link.inertial = Inertial(Inertia<double>(own.parameters() + load.parameters()));
  return Builder(std::move(description)).build();
}

Model without_friction(const Model& model) {
  Description description = model.description();
  for (JointDescription& joint : description.joints) {
    joint.dynamics.damping = 0.0;
    joint.dynamics.friction = joint.dynamics.friction_negative = 0.0;
  }
  for (MotorDescription& motor : description.motors)
    motor.damping = motor.friction = motor.friction_negative = 0.0;
  return Builder(std::move(description)).build();
}

}  // namespace ulna::python
