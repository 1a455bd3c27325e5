#include "ulna/constraints/loops.hpp"

#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"

// Joints that close loops: rows, forces and what they change with.
namespace ulna::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr JointType kinds[] = {JointType::ball, JointType::revolute, JointType::prismatic,
                               JointType::planar, JointType::fixed};

/// Between two bodies of a robot, and closed at q.
LoopDescription loop_closed_at(const Model& model, const VectorXd& q, JointType kind, int first,
                               int second, Random& random) {
  Kinematics<double> at(model);
  at.set(q);
  LoopDescription d;
  d.name = "shut", d.type = kind;
  d.link1 = model.body_name(first), d.link2 = model.body_name(second);
  d.axis = Vec3<double>{random.real(), random.real(), random.real()}.normalized();
  const auto X_1J =
      Transform<double>::exp(Twist<double>::from_vector(random_twist<double>(random).vector()));
  d.origin1 = Pose(X_1J);
  d.origin2 = Pose(at.pose(model.frame(d.link2)).inverse() * at.pose(model.frame(d.link1)) * X_1J);
  return d;
}

TEST(Loops, slopes_are_those_of_gaps_torques_and_rates) {
  RandomModelOptions trees;
  trees.joints = 9;
  int held = 0;
  for_each_robot(
      [&](const Model& model, Random& random) {
        for (const JointType kind : kinds) {
          SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
          const VectorXd closed = random_q(model, random);
          const int last = model.body_count() - 1;
          std::optional<Loops> loops;
          try {
            loops.emplace(model,
                          std::vector{loop_closed_at(model, closed, kind, last - 3, last, random),
                                      loop_closed_at(model, closed, kind, 0, last, random)},
                          closed);
          } catch (const std::invalid_argument& e) {
            // few degrees of freedom between the two, and many rows
            EXPECT_NE(std::string(e.what()).find("cannot move"), std::string::npos) << e.what();
            continue;
          }
          ++held;
          const VectorXd q = random_q(model, random), v = random_v(model, random);
          VectorXd lambda(loops->size());
          for (double& x : lambda) x = random.real();
          loops->set(q);
          const MatrixXd J = loops->J();
          MatrixXd torque(model.nv(), model.nv()), rate(loops->size(), model.nv());
          loops->torque_slope(lambda, torque), loops->rate_slope(v, rate);
          const auto along = [&](int k, auto f) {
            return five_point_derivative([&](double by) {
              loops->set(integrate(model, q, by * VectorXd::Unit(model.nv(), k)));
              return VectorXd(f());
            });
          };
          for (int k = 0; k < model.nv(); ++k) {
            expect_close(VectorXd(J.col(k)), along(k, [&] { return loops->gap(); }), 1e-9);
            expect_close(VectorXd(torque.col(k)),
                         along(k, [&] { return VectorXd(loops->J().transpose() * lambda); }), 1e-9);
            expect_close(VectorXd(rate.col(k)), along(k, [&] { return VectorXd(loops->J() * v); }),
                         1e-9);
          }
        }
      },
      4, trees);
  EXPECT_GE(held, 30);  // of 40
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

// A parallelogram that lies flat: there its two rows are one.
TEST(Loops, find_a_dead_centre) {
  const Inertial rod = solid_cylinder(0.01, 0.3).with_mass(1.0);
  const Vec3<double> y = Vec3<double>::UnitY();
  const Model model =
      Builder("parallelogram")
          .link("ground")
          .link("left", rod)
          .link("top", rod)
          .link("right", rod)
          .joint("a", JointType::continuous, "ground", "left", {}, y)
          .joint("b", JointType::continuous, "left", "top", Pose({0.2, 0, 0}), y)
          .joint("c", JointType::continuous, "ground", "right", Pose({0.5, 0, 0}), y)
          .build();
  const Loops loops(model,
                    {{.name = "pin",
                      .type = JointType::ball,
                      .link1 = "top",
                      .link2 = "right",
                      .origin1 = Pose({0.5, 0, 0}),
                      .origin2 = Pose({0.2, 0, 0})}},
                    neutral(model));
  EXPECT_EQ(loops.size(), 2);
  EXPECT_THROW(loops.require_closed(VectorXd::Zero(3), VectorXd::Zero(3), 1e-9),
               std::invalid_argument);
  EXPECT_NO_THROW(loops.require_closed(VectorXd{{0.3, -0.3, 0.3}}, VectorXd::Zero(3), 1e-9));
}

}  // namespace
}  // namespace ulna::test
