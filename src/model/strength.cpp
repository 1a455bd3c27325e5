#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "check.hpp"
#include "ulna/model/rules.hpp"

// What drives have to do, against what their limits say they can: limits that are far off are in other units.
namespace ulna::detail {
namespace {

/// What the links beyond a joint ask of its drive.
struct Load {
  double weight =
      0.0;  ///< Nm or N against gravity, in the worst of the configurations that were tried
  double scale =
      0.0;  ///< their weight at their radius of gyration about the axis, Nm; or their weight, N
  double extent =
      0.0;  ///< m from the axis to the farthest centre of mass or joint, in the worst of them
};

/// Weights of a robot in configurations within its limits.
class Weights {
 public:
  Weights(const Description& d, const Checker& tree) : d_(d), tree_(tree), loads_(d.joints.size()) {
    // links from the base outwards
    order_ = {tree.root()};
    for (std::size_t i = 0; i < order_.size(); ++i)
      for (const int j : tree.children(order_[i])) order_.push_back(tree.link(d.joints[j].child));
    places_.resize(d.links.size()), mass_.resize(d.links.size()), moment_.resize(d.links.size());
  }

  const std::vector<Load>& worst() {
    constexpr int tries = 64;
    constexpr std::size_t most_stretched = 200;  // links; of more, as the robot stands
    std::mt19937_64 random(1);
    std::vector<double> q(d_.joints.size());
    for (int k = 0; k < tries; ++k) {
      for (std::size_t j = 0; j < q.size(); ++j)
        // first as the robot stands, then anywhere
        q[j] = within(d_.joints[j], k == 0 ? 0.0 : double(random() >> 11) * 0x1p-52 - 1.0);
      place(q);
      if (k == 0) measure();
      if (k == 0 || d_.links.size() <= most_stretched) stretch();
      weigh();
    }
    return loads_;
  }

 private:
  /// From -1 to 1 of a joint's range, of which a turn or a metre about zero is looked at; 0 is its neutral position.
  static double within(const JointDescription& j, double share) {
    const double most = j.type == JointType::prismatic ? 1.0 : std::numbers::pi;
    const double low = std::max(j.limits.lower, -most), high = std::min(j.limits.upper, most);
    const double neutral = std::clamp(0.0, j.limits.lower, j.limits.upper);
    if (share == 0.0 || !(low < high)) return neutral;
    return 0.5 * (low + high) + 0.5 * share * (high - low);
  }

  double position(int joint, const std::vector<double>& q) const {
    const JointDescription& j = d_.joints[joint];
    return j.mimic
               ? j.mimic->multiplier * position(tree_.joint(j.mimic->joint), q) + j.mimic->offset
               : q[joint];
  }

  static bool turns(const JointDescription& j) {
    return j.type == JointType::revolute || j.type == JointType::continuous;
  }

  void place(const std::vector<double>& q) {
    for (const int link : order_) {
      const int j = tree_.parent(link);
      if (j < 0) continue;
      const JointDescription& joint = d_.joints[j];
      Transform<double> moved;
      if (turns(joint))
        moved =
            Transform<double>::from_rotation(Rotation<double>::about(joint.axis, position(j, q)));
      else if (joint.type == JointType::prismatic)
        moved = Transform<double>::from_translation(joint.axis * position(j, q));
      places_[link] = places_[tree_.link(joint.parent)] * joint.origin.transform() * moved;
    }
    // masses and their moments, inwards
    for (const int link : order_) {
      const auto& body = d_.links[link].inertial;
      mass_[link] = body ? body->mass : 0.0;
      moment_[link] = body ? Vec3<double>(body->mass * (places_[link] * body->com))
                           : Vec3<double>(Vec3<double>::Zero());
    }
    for (auto link = order_.rbegin(); link != order_.rend(); ++link)
      if (const int j = tree_.parent(*link); j >= 0) {
        const int parent = tree_.link(d_.joints[j].parent);
        mass_[parent] += mass_[*link], moment_[parent] += moment_[*link];
      }
  }

  void weigh() {
    std::vector<double> torques(d_.joints.size(), 0.0);
    for (const int link : order_) {
      const int j = tree_.parent(link);
      if (j < 0 || (!turns(d_.joints[j]) && d_.joints[j].type != JointType::prismatic)) continue;
      const Vec3<double> axis = places_[link].rotation() * d_.joints[j].axis;
      const Vec3<double> lever = moment_[link] - mass_[link] * places_[link].translation();
      const double torque = turns(d_.joints[j]) ? axis.dot(lever.cross(d_.gravity))
                                                : mass_[link] * axis.dot(d_.gravity);
      // what a follower needs, the joint that it follows exerts
      int drive = j;
      double ratio = 1.0;
      while (d_.joints[drive].mimic) {
        ratio *= d_.joints[drive].mimic->multiplier;
        drive = tree_.joint(d_.joints[drive].mimic->joint);
      }
      torques[drive] += ratio * torque;
    }
    for (std::size_t j = 0; j < torques.size(); ++j)
      loads_[j].weight = std::max(loads_[j].weight, std::abs(torques[j]));
  }

  /// Calls use(joint, axis, away, link) for each joint and each link beyond it, with the joint's axis in the world and
  /// the distance of points from it.
  template <class Use>
  void for_each_beyond(Use use) const {
    for (const int link : order_) {
      const int j = tree_.parent(link);
      if (j < 0) continue;
      const Vec3<double> axis = places_[link].rotation() * d_.joints[j].axis;
      const Vec3<double> origin = places_[link].translation();
      const auto away = [&](const Vec3<double>& p) { return axis.cross(p - origin).norm(); };
      std::vector<int> beyond{link};
      while (!beyond.empty()) {
        const int l = beyond.back();
        beyond.pop_back();
        for (const int child : tree_.children(l))
          beyond.push_back(tree_.link(d_.joints[child].child));
        use(j, axis, away, l);
      }
    }
  }

