#include "drive/contact_search.hpp"

#include <cmath>
#include <numbers>

#include "num/message.hpp"
#include "ulna/rig/reality.hpp"

namespace ulna::drive {

using Vector = Eigen::VectorXd;
using messages::message;
using rig::Wiring;

namespace {

constexpr double most_square = 100.0;  ///< that one comparison counts

/// The largest gravity torque of each joint at some places: what gravity is compared with.
double largest_gravity(const Model& model, const Plant<double>& plant, Workspace<double>& ws) {
  Vector q = Vector::Zero(model.nv()), g = q;
  Motion<double> motion(model);
  double largest = 0.0;
  for (int k = 0; k < 32; ++k) {
    for (Eigen::Index i = 0; i < q.size(); ++i)
      q(i) = std::sin(1.7 * k + 2.3 * double(i) + 0.5) * 1.5;
    motion.set(q);
    gravity_torque<double>(plant, motion, ws, g);
    largest = std::max(largest, g.lpNorm<Eigen::Infinity>());
  }
  return largest;
}

}  // namespace

ContactMisfit::ContactMisfit(const Model& model, const ContactData& data)
    : q(Vector::Zero(model.nv())),
      gravity(q),
      holding(q),
      friction(q),
      damping(q),
      sensor_gain(q),
      sensor_deficit(q),
      deficit_noise(q),
      response(q),
      data_(data),
      plant_(model),
      at_(model),
      ws_(model),
      gravity_scale_(largest_gravity(model, plant_, ws_)),
      most_damping_(q),
      mass_(model.nv(), model.nv()),
      acceleration_(model.nv(), Eigen::Index(data.pushes.size())),
      velocity_(acceleration_),
      missing_(acceleration_) {
  const Vector effort = rig::nominal_efforts(model);
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const double speed = model.velocity_limit()(i);
    most_damping_(i) = 0.1 * effort(i) / (std::isfinite(speed) ? speed : 2.0);
  }
}

double ContactMisfit::operator()(const Wiring& w) {
  double sum = 0.0, count = 0.0;
  constexpr double share_of_rate = 0.1;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const int from = w.reading[std::size_t(i)];
    q(i) = w.position(i) * data_.q(from), holding(i) = w.torque(i) * data_.tau(from);
    // velocities are the rates of positions
    const double rate = w.position(i) / w.velocity(i) * data_.rate_ratio(from) - 1.0;
    sum += std::min(most_square, rate * rate / (share_of_rate * share_of_rate)), count += 0.2;
  }
  at_.set(q);
  mass_matrix<double>(plant_, at_, ws_, mass_);
  gravity_torque<double>(plant_, at_, ws_, gravity);
  predict_pushes(w, sum, count);
  if (data_.has_torques) predict_holding(w, sum, count), predict_sensors(w, sum, count);
  return std::sqrt(sum / count);
}

/// A push is inertia times acceleration, and friction of the joints that move.
void ContactMisfit::predict_pushes(const Wiring& w, double& sum, double& count) {
  constexpr double tolerated = 0.15;
  const Eigen::Index n = q.size(), m = acceleration_.cols();
  std::vector<int> joint_of(std::size_t(n), 0);
  for (Eigen::Index i = 0; i < n; ++i) joint_of[std::size_t(w.command[std::size_t(i)])] = int(i);
  for (Eigen::Index k = 0; k < m; ++k)
    for (Eigen::Index i = 0; i < n; ++i) {
      const int from = w.reading[std::size_t(i)];
      acceleration_(i, k) = w.velocity(i) * data_.pushes[std::size_t(k)].acceleration(from);
      velocity_(i, k) = w.velocity(i) * data_.pushes[std::size_t(k)].velocity(from);
    }
  missing_.noalias() = -mass_ * acceleration_;
  for (Eigen::Index k = 0; k < m; ++k) {
    const ContactPush& push = data_.pushes[std::size_t(k)];
    const int joint = joint_of[std::size_t(push.number)];
    missing_(joint, k) += push.torque / w.drive(joint);
  }
  for (Eigen::Index i = 0; i < n; ++i) fit_friction(i);
  for (Eigen::Index k = 0; k < m; ++k) {
    const ContactPush& push = data_.pushes[std::size_t(k)];
    const int joint = joint_of[std::size_t(push.number)];
    for (Eigen::Index i = 0; i < n; ++i) {
      const double slow =
          3e-3 + 3.0 * std::abs(w.velocity(i)) * data_.velocity_noise(w.reading[std::size_t(i)]);
      const double v = velocity_(i, k);
      // a joint that rests is held by what friction it takes
      double off = missing_(i, k) - damping(i) * v;
      off = std::abs(v) < slow ? std::max(0.0, std::abs(off) - friction(i))
                               : off - std::copysign(friction(i), v);
      // light joints count as heavy ones
      const double scale =
          std::abs(push.torque / w.drive(joint)) * std::sqrt(mass_(i, i) / mass_(joint, joint));
      const double e = off / (tolerated * scale);
      if (i == joint) {
        const double needed = push.torque / w.drive(joint) - missing_(i, k);
        response(i) = (needed + off) / needed;
      }
      sum += std::min(most_square, e * e), count += i == joint ? 0.5 : 0.1;
    }
  }
}

