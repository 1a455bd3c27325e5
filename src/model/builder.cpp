#include "ulna/model/builder.hpp"

#include <algorithm>
#include <cmath>

#include "appended.hpp"
#include "check.hpp"
#include "drive_assembly.hpp"
#include "ulna/model/rules.hpp"

namespace ulna {

/// Makes the state of a Model from a checked description.
class Assembler {
 public:
  Assembler(Model::Data& data, const detail::Checker& check)
      : data_(data), d_(data.description), check_(check), body_of_joint_(d_.joints.size(), 0) {}

  static Model build(const Description& description, Diagnostics& diagnostics,
                     std::size_t appended) {
    auto data = std::make_shared<Model::Data>();
    data->description = description;

    detail::Checker check(data->description, diagnostics);
    check.names();
    check.tree();
    check.joints();
    check.motors();
    check.inertials();
    check.magnitudes();
    // what a program describes has the limits it wants
    if (!description.file.empty()) check.drives();

    Assembler assemble(*data, check);
    assemble.bodies(appended);
    assemble.order_by_depth();
    assemble.coordinates(diagnostics);
    diagnostics.throw_if_errors();
    assemble.joint_tables();
    assemble.drives(diagnostics);
    assemble.report_massless(diagnostics);
    diagnostics.throw_if_errors();
    return Model(std::move(data));
  }

 private:
  /// Walks the tree depth-first: a fixed joint continues the body it hangs on, any other begins one. Joints from number `appended`
  /// of the description on come after all others.
  void bodies(std::size_t appended) {
    struct Step {
      int link, joint, body;
      Transform<double> X_BL;
    };
    std::vector<Step> stack{{check_.root(), -1, 0, {}}}, last;
    add_body({}, -1, check_.root());
    while (!stack.empty() || !last.empty()) {
      if (stack.empty()) std::swap(stack, last);
      Step step = stack.back();
      stack.pop_back();
      if (step.joint >= 0) {
        const JointDescription& given = d_.joints[step.joint];
        step.X_BL = step.X_BL * given.origin.transform();
        if (given.type != JointType::fixed) {
          step.body = add_body(canonical(given, step.body, step.X_BL), step.joint, step.link);
          step.X_BL = {};
        }
      }
      const LinkDescription& link = d_.links[step.link];
      if (link.inertial) {
        // a link that is its body alone keeps its figures to the last bit
        const Inertia<double> I_L = link.inertial->in_link_frame();
        const bool alone = data_.link_of_body[step.body] == step.link;
        data_.inertias[step.body] += alone ? I_L : step.X_BL * I_L;
      }
      add_frame(link.name, step.body, step.X_BL);
      const std::vector<int>& hanging = check_.children(step.link);
      for (auto j = hanging.rbegin(); j != hanging.rend(); ++j)
        (std::size_t(*j) < appended ? stack : last)
            .push_back({check_.link(d_.joints[*j].child), *j, step.body, step.X_BL});
    }
    for (const FrameDescription& f : d_.frames) {
      const Frame link = data_.frames[data_.frame_names.at(f.link)];
      add_frame(f.name, link.body, link.X_BF * f.origin.transform());
    }
    for (std::size_t b = 0; b < data_.joints.size(); ++b)
      data_.canonical_inertias.push_back(turned(data_.joints[b].R_BC.inverse()) *
                                         data_.inertias[b]);
  }

  void order_by_depth() {
    std::vector<int> depth(data_.joints.size());
    for (std::size_t b = 1; b < depth.size(); ++b) {
      depth[b] = depth[data_.joints[b].parent] + 1;
      data_.bodies_by_depth.push_back(static_cast<int>(b));
    }
    std::ranges::stable_sort(data_.bodies_by_depth, {}, [&](int b) { return depth[b]; });
  }

