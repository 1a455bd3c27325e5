#include "drive/contact_search.hpp"

#include <cmath>
#include <numbers>

#include "num/message.hpp"

namespace ulna::drive {

using Vector = Eigen::VectorXd;
using messages::message;
using rig::Wiring;

namespace {

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
    : q(model.nv()),
      gravity(model.nv()),
      holding(model.nv()),
      response(model.nv(), model.nv()),
      mass(response),
      data_(data),
      plant_(model),
      at_(model),
      ws_(model),
      gravity_scale_(largest_gravity(model, plant_, ws_)) {}

double ContactMisfit::operator()(const Wiring& w) {
  const Eigen::Index n = q.size();
  constexpr double share_of_response = 0.15, share_of_gravity = 0.03, share_of_rate = 0.1;
  double sum = 0.0, count = 0.0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const int from = w.reading[std::size_t(i)];
    q(i) = w.position(i) * data_.q(from);
    holding(i) = w.torque(i) * data_.tau(from);
    for (Eigen::Index k = 0; k < n; ++k)
      response(i, k) = w.velocity(i) * data_.response(from, w.command[std::size_t(k)]) * w.drive(k);
    // velocities are the rates of positions
    const double rate = w.position(i) / w.velocity(i) * data_.rate_ratio(from) - 1.0;
    sum += std::min(100.0, rate * rate / (share_of_rate * share_of_rate)), count += 0.2;
  }
  at_.set(q);
  mass_matrix<double>(plant_, at_, ws_, mass);
  gravity_torque<double>(plant_, at_, ws_, gravity);
  // accelerations times inertia are the torques, joint by joint; light joints count as heavy ones
  const Vector scale = mass.diagonal().cwiseSqrt();
  const Eigen::MatrixXd torques =
      scale.cwiseInverse().asDiagonal() * mass * response * scale.asDiagonal();
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index k = 0; k < n; ++k) {
      const double e = (torques(i, k) - (i == k ? 1.0 : 0.0)) / share_of_response;
      sum += std::min(100.0, e * e), count += i == k ? 1.0 : 0.1;
    }
  if (data_.has_torques) {
    for (Eigen::Index i = 0; i < n; ++i) {
      const double friction = data_.friction(w.command[std::size_t(i)]) / std::abs(w.drive(i));
      const double e =
          (holding(i) - gravity(i)) / (share_of_gravity * gravity_scale_ + friction + 1e-3);
      sum += std::min(100.0, e * e), count += 1.0;
      // a sensor sees a torque in its direction, and not more than it
      const double gain = w.torque(i) *
                          data_.sensed(w.reading[std::size_t(i)], w.command[std::size_t(i)]) *
                          w.drive(i);
      const double off = gain < 0.1 ? gain - 0.1 : std::max(0.0, gain - 1.0);
      sum += std::min(100.0, off * off / 0.01), count += 0.2;
    }
  }
  return std::sqrt(sum / count);
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