/// Dry and viscous friction of a joint by what is missing in pushes in which it moves: two unknowns, by least squares.
void ContactMisfit::fit_friction(Eigen::Index i) {
  double ss = 0.0, sv = 0.0, vv = 0.0, sm = 0.0, vm = 0.0;
  for (Eigen::Index k = 0; k < velocity_.cols(); ++k) {
    const double v = velocity_(i, k), s = v > 0.0 ? 1.0 : -1.0, missing = missing_(i, k);
    if (std::abs(v) < 0.01) continue;
    ss += 1.0, sv += s * v, vv += v * v, sm += s * missing, vm += v * missing;
  }
  friction(i) = damping(i) = 0.0;
  if (ss == 0.0) return;
  const double det = ss * vv - sv * sv;
  if (det > 1e-6 * ss * vv)
    damping(i) = std::clamp((ss * vm - sv * sm) / det, 0.0, most_damping_(i));
  friction(i) = std::max(0.0, (sm - damping(i) * sv) / ss);
}

/// What holds it is gravity, but for friction.
void ContactMisfit::predict_holding(const Wiring&, double& sum, double& count) {
  constexpr double tolerated = 0.03;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const double limit = std::min(friction(i), 0.1 * gravity_scale_);
    const double e = (holding(i) - gravity(i)) / (tolerated * gravity_scale_ + limit + 1e-3);
    sum += std::min(most_square, e * e), count += 1.0;
  }
}

/// A sensor sees a push in its direction, and not more than it.
void ContactMisfit::predict_sensors(const Wiring& w, double& sum, double& count) {
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const int from = w.reading[std::size_t(i)], number = w.command[std::size_t(i)];
    // of the two pushes of a number, what grows with them and what does not
    double p[2] = {0.0, 0.0}, seen[2] = {0.0, 0.0};
    int found = 0;
    for (const ContactPush& push : data_.pushes)
      if (push.number == number && found < 2)
        p[found] = push.torque / w.drive(i), seen[found++] = w.torque(i) * push.sensed(from);
    if (found < 2) continue;
    // means of half differences of at least 5 readings each
    const double gain_noise =
        std::sqrt(0.2) * std::abs(w.torque(i)) * data_.torque_noise(from) / std::abs(p[1] - p[0]);
    sensor_gain(i) = (seen[1] - seen[0]) / (p[1] - p[0]);
    sensor_deficit(i) = std::copysign(1.0, p[0]) * (sensor_gain(i) * p[0] - seen[0]);
    deficit_noise(i) = gain_noise * std::abs(p[0]);
    const double off =
        sensor_gain(i) < 0.3 ? sensor_gain(i) - 0.3 : std::max(0.0, sensor_gain(i) - 1.1);
    const double e = off / (0.1 + gain_noise);
    sum += std::min(most_square, e * e), count += 0.2;
  }
}

namespace {

/// The mistakes that there may be, one at a time, on top of a wiring.
class Candidates {
 public:
  Candidates(const Model& model, ContactMisfit& misfit, const Wiring& wiring)
      : misfit_(misfit), wiring_(wiring), names_(model.velocity_names()), n_(int(names_.size())) {}

  std::vector<ContactMistake> all() {
    add_units();
    for (int i = 0; i < n_; ++i) {
      add_signs(i);
      add_scales(i);
      for (int k = 0; k < i; ++k) add_exchanges(k, i);
    }
    return std::move(list_);
  }

 private:
  template <class Change>
  void add(std::string name, std::vector<int> joints, std::string text, Change change) {
    Wiring w = wiring_;
    change(w);
    const double misfit = misfit_(w);
    list_.push_back({std::move(name), std::move(joints), std::move(text), std::move(w), misfit});
  }
  std::string joint(int i) const { return "'" + names_[std::size_t(i)] + "'"; }

  void add_units() {
    static constexpr double degree = std::numbers::pi / 180.0;
    add("degrees", {}, "positions and velocities are in degrees, not in radians",
        [](Wiring& w) { w.position *= degree, w.velocity *= degree; });
    add("degrees", {}, "positions are in degrees, not in radians",
        [](Wiring& w) { w.position *= degree; });
    add("degrees", {}, "velocities are in degrees per second, not in radians",
        [](Wiring& w) { w.velocity *= degree; });
  }

