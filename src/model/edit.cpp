#include "ulna/model/edit.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "check.hpp"
#include "ulna/model/joint_motion.hpp"
#include "ulna/model/rules.hpp"

namespace ulna {

using detail::quoted;

namespace {

[[noreturn]] void refuse(const Rule& rule, const Model& model, std::string seen) {
  Diagnostics diagnostics;
  diagnostics.add(rule, {model.description().file, 0, 0}, quoted("robot", model.name()),
                  std::move(seen));
  throw ModelError(std::move(diagnostics));
}

std::unordered_map<std::string, JointDescription*> joints_by_name(Description& d) {
  std::unordered_map<std::string, JointDescription*> joints;
  for (JointDescription& j : d.joints) joints[j.name] = &j;
  return joints;
}

/// Motors of a robot some of whose joints no longer move. A motor that is left over beside another of its one
/// joint, as of a differential, turns with the joint: it becomes part of what the joint itself has.
template <class Moves>
void keep_motors(Description& d, Moves moves) {
  const auto joints = joints_by_name(d);
  std::unordered_set<std::string> driven;
  for (MotorDescription& m : d.motors)
    std::erase_if(m.gears, [&](const Gear& g) { return !moves(g.joint); });
  std::erase_if(d.motors, [&](const MotorDescription& m) {
    if (m.gears.empty()) return true;
    if (m.gears.size() > 1 || driven.insert(m.gears.front().joint).second) return false;
    const Gear& gear = m.gears.front();
    joints.at(gear.joint)->dynamics += m.at_joint(gear.ratio);
    return true;
  });
}

}  // namespace

Model lock_joints(const Model& model, const JointValues& at) {
  // the value of each locked body's own q, followers included
  std::unordered_map<int, std::vector<double>> locked;
  for (const auto& [name, values] : at) {
    const auto body = model.find_joint(name);
    if (!body) {
      std::vector<std::string_view> names;
      for (int b = 1; b < model.body_count(); ++b) names.push_back(model.joint_name(b));
      refuse(rules::edit_unknown, model,
             quoted("has no moving joint", name) + did_you_mean(name, names));
    }
    const Joint& j = model.joint(*body);
    if (j.mimics)
      refuse(rules::edit_unknown, model,
             quoted("joint", name) + quoted(" mimics", model.joint_name(j.mimics)) +
                 ": lock that one");
    const auto wanted = static_cast<std::size_t>(configuration_size(j.type));
    if (values.size() != wanted)
      refuse(rules::number_count, model,
             quoted("joint", name) + " takes " + std::to_string(wanted) +
                 (wanted == 1 ? " number, " : " numbers, ") + std::to_string(values.size()) +
                 " given");
    if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); }))
      refuse(rules::number_invalid, model, quoted("joint", name) + ": value is not finite");
    locked[*body] = values;
    if (j.type == JointType::ball || j.type == JointType::floating) {
      Eigen::Map<Vec4<double>> quaternion(locked[*body].data());
      if (quaternion.stableNorm() == 0.0)
        refuse(rules::quaternion_zero, model,
               quoted("joint", name) + ": the quaternion has zero length");
      quaternion.stableNormalize();
    }
  }
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& j = model.joint(b);
    if (const auto master = locked.find(j.mimics); j.mimics && master != locked.end())
      locked[b] = {j.multiplier * master->second[0] + j.offset};
  }

  Description d = model.description();
  for (JointDescription& given : d.joints) {
    const auto body = model.find_joint(given.name);
    if (!body || !locked.contains(*body)) continue;
    const Joint& j = model.joint(*body);
    const auto R_BC = Transform<double>::from_rotation(j.R_BC);
    const Transform<double> moved =
        R_BC * joint_pose(j.type, j.pitch, locked[*body].data()) * R_BC.inverse();
    const Pose origin(given.origin.transform() * moved);
    given = {.name = given.name,
             .parent = given.parent,
             .child = given.child,
             .origin = origin,
             .line = given.line};
  }
  keep_motors(d,
              [&](const std::string& joint) { return !locked.contains(model.joint_index(joint)); });
  return Builder(std::move(d)).build();
}