  /// Numbers the coordinates. A mimicking joint borrows those at the end of its chain of masters.
  void coordinates(Diagnostics& diagnostics) {
    for (std::size_t b = 1; b < data_.joints.size(); ++b) {
      Joint& j = data_.joints[b];
      j.tree_q = data_.tree_nq, j.tree_v = data_.tree_nv;
      data_.tree_nq += configuration_size(j.type);
      data_.tree_nv += velocity_size(j.type);
      if (given(b).mimic) continue;
      j.q = data_.nq, j.v = data_.nv;
      data_.nq += configuration_size(j.type);
      data_.nv += velocity_size(j.type);
      data_.body_of_coordinate.resize(data_.nv, static_cast<int>(b));
    }
    const auto master = [&](int b) { return body_of_joint_[check_.joint(given(b).mimic->joint)]; };
    std::vector<int> chain;
    for (int b = 1; b < static_cast<int>(data_.joints.size()); ++b) {
      // up to a joint that is known, then back, each from its own master: every joint is composed once
      for (int at = b; given(at).mimic && !data_.joints[at].mimics; at = master(at))
        chain.push_back(at);
      for (; !chain.empty(); chain.pop_back()) {
        const int at = chain.back(), above = master(at);
        Joint& j = data_.joints[at];
        const Joint& m = data_.joints[above];
        const Mimic& mimic = *given(at).mimic;
        j.multiplier = mimic.multiplier * m.multiplier;
        j.offset = mimic.multiplier * m.offset + mimic.offset;
        j.mimics = m.mimics ? m.mimics : above;
        data_.has_mimics = true;
        j.q = m.q, j.v = m.v;
        if (!std::isfinite(j.multiplier) || !std::isfinite(j.offset))
          diagnostics.add(rules::number_invalid, d_.source(given(at).line),
                          detail::subject(given(at)),
                          "mimic multipliers and offsets overflow along the chain");
      }
    }
  }

  void joint_tables() {
    data_.lower.setConstant(data_.nq, -infinity);
    data_.upper.setConstant(data_.nq, infinity);
    data_.velocity.setConstant(data_.nv, infinity);
    data_.effort.setConstant(data_.nv, infinity);
    for (auto* v : {&data_.damping, &data_.friction, &data_.friction_negative, &data_.armature})
      v->setZero(data_.nv);
    for (std::size_t b = 1; b < data_.joints.size(); ++b) {
      const Joint& j = data_.joints[b];
      const JointDynamics& y = given(b).dynamics;
      const int n = velocity_size(j.type);
      // a follower's power passes through its multiplier: it resists its master by k, or k squared
      const double k = j.multiplier;
      data_.damping.segment(j.v, n).array() += k * k * y.damping;
      data_.armature.segment(j.v, n).array() += k * k * y.armature;
      data_.friction.segment(j.v, n).array() +=
          std::abs(k) * (k < 0.0 ? y.friction_negative : y.friction);
      data_.friction_negative.segment(j.v, n).array() +=
          std::abs(k) * (k < 0.0 ? y.friction : y.friction_negative);
      if (j.mimics) continue;
      const Limits& limits = given(b).limits;
      data_.velocity.segment(j.v, n).setConstant(limits.velocity);
      data_.effort.segment(j.v, n).setConstant(limits.effort);
      if (n == 1) data_.lower(j.q) = limits.lower, data_.upper(j.q) = limits.upper;
    }
  }

  /// Motors, gears and springs.
  void drives(Diagnostics& diagnostics) {
    detail::DriveAssembly assembly(data_.drives, data_.nv);
    for (std::size_t b = 1; b < data_.joints.size(); ++b) {
      const Joint& j = data_.joints[b];
      const JointDescription& joint = given(b);
      if (j.mimics) continue;
      const int n = velocity_size(j.type);
      for (int k = 0; k < n; ++k) assembly.joint(j.v + k, n == 1 ? j.q : -1, joint.name);
      if (joint.spring) assembly.spring(j.v, *joint.spring, data_.armature);
    }
    for (const MotorDescription& motor : d_.motors) {
      std::vector<DriveTrain::Entry> gears;
      for (const Gear& gear : motor.gears)
        gears.push_back({0, data_.joints[data_.joint_names.at(gear.joint)].v, gear.ratio});
      assembly.motor(motor, std::move(gears));
    }
    assembly.finish(d_, diagnostics, data_.damping, data_.friction, data_.friction_negative,
                    data_.armature);
    for (const auto& [motor, mount] : assembly.mounts()) {
      if (data_.has_mimics || !data_.drives.diagonal) {
        diagnostics.add(
            rules::rotor_rigid, {d_.file, 0, 0}, detail::quoted("robot", d_.name),
            "rotors are carried by links, and motors are coupled or joints mimic others",
            "only the rotors' own turning counts");
        break;
      }
      const Frame& link = data_.frames[data_.frame_names.at(mount.link)];
      const Vec3<double> axis =
          data_.joints[link.body].R_BC.inverse() * (link.X_BF.rotation() * mount.axis);
      data_.drives.mounts.push_back({motor, link.body, axis});
    }
  }

