#include "support/random.hpp"
#include "ulna/identify/estimate/estimate.hpp"
#include "ulna/identify/identify.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/builder.hpp"

// Identification of robots with closed loops.
namespace ulna::identify {
namespace {

/// A motion along the independent coordinates, and its torques.
TorqueData closed_motion(const TorqueModel& model, const Vector& z, int count) {
  const int n = model.model().nv();
  LoopCoordinates at = *model.loops();
  const auto& independent = at.independent();
  TorqueData data;
  data.q.setZero(n, count), data.v = data.a = data.tau = data.q;
  Vector q = neutral(model.model()), v(n), a(n);
  for (int s = 0; s < count; ++s) {
    const double t = 0.02 * s;
    Vector y(Index(independent.size())), rate = y, rate2 = y;
    for (Index k = 0; k < y.size(); ++k) {
      const double w1 = 1.7 + 0.4 * double(k), w2 = 4.3 - 0.7 * double(k), big = 0.35;
      y(k) = big * (std::sin(w1 * t) + 0.5 * std::sin(w2 * t));
      rate(k) = big * (w1 * std::cos(w1 * t) + 0.5 * w2 * std::cos(w2 * t));
      rate2(k) = -big * (w1 * w1 * std::sin(w1 * t) + 0.5 * w2 * w2 * std::sin(w2 * t));
    }
    // to there by Newton's method along N
    for (int round = 0; round < 5; ++round) {
      EXPECT_TRUE(at.loops().close(q));
      at.set(q);
      Vector away(y.size());
      for (Index k = 0; k < y.size(); ++k) away(k) = y(k) - q(independent[k]);
      q += at.N() * away;
    }
    EXPECT_TRUE(at.loops().close(q));
    at.set(q);
    at.move(rate, rate2, v, a);
    data.q.col(s) = q, data.v.col(s) = v, data.a.col(s) = a;
  }
  data.breaks = {0};
  data.x = model.features_of(data.v, data.a, data.tau);
  data.tau = model.torques(z, data.q, data.v, data.a, data.x);
  return data;
}

TEST(IdentificationOfLoops, base_parameters_are_what_torques_of_the_closed_robot_depend_on) {
  for (const char* name : {"fourbar", "fivebar", "delta"}) {
    SCOPED_TRACE(name);
    const TorqueModel model(load_robot(name).model, {Feature::viscous});
    Description tree = model.model().description();
    tree.loops.clear();
    const BaseParameters base = find_base_parameters(model, {}),
                         open = find_base_parameters(
                             TorqueModel(Builder(tree).build(), {Feature::viscous}), {});
    EXPECT_GT(base.size(), 0);
    EXPECT_LT(base.size(), open.size());  // what loops carry is not seen
    // others with the same base parameters need the same torques
    test::Random random(4);
    const Vector z = model.nominal();
    Vector other = z;
    for (const int k : base.dependent) other(k) += random.real(-0.1, 0.1);
    for (const int k : base.idle) other(k) += random.real(-1.0, 1.0);
    other(base.independent) -= base.shares * (other - z)(base.dependent);
    const TorqueData data = closed_motion(model, z, 50);
    EXPECT_GT(data.tau.norm(), 1e-3);
    EXPECT_LT(errors_of(model, other, data).norm(), 1e-6 * data.tau.norm());
  }
}

TEST(IdentificationOfLoops, finds_the_parameters_that_made_the_torques) {
  for (const char* name : {"fourbar", "fivebar"}) {
    SCOPED_TRACE(name);
    const TorqueModel model(load_robot(name).model, {Feature::viscous});
    const BaseParameters base = find_base_parameters(model, {});
    Vector truth = model.nominal();
    for (Index k = 0; k < truth.size(); ++k) truth(k) *= 1.0 + 0.2 * std::sin(double(k));
    const TorqueData data = closed_motion(model, truth, 600);
    // the least squares of what is determined explain the torques, and one equation a sample and drive is all there is
    const Estimate found = estimate(model, base, data, {Method::ols, {}});
    EXPECT_LT(fit_of(model, found.z, data).total_percent, 0.01);
    const Estimate consistent = estimate(model, base, data);
    EXPECT_TRUE(consistent.consistent);
    EXPECT_LT(fit_of(model, consistent.z, data).total_percent, 1.0);
    // and torques of a motion that was not seen
    TorqueData faster = data;
    faster.v *= 1.5, faster.a *= 2.25;
    faster.x = model.features_of(faster.v, faster.a, faster.tau);
    faster.tau = model.torques(truth, faster.q, faster.v, faster.a, faster.x);
    EXPECT_LT(fit_of(model, found.z, faster).total_percent, 0.1);
  }
}

}  // namespace
}  // namespace ulna::identify
