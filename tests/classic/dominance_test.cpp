#include "ulna/classic/dominance.hpp"

#include "support/classic.hpp"
#include "ulna/io/import.hpp"
#include "ulna/num/counted.hpp"

namespace ulna::test {
namespace {

using namespace classic;

/// From one random configuration to another and back to rest, by a polynomial of fifth order.
SetPoints motion(const Model& model, Random& random, int count = 31, double seconds = 1.5) {
  const Eigen::VectorXd from = random_q(model, random), to = random_q(model, random);
  SetPoints p;
  p.t.resize(count);
  p.q.resize(model.nv(), count), p.v = p.q, p.a = p.q;
  for (int k = 0; k < count; ++k) {
    const double s = static_cast<double>(k) / (count - 1);
    p.t(k) = s * seconds;
    p.q.col(k) = from + (to - from) * (s * s * s * (10 - 15 * s + 6 * s * s));
    p.v.col(k) = (to - from) * (30 * s * s * (1 - s) * (1 - s) / seconds);
    p.a.col(k) = (to - from) * (60 * s * (1 - s) * (1 - 2 * s) / (seconds * seconds));
  }
  return p;
}

DAlembert<double> dalembert(const Model& model) {
  return DAlembert<double>(Chain<double>(Arm<double>(Plant<double>(model))));
}

const std::vector<std::string> robots = {"puma560", "stanford", "panda", "twolink_fu", "scara"};

TEST(Dominance, contributions_add_up_to_the_torque) {
  for (const std::string& robot : robots)
    for_each_seed(
        [&](Random& random) {
          const Model model = load_robot(robot).model;
          const DAlembert<double> arm = dalembert(model);
          const Dominance d(arm, motion(model, random));
          const int n = d.joint_count();
          for (int i = 1; i <= n; ++i) {
            Eigen::VectorXd sum =
                d.centrifugal(i) + d.coriolis(i) + d.value({TermKind::gravity, i, i});
            expect_close(Eigen::VectorXd(d.centrifugal(i) + d.coriolis(i)),
                         Eigen::VectorXd(d.value({TermKind::h_tran, i, i}) +
                                         d.value({TermKind::h_rot, i, i})),
                         1e-12);
            for (int j = 1; j <= n; ++j) {
              const int low = std::min(i, j), high = std::max(i, j);
              sum +=
                  (d.value({TermKind::D_tran, low, high}) + d.value({TermKind::D_rot, low, high}))
                      .cwiseProduct(d.points().a.row(j - 1).transpose());
            }
            expect_close(sum, Eigen::VectorXd(d.torque().row(i - 1).transpose()), 1e-11);
          }
        },
        3);
}

TEST(ReducedModel, of_all_terms_is_the_full_model) {
  for (const std::string& robot : robots) {
    Random random(7);
    const Model model = load_robot(robot).model;
    const DAlembert<double> arm = dalembert(model);
    const SetPoints points = motion(model, random);
    EXPECT_LE(relative_error(arm, KeptTerms::all(model.nv()), points).maxCoeff(), 1e-12) << robot;
  }
}

TEST(ReducedModel, keeps_to_its_tolerance_and_saves_operations) {
  for (const std::string& robot : robots)
    for_each_seed(
        [&](Random& random) {
          SCOPED_TRACE(robot);
          const Model model = load_robot(robot).model;
          const int n = model.nv();
          const DAlembert<double> arm = dalembert(model);
          const Dominance d(arm, motion(model, random));
          int before = 1 << 30;
          for (const double tolerance : {0.0, 0.001, 0.01, 0.1}) {
            const KeptTerms kept = kept_of(d.rank(tolerance), n);
            EXPECT_LE(relative_error(arm, kept, d.points()).maxCoeff(), tolerance + 1e-12);
            EXPECT_LE(kept.count(), before) << "a larger tolerance keeps more";
            before = kept.count();
          }
          const DAlembert<Counted> counted{Chain<Counted>{Arm<Counted>{Plant<Counted>{model}}}};
          const VecX<Counted> x = VecX<Counted>::Constant(n, Counted(0.3));
          const auto cost = [&](const KeptTerms& kept) {
            return count_operations(
                       [&] { (void)reduced_inverse_dynamics<Counted>(counted, kept, x, x, x); })
                .multiplications;
          };
          const auto full =
              count_operations([&] { (void)counted.inverse_dynamics(x, x, x); }).multiplications;
          EXPECT_LE(cost(KeptTerms::all(n)), full) << "the reduced model of all terms costs more";
          EXPECT_LT(cost(kept_of(d.rank(0.1), n)), full);
        },
        3);
}

TEST(Dominance, refuses_trajectories_of_another_arm) {
  const DAlembert<double> arm = dalembert(load_robot("puma560").model);
  Random random(1);
  EXPECT_THROW(Dominance(arm, SetPoints{}), std::invalid_argument);
  EXPECT_THROW(Dominance(arm, motion(load_robot("twolink_fu").model, random)),
               std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