  /// Extents beyond each joint.
  void stretch() {
    for_each_beyond([&](int j, const Vec3<double>&, const auto& away, int l) {
      double& extent = loads_[j].extent;
      extent = std::max(extent, away(places_[l].translation()));
      if (const auto& body = d_.links[l].inertial)
        extent = std::max(extent, away(places_[l] * body->com));
    });
  }

  /// Inertia beyond each joint, as the robot stands.
  void measure() {
    constexpr double g =
        9.81;  // a robot that is described without gravity has drives of the same size
    std::vector<double> inertia(d_.joints.size(), 0.0);
    for_each_beyond([&](int j, const Vec3<double>& axis, const auto& away, int l) {
      const auto& body = d_.links[l].inertial;
      if (!body) return;
      const double far = away(places_[l] * body->com);
      const Vec3<double> own = places_[l].rotation().inverse_apply(axis);
      inertia[j] += body->mass * far * far + own.dot(body->inertia * own);
    });
    for (const int link : order_)
      if (const int j = tree_.parent(link); j >= 0)
        loads_[j].scale = turns(d_.joints[j])
                              ? g * std::sqrt(std::max(0.0, inertia[j] * mass_[link]))
                              : g * mass_[link];
  }

  const Description& d_;
  const Checker& tree_;
  std::vector<Load> loads_;
  std::vector<int> order_;
  std::vector<Transform<double>> places_;
  std::vector<double> mass_;          ///< of a link and all beyond it
  std::vector<Vec3<double>> moment_;  ///< their first moment, in the world
};

}  // namespace

void Checker::drives() {
  constexpr std::size_t most_links = 1000;  // beyond, weights take too long
  if (d_.links.size() > most_links || root_ < 0) return;
  const std::vector<Load> loads = Weights(d_, *this).worst();
  for (std::size_t j = 0; j < d_.joints.size(); ++j)
    if (!d_.joints[j].mimic) drive(d_.joints[j], loads[j].weight, loads[j].scale, loads[j].extent);
}

void Checker::spring(const JointDescription& joint, const Spring& spring, double weight,
                     double scale) {
  // A spring that gives way by a radian does not hold its links: gravity pulls more the farther they sink.
  // Where it has nothing to hold, it is judged by the weight of its links at their radius of gyration.
  const double softest = std::max(weight, 0.1 * scale);
  constexpr double stiffest = 1e9;
  const bool slides = joint.type == JointType::prismatic;
  const std::string stiffness =
      "stiffness " + number(spring.stiffness) + (slides ? " N/m" : " Nm/rad");
  if (spring.stiffness > stiffest)
    report(rules::spring_implausible, joint, stiffness + " is that of no drive", "used as it is");
  else if (spring.stiffness > 0.0 && spring.stiffness < softest)
    report(rules::spring_implausible, joint,
           stiffness + " gives way by " + number(softest / spring.stiffness, 2) +
               (slides ? " m under the weight of its links: kN/m?"
                       : " rad under the weight of its links: kNm/rad?"),
           "used as it is");
}

void Checker::drive(const JointDescription& joint, double weight, double scale, double extent) {
  if (joint.spring) spring(joint, *joint.spring, weight, scale);
  const bool turns = joint.type == JointType::revolute, slides = joint.type == JointType::prismatic;
  if (!turns && !slides) return;  // what turns without end may be a wheel or a propeller
  // m/s of the farthest part, and what stands for no limit at all
  constexpr double fastest = 50.0, no_limit = 720.0;
  const double velocity = joint.limits.velocity, effort = joint.limits.effort;
  if (turns && velocity <= no_limit && velocity * extent > fastest)
    report(rules::velocity_implausible, joint,
           "at its velocity limit, " + number(velocity) + " rad/s, links would move at " +
               number(velocity * extent, 2) + " m/s: degrees per second?",
           "used as radians per second");
  if (slides && velocity > 20.0 && velocity <= 5000.0)
    report(rules::velocity_implausible, joint,
           "its velocity limit is " + number(velocity) + " m/s: millimetres per second?",
           "used as it is");
  const std::string unit = turns ? " Nm" : " N";
  // drives hold their robot, and are not made a thousand times stronger than that
  constexpr double weak = 0.8, strong = 500.0, strong_for_its_size = 1e4;
  if (effort <= 0.0 || !std::isfinite(effort)) return;
  if (effort < weak * weight)
    report(rules::effort_weak, joint,
           "its effort limit, " + number(effort) + unit +
               ", does not hold its own links, which take " + number(weight, 3) + unit +
               " in some configuration" +
               (effort < 0.02 * weight ? turns ? ": kNm?" : ": kN?" : ""),
           "used as it is");
  else if ((weight > 1.0 && effort > strong * weight) ||
           (scale > 0.0 && effort > strong_for_its_size * scale))
    report(rules::effort_implausible, joint,
           "its effort limit, " + number(effort) + unit + ", is " +
               (weight > 1.0 ? number(effort / weight, 2) + " times what holds its links"
                             : number(effort / scale, 2) +
                                   " times what the weight of its links could require") +
               (turns ? ": Nmm, or a placeholder?" : ": mN, or a placeholder?"),
           "used as it is");
}

}  // namespace ulna::detail
