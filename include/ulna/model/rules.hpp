#pragma once

#include "ulna/model/rule_list.hpp"

/// Every rule that a description can break, in one place: identifier, name, severity, meaning,
/// remedy. docs/diagnostics.md explains them to users.
// clang-format off
#define ULNA_RULES(X) \
  /* the file */ \
  X(file_unreadable, "file-unreadable", error, "the file cannot be read", "check the path and the permissions") \
  X(format_unknown, "format-unknown", error, "the kind of description cannot be determined", "use the ending .urdf, .xacro, .mjcf, .sdf or .yaml, or name an embedded robot: ulna robots") \
  X(input_too_large, "input-too-large", error, "the description exceeds a limit on bytes, elements or links", "shorten the file; programs may raise the limits in ImportOptions") \
  X(input_empty, "input-empty", error, "there is no robot in the input", "give a URDF file or a table, or name an embedded robot: ulna robots") \
  X(chain_length, "chain-length", error, "a generated chain cannot have this number of joints", "write chain:N, as chain:7") \
  X(encoding, "encoding", warning, "the text is not UTF-8", "save the file as UTF-8") \
  X(xml_empty, "xml-empty", error, "there is no XML in the file", "write a <robot>, <mujoco> or <sdf> element") \
  X(xml_malformed, "xml-malformed", error, "the XML cannot be parsed", "correct the XML at this line") \
  X(xml_doctype, "xml-doctype", error, "a DOCTYPE or an entity is declared", "remove it: entities are not expanded") \
  X(xml_depth, "xml-depth", error, "elements are nested too deeply", "flatten the file") \
  X(xml_root, "xml-root", error, "the root element is not that of a robot's description", "give a URDF, xacro, MJCF or SDF file") \
  X(xacro, "xacro-unexpanded", error, "a xacro macro or expression was not expanded", "declare xmlns:xacro=\"http://www.ros.org/wiki/xacro\" in <robot>, or name the file *.xacro: ulna then expands it") \
  X(xacro_leftover, "xacro-leftover", warning, "a xacro definition was left behind; it has no effect", "remove it") \
  X(xacro_expression, "xacro-expression", error, "an expression of a xacro file cannot be computed", "correct the expression; docs/formats.md lists what can be computed") \
  X(xacro_unknown, "xacro-unknown", error, "a xacro file names a property, macro, argument, block or variable that does not exist", "define it before it is used, or correct the name") \
  X(xacro_call, "xacro-call", error, "a macro is called with other parameters or blocks than it has, or is defined wrongly", "give what the macro's params list, and nothing else") \
  X(include_unreadable, "include-unreadable", error, "a file or package that a description includes cannot be read", "correct the path: it is relative to the file that names it") \
  X(xacro_argument, "xacro-argument", error, "an argument of a xacro file is missing, or one is given that it does not have", "give --arg name=value for arguments that the file declares by <xacro:arg>") \
  X(element_refused, "element-refused", error, "an element makes bodies or joints in a way that is not known", "write bodies and joints out, for example by the program that the format is from") \
  X(dynamics_lost, "dynamics-lost", warning, "a part that acts on the motion cannot be expressed and was left out", "none needed if the motion without it will do; docs/formats.md lists what each format can express") \
  X(class_unknown, "class-unknown", error, "a class of defaults does not exist", "declare it by <default class=...>, or correct the name") \
  X(frame_unknown, "frame-unknown", error, "a frame that a pose or a joint refers to does not exist", "declare the frame or correct the name") \
  X(frame_cycle, "frame-cycle", error, "frames are placed relative to each other in a cycle", "give one of them a pose relative to the model") \
  X(model_choice, "model-choice", error, "the file has no model, or more than one", "leave one model in the file") \
  X(base_fixed, "base-fixed", note, "nothing connects a model of SDF to the world", "none needed; --floating-base lets the base move") \
  X(name_made, "name-made", note, "something has no name, or one that something else has", "give it a name of its own") \
  X(inertia_computed, "inertia-computed", note, "an inertia is computed from shapes, as the format says", "none needed; numbers that were measured are better") \
  X(yaml_malformed, "yaml-malformed", error, "the YAML cannot be parsed", "correct the YAML at this line") \
  X(yaml_unavailable, "yaml-unavailable", error, "this build of ulna cannot read YAML", "build with yaml-cpp (option ULNA_WITH_YAML)") \
  X(key_unknown, "key-unknown", warning, "a key has no meaning at its position and was skipped", "remove it; docs/formats.md lists the keys") \
  X(table_joint, "table-joint", error, "a DH table cannot describe this joint", "use revolute, continuous or prismatic; screws (ulna: poe) and URDF describe others") \
  X(table_shape, "table-shape", error, "a table entry is missing or of the wrong kind", "see docs/formats.md") \
  /* tags, attributes, numbers */ \
  X(tag_ignored, "tag-ignored", note, "an element has no meaning for dynamics and was skipped", "none needed") \
  X(tag_misspelt, "tag-misspelt", error, "an element looks like a misspelt one", "correct its name") \
  X(tag_misplaced, "tag-misplaced", error, "an element is placed where it has no effect", "move it to the correct element") \
  X(tag_double, "tag-double", error, "an element occurs twice where one is allowed", "remove one of the two") \
  X(tag_missing, "tag-missing", error, "a required element is missing", "add it") \
  X(attribute_missing, "attribute-missing", error, "a required attribute is missing", "add it") \
  X(number_invalid, "number-invalid", error, "a number is not a finite decimal number", "write plain decimal numbers, with a point, without units") \
  X(number_count, "number-count", error, "an attribute has too few or too many numbers", "give exactly as many numbers as the attribute takes") \
  X(orientation_double, "orientation-double", error, "both rpy and quat_xyzw are given", "keep one of the two") \
  X(quaternion_zero, "quaternion-zero", error, "a quaternion has zero length", "give a unit quaternion") \
  X(quaternion_not_unit, "quaternion-not-unit", warning, "a quaternion is not of unit length", "normalise it") \
  /* names and the tree */ \
  X(name_missing, "name-missing", error, "a link or joint has no name", "give it a name") \
  X(name_duplicate, "name-duplicate", error, "two links, two joints or two frames have the same name", "rename one of them") \
  X(link_unknown, "link-unknown", error, "a referenced link does not exist", "declare the link or correct the name") \
  X(link_undeclared, "link-undeclared", warning, "the link 'world' is used but not declared", "add <link name=\"world\"/>") \
  X(link_two_parents, "link-two-parents", error, "a link is the child of two joints", "close loops with <ulna:loop> instead") \
  X(tree_empty, "tree-empty", error, "there is no link", "declare at least one link") \
  X(tree_self_loop, "tree-self-loop", error, "a joint connects a link to itself", "correct parent or child") \
  X(tree_cycle, "tree-cycle", error, "joints form a cycle", "cut the cycle at one joint and close it with <ulna:loop>") \
  X(tree_two_roots, "tree-two-roots", error, "more than one link has no parent", "connect them with a joint") \
  X(joint_type_unknown, "joint-type-unknown", error, "a joint's type is not known", "use fixed, revolute, continuous, prismatic, helical, planar, ball or floating") \
  /* joints */ \
  X(axis_zero, "axis-zero", error, "the axis of a moving joint has zero length", "give the direction of the axis") \
  X(axis_not_unit, "axis-not-unit", warning, "an axis is not of unit length", "normalise it") \
  X(axis_missing, "axis-missing", note, "a moving joint has no axis", "write <axis xyz=\"...\"/>") \
  X(pitch_missing, "pitch-missing", error, "a helical joint has no pitch", "write <axis xyz=\"...\" ulna:pitch=\"metres per radian\"/>") \
  X(limit_missing, "limit-missing", warning, "a revolute or prismatic joint has no limits", "give lower, upper, effort and velocity (URDF: <limit>, table: limits), or use type continuous") \
  X(limit_reversed, "limit-reversed", error, "the lower limit is above the upper one", "swap them") \
  X(limit_zero_range, "limit-zero-range", warning, "lower and upper limit are both zero", "give the true limits, or make the joint fixed") \
  X(limit_infinite, "limit-infinite", warning, "a limit is infinite", "leave the attribute out") \
  X(limit_negative, "limit-negative", error, "an effort or velocity limit is negative", "give its magnitude") \
  X(effort_zero, "effort-zero", warning, "the effort limit is zero", "give the true limit, or leave the attribute out") \
  X(velocity_zero, "velocity-zero", warning, "the velocity limit is zero", "give the true limit, or leave the attribute out") \
  X(friction_negative, "friction-negative", error, "damping, friction or a rotor's inertia is negative", "give its magnitude") \
  X(mimic_unknown, "mimic-unknown", error, "a joint mimics a joint that does not exist or cannot be mimicked", "name a revolute, continuous, prismatic or helical joint") \
  X(mimic_cycle, "mimic-cycle", error, "joints mimic each other in a cycle", "make one of them independent") \
  X(mimic_ignored, "mimic-ignored", warning, "a joint that cannot mimic another has a mimic element", "remove it") \
  X(mimic_limits, "mimic-limits", note, "a joint that mimics another leaves its own limits within those of the other", "narrow the limits of the joint that it mimics, or correct multiplier, offset or limits") \
  X(screw_not_unit, "screw-not-unit", error, "a screw is not of unit length", "divide it by the length, and multiply the joint's values by it") \
  X(screw_rounded, "screw-rounded", warning, "a screw is only approximately of unit length", "give it more digits") \
  /* drives */ \
  X(spring_range, "spring-range", error, "a spring's stiffness is not positive, or its hardening or damping is negative", "give the stiffness in Nm/rad (prismatic joints: N/m), or leave the spring out: a joint without one is rigid") \
  X(spring_joint, "spring-joint", error, "a spring is at a joint that cannot have one", "springs are for revolute, continuous, prismatic and helical joints that do not mimic another") \
  X(spring_rotor, "spring-rotor", error, "nothing has inertia on the motor's side of a spring", "give the rotor's inertia: of the motor, or of the joint (ulna:armature)") \
  X(motor_joint, "motor-joint", error, "a motor drives a joint that does not exist or cannot be driven", "name a revolute, continuous, prismatic or helical joint that does not mimic another") \
  X(motor_ratio, "motor-ratio", error, "a gear ratio is zero", "give the motor's turns per turn of the joint") \
  X(motor_coupling, "motor-coupling", error, "motors and joints that they move do not determine each other", "give as many motors as the joints that they move, with ratios that no combination of the others has") \
  X(rotor_rigid, "rotor-rigid", note, "the carrier of a rotor is given, but its joint is rigid, motors are coupled or joints mimic others: the rotor's inertial coupling is left out", "leave the carrier out, or describe a robot of elastic joints with motors of their own") \
  X(drives_plain, "drives-plain", warning, "springs and coupled motors are not known to what reads the robot", "none needed if rigid joints will do; docs/drives.md lists what knows drives") \
  X(transmission_joint, "transmission-joint", warning, "a transmission names a joint that does not exist", "correct the name or remove the transmission") \
  X(transmission_shape, "transmission-shape", warning, "a transmission has too few or too many joints or actuators for its kind", "give a SimpleTransmission one of each, a DifferentialTransmission or FourBarLinkageTransmission two, or describe motors by <ulna:motor>") \
  /* bodies */ \
  X(mass_negative, "mass-negative", error, "a mass is negative", "give a positive mass") \
  X(mass_zero, "mass-zero", warning, "a link has rotational inertia but no mass", "give its mass") \
  X(inertial_missing, "inertial-missing", warning, "a moving link has no inertial", "give its mass, centre of mass and inertia (URDF: <inertial>, table: link)") \
  X(inertial_partial, "inertial-partial", warning, "an inertial lacks a part", "add what is missing") \
  X(inertia_zero, "inertia-zero", warning, "a link has mass but no rotational inertia", "give the inertia about the centre of mass") \
  X(inertia_not_positive, "inertia-not-positive", warning, "an inertia is not positive definite", "correct the inertia: the mass matrix may become indefinite") \
  X(inertia_triangle, "inertia-triangle", warning, "principal moments violate the triangle inequality", "correct the inertia: no real body can have it") \
  X(body_massless, "body-massless", warning, "the links that a joint moves have no inertia", "give the link an inertial, or the joint an armature") \
  /* magnitudes */ \
  X(angle_degrees, "angle-degrees", warning, "an angle or a limit of an angle looks like degrees", "write radians") \
  X(length_implausible, "length-implausible", warning, "a distance is longer than a robot", "write metres") \
  X(density_implausible, "density-implausible", warning, "mass and inertia are those of a body denser than any matter", "write kilograms and kg m^2, and the inertia of the link itself") \
  X(inertia_implausible, "inertia-implausible", warning, "mass and inertia are those of a body larger than the robot", "write kilograms and kg m^2") \
  X(com_outside, "com-outside", warning, "a centre of mass is far outside the shapes of its link", "write metres in the axes of the link, or correct the shapes") \
  X(gravity_implausible, "gravity-implausible", warning, "gravity is stronger than on any planet", "write m/s^2") \
  X(velocity_implausible, "velocity-implausible", warning, "a velocity limit is faster than any robot", "write rad/s, of prismatic joints m/s") \
  X(effort_weak, "effort-weak", warning, "an effort limit does not hold the robot's own weight", "write Nm, of prismatic joints N; give the drive's true limit; springs and counterweights are not described by URDF: raise the limit by what they carry") \
  X(spring_implausible, "spring-implausible", warning, "a spring does not hold the weight of its links, or is stiffer than any drive", "write Nm/rad, of prismatic joints N/m; leave the spring out of a rigid drive") \
  X(effort_implausible, "effort-implausible", warning, "an effort limit is hundreds of times what the links weigh", "write Nm, of prismatic joints N; leave the attribute out if it is not known") \
  /* shapes */ \
  X(shape_invalid, "shape-invalid", warning, "a shape's size is not a positive number, or its kind is unknown", "correct or remove the shape") \
  X(mesh_path, "mesh-path", note, "a mesh path is absolute or leads out of the folder", "use package:// or a relative path") \
  X(material_invalid, "material-invalid", warning, "a material's colour is not four numbers from 0 to 1", "correct the colour") \
  /* edits of a model */ \
  X(edit_unknown, "edit-unknown", error, "a referenced joint or link does not exist", "ulna tree ROBOT shows the names") \
  X(chain_broken, "chain-broken", error, "no chain leads from one link down to the other", "name a link and one of its descendants") \
  X(branch_dropped, "branch-dropped", note, "a branch beside the chain was left out", "none needed")
// clang-format on

namespace ulna::rules {
ULNA_DEFINE_RULES(ULNA_RULES)
}  // namespace ulna::rules

#undef ULNA_RULES
