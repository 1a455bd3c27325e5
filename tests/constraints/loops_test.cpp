#include "ulna/constraints/loops.hpp"

#include "support/closed_loops.hpp"
#include "ulna/io/import.hpp"

// Joints that close loops: rows, forces and what they change with.
namespace ulna::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(Loops, slopes_are_those_of_gaps_torques_and_rates) {
  const int held = for_each_looped_robot(
      [](Loops& loops, Random& random) {
        const Model& model = loops.model();
        const VectorXd q = random_q(model, random), v = random_v(model, random);
        VectorXd lambda(loops.size());
        for (double& x : lambda) x = random.real();
        loops.set(q);
        const MatrixXd J = loops.J();
        MatrixXd torque(model.nv(), model.nv()), rate(loops.size(), model.nv());
        loops.torque_slope(lambda, torque), loops.rate_slope(v, rate);
        const auto along = [&](int k, auto f) {
          return five_point_derivative([&](double by) {
            loops.set(integrate(model, q, by * VectorXd::Unit(model.nv(), k)));
            return VectorXd(f());
          });
        };
        for (int k = 0; k < model.nv(); ++k) {
          expect_close(VectorXd(J.col(k)), along(k, [&] { return loops.gap(); }), 1e-9);
          expect_close(VectorXd(torque.col(k)),
                       along(k, [&] { return VectorXd(loops.J().transpose() * lambda); }), 1e-9);
          expect_close(VectorXd(rate.col(k)), along(k, [&] { return VectorXd(loops.J() * v); }),
                       1e-9);
        }
      },
      4);
  EXPECT_GE(held, 30);  // of 40
}

TEST(Loops, rates_and_accelerations_are_those_of_gaps_along_a_motion) {
  const int held = for_each_looped_robot(
      [](Loops& loops, Random& random) {
        const Model& model = loops.model();
        const VectorXd q = random_q(model, random), v = random_v(model, random),
                       a = random_v(model, random);
        const auto along = [&](auto f) {
          return five_point_derivative([&](double t) {
            loops.set(integrate(model, q, t * v + 0.5 * t * t * a), v + t * a);
            return VectorXd(f());
          });
        };
        const VectorXd rate = along([&] { return loops.gap(); }),
                       acceleration = along([&] { return loops.rate(); });
        loops.set(q, v, a);
        expect_close(loops.rate(), rate, 1e-9);
        expect_close(loops.acceleration(), acceleration, 1e-9);
      },
      4);
  EXPECT_GE(held, 30);
}

TEST(Loops, acceleration_slopes_are_those_of_accelerations) {
  const int held = for_each_looped_robot(
      [](Loops& loops, Random& random) {
        const Model& model = loops.model();
        const int n = model.nv();
        const VectorXd q = random_q(model, random), v = random_v(model, random),
                       a = random_v(model, random);
        MatrixXd by_q(loops.size(), n), by_v(loops.size(), n);
        loops.set(q, v, a);
        loops.acceleration_slopes(by_q, by_v);
        for (int k = 0; k < n; ++k) {
          const VectorXd e = VectorXd::Unit(n, k);
          expect_close(VectorXd(by_q.col(k)), five_point_derivative([&](double by) {
                         loops.set(integrate(model, q, by * e), v, a);
                         return VectorXd(loops.acceleration());
                       }),
                       1e-8);
          expect_close(VectorXd(by_v.col(k)), five_point_derivative([&](double by) {
                         loops.set(q, v + by * e, a);
                         return VectorXd(loops.acceleration());
                       }),
                       1e-8);
        }
      },
      3);
  EXPECT_GE(held, 20);
}

// The force of a ball that joins two links is one and the same on both, reversed.
TEST(Loops, forces_are_those_of_a_wrench_and_its_reaction) {
  const Model model = load_robot("quadruped").model;
  Random random(3);
  const VectorXd q = random_q(model, random);
  const LoopDescription d =
      loop_closed_at(model, q, JointType::ball, 3, model.body_count() - 1, random);
  Loops loops(model, {d}, q);
  ASSERT_EQ(loops.size(), 3);
  const Vec3<double> force{1.0, -2.0, 3.0};
  const Frame& first = model.frame(d.link1);
  const Frame on_first{"", first.body, first.X_BF * d.origin1.transform()};
  const Frame& second = model.frame(d.link2);
  const Frame on_second{"", second.body, second.X_BF * d.origin2.transform()};
  Kinematics<double> at(model);
  at.set(q);
  const Vec3<double> in_world = at.pose(on_first).rotation() * force;
  VectorXd expected = VectorXd::Zero(model.nv());
  add_wrench_torque<double>(at, {&on_second, {Vec3<double>::Zero(), in_world}}, expected);
  add_wrench_torque<double>(at, {&on_first, {Vec3<double>::Zero(), -in_world}}, expected);
  expect_close(VectorXd(loops.J().transpose() * force), expected, 1e-12);
}