Model sub_chain(const Model& model, std::string_view base_link, std::string_view tip_link,
                Diagnostics* notes) {
  Description given = model.description();
  Diagnostics none;
  detail::Checker tree(given, none);
  tree.names(), tree.tree();
  for (const std::string_view name : {base_link, tip_link})
    if (!tree.links().contains(name))
      refuse(rules::edit_unknown, model,
             quoted("has no link", name) + detail::did_you_mean(name, tree.links()));

  Description d = given;
  const int base = tree.link(base_link);
  // the new base stands as it stood with the joints above it at zero: gravity is seen from there
  Rotation<double> R_WB;
  for (int j = tree.parent(base); j >= 0; j = tree.parent(tree.link(given.joints[j].parent)))
    R_WB = given.joints[j].origin.transform().rotation() * R_WB;
  d.gravity = R_WB.inverse_apply(d.gravity);
  std::vector<bool> on_chain(given.joints.size(), false);
  for (int l = tree.link(tip_link); l != base;) {
    const int j = tree.parent(l);
    if (j < 0)
      refuse(rules::chain_broken, model,
             quoted("link", tip_link) + quoted(" is not a descendant of link", base_link));
    on_chain[j] = true;
    l = tree.link(given.joints[j].parent);
  }

  // links that stay: reached from the base over chain joints and fixed ones
  std::unordered_set<std::string_view> links, joints;
  std::vector<int> stack{base};
  while (!stack.empty()) {
    const int l = stack.back();
    stack.pop_back();
    links.insert(given.links[l].name);
    for (const int at : tree.children(l)) {
      const JointDescription& j = given.joints[at];
      if (on_chain[at] || j.type == JointType::fixed) {
        joints.insert(j.name);
        stack.push_back(tree.link(j.child));
      } else if (notes) {
        notes->add(rules::branch_dropped, d.source(j.line), detail::subject(j),
                   "is not on the chain", "left out with everything attached to it");
      }
    }
  }
  std::erase_if(d.links, [&](const auto& l) { return !links.contains(l.name); });
  std::erase_if(d.joints, [&](const auto& j) { return !joints.contains(j.name); });
  std::erase_if(d.frames, [&](const auto& f) { return !links.contains(f.link); });
  std::erase_if(
      d.loops, [&](const auto& l) { return !links.contains(l.link1) || !links.contains(l.link2); });
  keep_motors(d, [&](const std::string& joint) { return joints.contains(joint); });
  for (MotorDescription& m : d.motors)
    if (m.mount && !links.contains(m.mount->link)) m.mount.reset();
  for (JointDescription& j : d.joints) {
    if (!j.mimic) continue;
    // a master that is lost may follow one that is not
    Mimic composed = *j.mimic;
    while (!joints.contains(composed.joint)) {
      const JointDescription& lost = given.joints[tree.joint(composed.joint)];
      if (!lost.mimic) break;
      composed.offset += composed.multiplier * lost.mimic->offset;
      composed.multiplier *= lost.mimic->multiplier;
      composed.joint = lost.mimic->joint;
    }
    if (joints.contains(composed.joint)) {
      j.mimic = composed;
    } else {
      if (notes)
        notes->note(rules::mimic_ignored, d.source(j.line), detail::subject(j),
                    quoted("mimics", j.mimic->joint) + ", which is not on the chain",
                    "moves independently");
      j.mimic.reset();
    }
  }
  return Builder(std::move(d)).build();
}

