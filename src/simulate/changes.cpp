#include "ulna/simulate/changes.hpp"

#include <algorithm>

#include "num/message.hpp"
#include "ulna/num/random.hpp"

namespace ulna {

using messages::require;

void add_payload(Plant<double>& plant, const Frame& at, const Inertia<double>& payload) {
  const Model& model = plant.model();
  require(at.body >= 0 && at.body < model.body_count(),
          "payload: the frame belongs to another robot");
  require(payload.parameters().allFinite(), "payload: its inertia is not finite");
  const auto X_CB = Transform<double>::from_rotation(model.joint(at.body).R_BC.inverse());
  const Inertia<double> sum = plant.canonical_inertia(at.body) + X_CB * at.X_BF * payload;
  plant.set_body(at.body, Plant<double>::Body(sum));
}

void remove_payload(Plant<double>& plant, const Frame& at, const Inertia<double>& payload) {
  add_payload(plant, at, -1.0 * payload);
}

void scale_friction(Plant<double>& plant, const Plant<double>& usual, double factor) {
  require(factor >= 0.0 && std::isfinite(factor), "friction times ", factor,
          ": the factor must be 0 or more");
  plant.damping = factor * usual.damping;
  plant.friction = factor * usual.friction;
  plant.friction_negative = factor * usual.friction_negative;
  plant.drives.damping = factor * usual.drives.damping;
  plant.drives.friction = factor * usual.drives.friction;
  plant.drives.friction_negative = factor * usual.drives.friction_negative;
}

void change_at_random(Plant<double>& plant, const RandomChange& by, std::uint64_t seed) {
  for (const auto& [what, share] :
       {std::pair{"inertias", by.inertia}, {"friction", by.friction}, {"armature", by.armature}})
    require(share >= 0.0 && share < 1.0, "random change of ", what, ": ", share,
            " is not from 0 to below 1");
  std::mt19937_64 random(seed);
  const auto factor = [&](double share) { return 1.0 + share * (2.0 * uniform(random) - 1.0); };
  for (int b = 1; b < plant.model().body_count(); ++b) {
    const auto X_BC = Transform<double>::from_rotation(plant.model().joint(b).R_BC);
    const Inertia<double> body = X_BC * plant.canonical_inertia(b);
    const double mass = body.mass() * factor(by.inertia);
    Vec3<double> com = body.com();
    for (int i = 0; i < 3; ++i) com(i) *= factor(by.inertia);
    // Σ = ∫ r r' dm about the centre of mass has the same axes as I = tr(Σ) 1 - Σ
    const Principal<double> principal = principal_axes(body);
    const Vec3<double> I = principal.moments;
    Vec3<double> sigma = (0.5 * I.sum() - I.array()).matrix();
    for (int i = 0; i < 3; ++i) sigma(i) *= factor(by.inertia);
    const Mat3<double> R = principal.axes.matrix();
    const Vec3<double> moments = (sigma.sum() - sigma.array()).matrix();
    const Inertia<double> changed =
        Inertia<double>::about_com(mass, com, R * moments.asDiagonal() * R.transpose());
    plant.set_body(b, Plant<double>::Body(X_BC.inverse() * changed));
  }
  for (Eigen::Index i = 0; i < plant.model().nv(); ++i) {
    plant.damping(i) *= factor(by.friction);
    plant.friction(i) *= factor(by.friction);
    plant.friction_negative(i) *= factor(by.friction);
    plant.armature(i) *= factor(by.armature);
  }
}

void Schedule::at(double time, Change change) {
  during(time, time, [change = std::move(change)](Plant<double>& plant, double) { change(plant); });
}

void Schedule::during(double begin, double end, Drift drift) {
  require(std::isfinite(begin) && std::isfinite(end) && begin <= end, "schedule: from ", begin,
          " s to ", end, " s is not an interval");
  const auto after = std::ranges::upper_bound(entries_, begin, {}, &Entry::begin);
  entries_.insert(after, {begin, end, std::move(drift)});
}

int Schedule::apply(Simulation& simulation) {
  return apply(simulation.time(), [&](const Change& change) { simulation.change(change); });
}

int Schedule::apply(double time, const std::function<void(const Change&)>& edit) {
  // a moment that rounding puts just before its time is in time
  const double now = time + 1e-9;
  int made = 0;
  for (Entry& e : entries_) {
    if (e.begin > now) break;
    if (e.done) continue;
    e.done = now >= e.end;
    const double share = e.done ? 1.0 : std::max(0.0, (now - e.begin) / (e.end - e.begin));
    edit([&](Plant<double>& plant) { e.drift(plant, share); });
    ++made;
  }
  return made;
}

void Schedule::rewind() {
  for (Entry& e : entries_) e.done = false;
}

}  // namespace ulna