TEST(Loops, of_a_planar_four_bar_leave_two_rows_and_one_degree_of_freedom) {
  const Model model = load_robot("fourbar").model;
  Loops loops(model, model.description().loops, neutral(model));
  EXPECT_EQ(loops.size(), 2);
  EXPECT_EQ(loops.name(0), "loop 'closure', apart along x");
  EXPECT_EQ(loops.name(1), "loop 'closure', apart along y");
  EXPECT_EQ(loops.ignored(), (std::vector<std::string>{"loop 'closure', apart along z",
                                                       "loop 'closure', turned about x",
                                                       "loop 'closure', turned about y"}));
  // drawn so that it is closed at q = 0
  EXPECT_LT(loops.gap().cwiseAbs().maxCoeff(), 1e-12);
  // wherever the crank is, the rocker is where the circles about crank pin and rocker pivot meet
  for (double crank = -3.0; crank < 3.1; crank += 0.5) {
    VectorXd q = VectorXd::Zero(3);
    q(0) = crank;
    ASSERT_TRUE(loops.close(q));
    Kinematics<double> at(model);
    at.set(q);
    const Vec3<double> B = at.pose(model.frame("coupler")).translation(),
                       C = at.pose(model.frame("rocker")) * Vec3<double>(0.28, 0.0, 0.0);
    EXPECT_NEAR((B - C).norm(), 0.3, 1e-12);
  }
}

TEST(Loops, that_make_no_sense_are_refused_with_a_reason) {
  const Model model = load_robot("fourbar").model;
  const auto message = [&](auto change) {
    LoopDescription d = model.description().loops.front();
    change(d);
    try {
      Loops loops(model, {d}, neutral(model));
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string("nothing was refused");
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_PRED2(has, message([](auto& d) { d.link2 = "rokcer"; }), "rocker");
  EXPECT_PRED2(has, message([](auto& d) { d.link2 = "coupler_point"; }), "one body");
  EXPECT_PRED2(has, message([](auto& d) { d.type = JointType::helical; }), "helical");
  EXPECT_PRED2(has, message([](auto& d) { d.axis.setZero(); }), "no direction");
  EXPECT_PRED2(has, message([](auto& d) { d.type = JointType::planar; }), "do not constrain");
  EXPECT_PRED2(has, message([](auto& d) { d.origin1.xyz(0) = 2.0; }), "stays open by");
  Random random(1);
  EXPECT_PRED2(has, message([&](auto& d) {
                 d = loop_closed_at(model, neutral(model), JointType::fixed, 2, 3, random);
               }),
               "cannot move");

  const Loops loops(model, model.description().loops, neutral(model));
  const auto start = [&](const VectorXd& q, const VectorXd& v) {
    try {
      loops.require_closed(q, v, 1e-6);
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const VectorXd zero = VectorXd::Zero(3);
  EXPECT_EQ(start(zero, zero), "");
  EXPECT_PRED2(has, start(VectorXd{{0.1, 0.0, 0.0}}, zero), "open by");
  EXPECT_PRED2(has, start(zero, VectorXd{{0.1, 0.0, 0.0}}), "opens at");
}

TEST(Loops, find_a_dead_centre) {
  const Model model = flat_parallelogram();
  const Loops loops(model, model.description().loops, neutral(model));
  EXPECT_EQ(loops.size(), 2);
  EXPECT_THROW(loops.require_closed(VectorXd::Zero(3), VectorXd::Zero(3), 1e-9),
               std::invalid_argument);
  EXPECT_NO_THROW(loops.require_closed(VectorXd{{0.3, -0.3, 0.3}}, VectorXd::Zero(3), 1e-9));
}

}  // namespace
}  // namespace ulna::test
