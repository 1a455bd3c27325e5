#include "ulna/model/edit.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "check.hpp"
#include "ulna/model/joint_motion.hpp"
#include "ulna/model/rules.hpp"

namespace ulna {
namespace {

[[noreturn]] void refuse(const Rule& rule, const Model& model, std::string seen) {
  Diagnostics diagnostics;
  diagnostics.add(rule, {model.description().file, 0, 0}, detail::quoted("robot", model.name()),
                  std::move(seen));
  throw ModelError(std::move(diagnostics));
}

template <class T, class F>
void keep_if(std::vector<T>& list, F keep) {
  std::erase_if(list, std::not_fn(keep));
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
             "has no moving joint '" + name + "'" + did_you_mean(name, names));
    }
    const Joint& j = model.joint(*body);
    if (j.mimics)
      refuse(rules::edit_unknown, model,
             "joint '" + name + "' mimics '" + std::string(model.joint_name(j.mimics)) +
                 "': lock that one");
    const auto wanted = static_cast<std::size_t>(configuration_size(j.type));
    if (values.size() != wanted)
      refuse(rules::number_count, model,
             "joint '" + name + "' takes " + std::to_string(wanted) + " numbers, " +
                 std::to_string(values.size()) + " given");
    for (const double v : values)
      if (!std::isfinite(v))
        refuse(rules::number_invalid, model, "joint '" + name + "': value is not finite");
    locked[*body] = values;
    if (j.type == JointType::ball || j.type == JointType::floating) {
      Eigen::Map<Vec4<double>> quaternion(locked[*body].data());
      if (quaternion.stableNorm() == 0.0)
        refuse(rules::quaternion_zero, model, "joint '" + name + "': the quaternion has no length");
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
             "has no link '" + std::string(name) + "'" + detail::did_you_mean(name, tree.links()));

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
             "link '" + std::string(tip_link) + "' is not a descendant of link '" +
                 std::string(base_link) + "'");
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
        notes->add(rules::branch_dropped, {d.file, j.line, 0}, detail::subject(j),
                   "is not on the chain", "left out with everything attached to it");
      }
    }
  }
  keep_if(d.links, [&](const auto& l) { return links.contains(l.name); });
  keep_if(d.joints, [&](const auto& j) { return joints.contains(j.name); });
  keep_if(d.frames, [&](const auto& f) { return links.contains(f.link); });
  keep_if(d.loops,
          [&](const auto& l) { return links.contains(l.link1) && links.contains(l.link2); });
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
        notes->note(rules::mimic_ignored, {d.file, j.line, 0}, detail::subject(j),
                    "mimics '" + j.mimic->joint + "', which is not on the chain",
                    "moves on its own");
      j.mimic.reset();
    }
  }
  return Builder(std::move(d)).build();
}

Model lump_fixed_joints(const Model& model) {
  const Description& given = model.description();
  Description d;
  d.name = given.name, d.file = given.file, d.gravity = given.gravity;

  const auto home = [&](const std::string& link) -> const Frame& { return model.frame(link); };
  const auto moved = [&](const Frame& f, const Pose& origin) {
    // a body's own link keeps its figures to the last bit
    return f.name == model.body_name(f.body) ? origin : Pose(f.X_BF * origin.transform());
  };

  std::vector<LinkDescription> bodies(model.body_count());
  for (int b = 0; b < model.body_count(); ++b) bodies[b].name = model.body_name(b);
  std::vector<int> with_inertial(model.body_count(), 0);
  for (const LinkDescription& l : given.links) {
    const Frame& f = home(l.name);
    LinkDescription& body = bodies[f.body];
    const bool own = l.name == body.name;
    if (own) body.line = l.line;
    if (l.inertial)
      ++with_inertial[f.body],
          body.inertial = own ? l.inertial : Inertial(f.X_BF * l.inertial->in_link_frame());
    const auto take = [&](const std::vector<Shape>& from, std::vector<Shape>& to) {
      for (Shape shape : from) {
        shape.origin = moved(f, shape.origin);
        to.push_back(std::move(shape));
      }
    };
    take(l.visuals, body.visuals);
    take(l.collisions, body.collisions);
    if (!own) d.frames.push_back({l.name, body.name, Pose(f.X_BF), l.line});
  }
  for (int b = 0; b < model.body_count(); ++b)
    if (with_inertial[b] > 1) bodies[b].inertial = Inertial(model.inertias()[b]);
  d.links = std::move(bodies);

  // in the order of the model: without the fixed joints between them, that of the file may be another
  std::vector<const JointDescription*> moving(model.body_count());
  for (const JointDescription& j : given.joints)
    if (j.type != JointType::fixed) moving[model.joint_index(j.name)] = &j;
  for (int b = 1; b < model.body_count(); ++b) {
    const JointDescription& j = *moving[b];
    d.joints.push_back(j);
    d.joints.back().origin = moved(home(j.parent), j.origin);
    d.joints.back().parent = model.body_name(home(j.parent).body);
  }
  for (const FrameDescription& f : given.frames)
    d.frames.push_back({f.name, std::string(model.body_name(home(f.link).body)),
                        moved(home(f.link), f.origin), f.line});
  for (LoopDescription l : given.loops) {
    l.origin1 = moved(home(l.link1), l.origin1), l.origin2 = moved(home(l.link2), l.origin2);
    l.link1 = model.body_name(home(l.link1).body), l.link2 = model.body_name(home(l.link2).body);
    d.loops.push_back(std::move(l));
  }
  return Builder(std::move(d)).build();
}

Model with_floating_base(const Model& model, std::string joint_name) {
  Description d = model.description();
  std::string world = "world";
  while (model.find_frame(world)) world += "_";
  while (std::any_of(d.joints.begin(), d.joints.end(),
                     [&](const auto& j) { return j.name == joint_name; }))
    joint_name += "_";
  d.links.insert(d.links.begin(), LinkDescription{world});
  d.joints.insert(d.joints.begin(), JointDescription{joint_name, JointType::floating, world,
                                                     std::string(model.body_name(0))});
  return Builder(std::move(d)).build();
}

Model without_mimics(const Model& model) {
  Description d = model.description();
  for (JointDescription& j : d.joints) j.mimic.reset();
  return Builder(std::move(d)).build();
}

}  // namespace ulna