  void add_signs(int i) {
    const auto at = Eigen::Index(i);
    const auto sign = [&](const char* what, auto change) {
      add("sign", {i}, message("joint ", joint(i), ": ", what), change);
    };
    sign("the position counts in the wrong direction", [at](Wiring& w) { w.position(at) *= -1.0; });
    sign("the velocity counts in the wrong direction", [at](Wiring& w) { w.velocity(at) *= -1.0; });
    sign("the measured torque counts in the wrong direction",
         [at](Wiring& w) { w.torque(at) *= -1.0; });
    sign("the commanded torque acts in the wrong direction",
         [at](Wiring& w) { w.drive(at) *= -1.0; });
    sign("position and velocity count in the wrong direction",
         [at](Wiring& w) { w.position(at) *= -1.0, w.velocity(at) *= -1.0; });
    sign("torques, commanded and measured, act in the wrong direction",
         [at](Wiring& w) { w.torque(at) *= -1.0, w.drive(at) *= -1.0; });
    sign("all of it counts in the wrong direction", [at](Wiring& w) {
      for (Vector* x : {&w.position, &w.velocity, &w.torque, &w.drive}) (*x)(at) *= -1.0;
    });
  }

  void add_exchanges(int i, int k) {
    const auto exchange = [&](const char* what, bool reading, bool command) {
      add("joints-exchanged", {i, k},
          message("joints ", joint(i), " and ", joint(k), " are exchanged", what), [=](Wiring& w) {
            if (reading) std::swap(w.reading[std::size_t(i)], w.reading[std::size_t(k)]);
            if (command) std::swap(w.command[std::size_t(i)], w.command[std::size_t(k)]);
          });
    };
    exchange("", true, true);
    exchange(" in what is read", true, false);
    exchange(" in what is commanded", false, true);
  }

  /// Factors, each the one that fits best.
  void add_scales(int i) {
    const auto at = Eigen::Index(i);
    const auto gear = [at](Wiring& w, double r) {
      w.position(at) /= r, w.velocity(at) /= r, w.torque(at) *= r, w.drive(at) /= r;
    };
    const auto constant = [at](Wiring& w, double r) { w.torque(at) *= r, w.drive(at) /= r; };
    const double g = best_factor(gear), c = best_factor(constant);
    add("gear-ratio", {i},
        message("joint ", joint(i), ": the gear ratio that the robot counts with is ", 1.0 / g,
                " times the true one"),
        [&](Wiring& w) { gear(w, g); });
    add("torque-constant", {i},
        message("joint ", joint(i), ": torques are ", c,
                " times what is commanded, and measured accordingly"),
        [&](Wiring& w) { constant(w, c); });
  }

  template <class Change>
  double best_factor(const Change& change) {
    const auto misfit = [&](double log_r) {
      Wiring w = wiring_;
      change(w, std::exp(log_r));
      return misfit_(w);
    };
    constexpr double most = 2.3, step = 0.1;  // factors of up to 10
    double best = 0.0, least = misfit(0.0);
    for (double x = -most; x <= most; x += step)
      if (const double m = misfit(x); m < least) least = m, best = x;
    for (double h = 0.5 * step; h > 1e-3; h *= 0.5)
      for (const double x : {best - h, best + h})
        if (const double m = misfit(x); m < least) least = m, best = x;
    return std::exp(best);
  }

  ContactMisfit& misfit_;
  Wiring wiring_;
  std::vector<std::string> names_;
  int n_;
  std::vector<ContactMistake> list_;
};

}  // namespace

std::vector<ContactMistake> find_mistakes(const Model& model, ContactMisfit& misfit,
                                          Wiring& wiring) {
  constexpr int most = 4;
  constexpr double fits = 1.0, much_better = 0.7, as_good = 1.15;
  std::vector<ContactMistake> found;
  double before = misfit(wiring);
  while (before > fits && int(found.size()) < most) {
    std::vector<ContactMistake> all = Candidates(model, misfit, wiring).all();
    const auto best = std::ranges::min_element(all, {}, &ContactMistake::misfit);
    if (best->misfit > much_better * before) break;
    // what explains it as well, of another kind, is said
    ContactMistake mistake = *best;
    for (const ContactMistake& other : all)
      if (other.name != mistake.name && other.joints == mistake.joints &&
          other.misfit < as_good * mistake.misfit)
        mistake.text += "; or: " + other.text.substr(other.text.find(": ") + 2);
    wiring = mistake.wiring, before = mistake.misfit;
    found.push_back(std::move(mistake));
  }
  (void)misfit(wiring);
  return found;
}

}  // namespace ulna::drive
