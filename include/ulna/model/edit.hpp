#pragma once

#include <map>
#include <string>

#include "ulna/model/builder.hpp"

/// Robots made from robots. Each takes a model and makes a new one; a wrong request throws a
/// ModelError with advice.
namespace ulna {

/// Joint values by name: one number for a joint of one degree of freedom, as many as its q has for
/// others.
using JointValues = std::map<std::string, std::vector<double>, std::less<>>;

/// The robot with some joints frozen at a value. Joints that mimic a frozen one freeze with it.
Model lock_joints(const Model& model, const JointValues& at);

/// The chain from one link down to another (Cărămizaru 2023, Alg. 3): the joints between them, with what is
/// rigidly attached to their links. Moving branches beside the chain are left out, each with a note.
Model sub_chain(const Model& model, std::string_view base_link, std::string_view tip_link,
                Diagnostics* notes = nullptr);

/// The robot with its fixed joints dissolved: one link per body, and a frame for each link lost.
Model lump_fixed_joints(const Model& model);

/// The robot with its base free to move: a floating joint between a new link 'world' and the old
/// base.
Model with_floating_base(const Model& model, std::string joint_name = "floating_base");

/// The robot that algorithms know which do not know drives (DriveTrain::plain): without springs, and with motors
/// that are coupled taken apart. Each of their joints has what it meets alone: the motor's inertia and damping; its
/// dry friction is at its own joint, whose number it has.
Model with_plain_drives(const Model& model);

/// The robot with mimicking joints moving on their own.
Model without_mimics(const Model& model);

}  // namespace ulna
