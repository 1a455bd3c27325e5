#pragma once

#include "engine.hpp"

/// Robots made from robots, beyond what ulna/model/edit.hpp has.
namespace ulna::python {

/// The robot with other inertial parameters, ten per moving body: each body's inertia on the link that its joint
/// carries; what is rigidly attached to it has no mass of its own any more.
Model with_parameters(const Model& model, const VectorXd& pi);

/// The robot with a body held at a frame: its mass, centre of mass and inertia about that, in the frame's axes.
Model with_payload(const Model& model, std::string_view frame, double mass, const Vec3<double>& com,
                   const Mat3<double>& inertia);

/// The robot whose joints and motors move without friction and damping.
Model without_friction(const Model& model);

}  // namespace ulna::python