  /// Joints that move nothing: forward dynamics has no solution for them.
  void report_massless(Diagnostics& diagnostics) const {
    std::vector<bool> carries(data_.joints.size(), false), moved(data_.nv, false);
    for (std::size_t b = data_.joints.size(); b-- > 1;) {
      const Joint& j = data_.joints[b];
      carries[b] = carries[b] || !data_.inertias[b].parameters().isZero(0.0);
      if (carries[b]) carries[j.parent] = true;
      if (carries[b] && j.multiplier != 0.0)
        moved[j.v] = true;  // by the joint or one that mimics it
    }
    for (std::size_t b = 1; b < data_.joints.size(); ++b) {
      const Joint& j = data_.joints[b];
      if (!moved[j.v] && !j.mimics && data_.armature(j.v) == 0.0)
        diagnostics.add(rules::body_massless, d_.source(given(b).line), detail::subject(given(b)),
                        "the links that it moves have no inertia", "the mass matrix is singular");
    }
  }

  static Transform<double> turned(const Rotation<double>& R) {
    return Transform<double>::from_rotation(R);
  }
  const JointDescription& given(std::size_t body) const {
    return d_.joints[data_.joint_of_body[body]];
  }

  Joint canonical(const JointDescription& given, int parent, const Transform<double>& X_PB) const {
    Joint j;
    j.type = given.type;
    j.parent = parent;
    j.pitch = given.pitch;
    if (has_axis(given.type)) j.R_BC = Rotation<double>::z_to(given.axis);
    j.X_PJ = turned(data_.joints[parent].R_BC.inverse()) * X_PB * turned(j.R_BC);
    return j;
  }

  int add_body(const Joint& joint, int joint_index, int link) {
    const int body = static_cast<int>(data_.joints.size());
    data_.joints.push_back(joint);
    data_.joint_of_body.push_back(joint_index);
    data_.link_of_body.push_back(link);
    data_.inertias.emplace_back();
    if (joint_index >= 0) {
      body_of_joint_[joint_index] = body;
      data_.joint_names.emplace(d_.joints[joint_index].name, body);
    }
    return body;
  }

  void add_frame(std::string_view name, int body, const Transform<double>& X_BF) {
    data_.frame_names.emplace(name, static_cast<int>(data_.frames.size()));
    data_.frames.push_back({name, body, X_BF});
  }

  Model::Data& data_;
  const Description& d_;
  const detail::Checker& check_;
  std::vector<int> body_of_joint_;
};

Builder::Builder(std::string name) { description_.name = std::move(name); }
Builder::Builder(Description description) : description_(std::move(description)) {}

Builder& Builder::gravity(const Vec3<double>& g) { return description_.gravity = g, *this; }
Builder& Builder::link(LinkDescription link) {
  return description_.links.push_back(std::move(link)), *this;
}
Builder& Builder::link(std::string name, std::optional<Inertial> inertial) {
  return link(LinkDescription{std::move(name), std::move(inertial)});
}
Builder& Builder::joint(JointDescription joint) {
  return description_.joints.push_back(std::move(joint)), *this;
}
Builder& Builder::joint(std::string name, JointType type, std::string parent, std::string child,
                        const Pose& origin, const Vec3<double>& axis) {
  return joint({std::move(name), type, std::move(parent), std::move(child), origin, axis});
}
Builder& Builder::frame(std::string name, std::string link, const Pose& origin) {
  return description_.frames.push_back({std::move(name), std::move(link), origin}), *this;
}
Builder& Builder::loop(LoopDescription loop) {
  return description_.loops.push_back(std::move(loop)), *this;
}
Builder& Builder::motor(MotorDescription motor) {
  return description_.motors.push_back(std::move(motor)), *this;
}

Model Builder::build(bool strict) const {
  Diagnostics diagnostics(strict);
  return build(diagnostics);
}

Model Builder::build(Diagnostics& diagnostics) const {
  return Assembler::build(description_, diagnostics, description_.joints.size());
}

Model detail::build_appended(Description description, std::size_t appended) {
  Diagnostics diagnostics;
  return Assembler::build(description, diagnostics, appended);
}

}  // namespace ulna