Model lump_fixed_joints(const Model& model) {
  const Description& given = model.description();
  Description d;
  d.name = given.name, d.file = given.file, d.lines = given.lines, d.gravity = given.gravity;

  // from a link to the body that carries it; what is on the body's own link stays to the last bit
  const auto attach = [&](std::string& link, Pose& origin) {
    const Frame& f = model.frame(link);
    if (link == model.body_name(f.body)) return;
    origin = Pose(f.X_BF * origin.transform());
    link = model.body_name(f.body);
  };

  for (int b = 0; b < model.body_count(); ++b)
    d.links.push_back(LinkDescription{std::string(model.body_name(b))});
  for (const LinkDescription& l : given.links) {
    const Frame& f = model.frame(l.name);
    LinkDescription& body = d.links[f.body];
    const bool own = l.name == body.name;
    if (own) body.line = l.line;
    if (l.inertial)
      body.inertial = own && !body.inertial ? *l.inertial : Inertial(model.inertias()[f.body]);
    const auto take = [&](const std::vector<Shape>& from, std::vector<Shape>& to) {
      for (Shape shape : from) {
        std::string link = l.name;
        attach(link, shape.origin);
        to.push_back(std::move(shape));
      }
    };
    take(l.visuals, body.visuals);
    take(l.collisions, body.collisions);
    if (!own) d.frames.push_back({l.name, body.name, Pose(f.X_BF), l.line});
  }

  for (const JointDescription& j : given.joints)
    if (j.type != JointType::fixed) d.joints.push_back(j);
  // in the order of the model: without the fixed joints between them, that of the file may be another
  std::ranges::sort(d.joints, {}, [&](const auto& j) { return model.joint_index(j.name); });
  d.frames.insert(d.frames.end(), given.frames.begin(), given.frames.end());
  d.loops = given.loops;
  d.motors = given.motors;
  for (MotorDescription& m : d.motors)
    if (m.mount) {
      const Frame& carrier = model.frame(m.mount->link);
      if (m.mount->link == model.body_name(carrier.body)) continue;
      m.mount->axis = carrier.X_BF.rotation() * m.mount->axis;
      m.mount->link = model.body_name(carrier.body);
    }
  for (JointDescription& j : d.joints) attach(j.parent, j.origin);
  for (FrameDescription& f : d.frames) attach(f.link, f.origin);
  for (LoopDescription& l : d.loops) attach(l.link1, l.origin1), attach(l.link2, l.origin2);
  return Builder(std::move(d)).build();
}

Model with_floating_base(const Model& model, std::string joint_name) {
  Description d = model.description();
  std::string world = "world";
  while (model.find_frame(world)) world += "_";
  while (std::ranges::count(d.joints, joint_name, &JointDescription::name)) joint_name += "_";
  d.links.insert(d.links.begin(), LinkDescription{world});
  d.joints.insert(d.joints.begin(), JointDescription{joint_name, JointType::floating, world,
                                                     std::string(model.body_name(0))});
  return Builder(std::move(d)).build();
}

Model with_plain_drives(const Model& model) {
  Description d = model.description();
  const auto joints = joints_by_name(d);
  const std::vector<std::string>&names = model.drives().motor_names, own = model.velocity_names();
  for (JointDescription& j : d.joints) j.spring.reset();
  std::vector<MotorDescription> kept;
  for (MotorDescription& m : d.motors) {
    m.mount.reset();
    if (m.gears.size() == 1) {
      kept.push_back(std::move(m));
      continue;
    }
    const auto number = std::ranges::find(names, m.name) - names.begin();
    for (const Gear& g : m.gears) {
      JointDynamics seen = m.at_joint(g.ratio);
      if (g.joint != own[std::size_t(number)]) seen.friction = seen.friction_negative = 0.0;
      joints.at(g.joint)->dynamics += seen;
    }
  }
  d.motors = std::move(kept);
  return Builder(std::move(d)).build();
}

Model without_mimics(const Model& model) {
  Description d = model.description();
  for (JointDescription& j : d.joints) j.mimic.reset();
  return Builder(std::move(d)).build();
}

}  // namespace ulna
