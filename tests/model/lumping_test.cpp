#include <gtest/gtest.h>

#include <numbers>

#include "support/random_model.hpp"

namespace ulna::test {
namespace {

/// Mass, centre of mass and inertia about it, of links that stay where they are.
struct Sum {
  double mass = 0.0;
  Vec3<double> com = Vec3<double>::Zero();
  Mat3<double> inertia = Mat3<double>::Zero();
};

/// Steiner's theorem written out, link by link.
Sum sum_of(const std::vector<std::pair<Transform<double>, Inertial>>& placed) {
  Sum s;
  for (const auto& [X, body] : placed) s.mass += body.mass, s.com += body.mass * (X * body.com);
  s.com /= s.mass;
  for (const auto& [X, body] : placed) {
    const Mat3<double>& R = X.rotation().matrix();
    const Vec3<double> d = X * body.com - s.com;
    s.inertia += R * body.inertia * R.transpose() +
                 body.mass * (d.squaredNorm() * Mat3<double>::Identity() - d * d.transpose());
  }
  return s;
}

TEST(Lumping, a_body_is_the_sum_of_its_links_where_their_frames_put_them) {
  for_each_model([](const Model& model, Random&) {
    std::vector<std::vector<std::pair<Transform<double>, Inertial>>> links(
        static_cast<std::size_t>(model.body_count()));
    for (const LinkDescription& l : model.description().links) {
      const Frame& f = model.frame(l.name);
      links[static_cast<std::size_t>(f.body)].emplace_back(f.X_BF, *l.inertial);
    }
    for (std::size_t b = 0; b < links.size(); ++b) {
      SCOPED_TRACE("body " + std::to_string(b) + " of " + std::to_string(links[b].size()) +
                   " links");
      const Sum expected = sum_of(links[b]);
      const Inertia<double>& I = model.inertias()[b];
      expect_close(I.mass(), expected.mass, 1e-14);
      expect_close(I.com(), expected.com, 1e-13);
      expect_close(I.rotational_about_com(), expected.inertia, 1e-13);
    }
  });
}

TEST(Lumping, a_body_of_one_link_keeps_its_figures_to_the_last_bit) {
  for_each_model(
      [](const Model& model, Random&) {
        for (int b = 0; b < model.body_count(); ++b)
          for (const LinkDescription& l : model.description().links)
            if (l.name == model.body_name(b)) {
              const auto& lumped = model.inertias()[static_cast<std::size_t>(b)].parameters();
              EXPECT_EQ(lumped, l.inertial->in_link_frame().parameters());
            }
      },
      {.fixed = 0.0});
}

TEST(Lumping, neither_mass_nor_its_first_moment_is_lost_wherever_the_robot_is) {
  for_each_model([](const Model& model, Random& random) {
    const Eigen::VectorXd q = random_q(model, random);
    const Poses poses = described_poses(model, q);
    Inertia<double> links, bodies;
    for (const LinkDescription& l : model.description().links)
      links += poses.at(l.name) * l.inertial->in_link_frame();
    for (int b = 0; b < model.body_count(); ++b)
      bodies +=
          poses.find(model.body_name(b))->second * model.inertias()[static_cast<std::size_t>(b)];
    expect_close(bodies, links, 1e-13);
  });
}

TEST(Lumping, links_without_an_inertial_weigh_nothing) {
  const Inertial ball(solid_sphere(0.1).with_mass(2.0));
  const Model model = Builder()
                          .link("base")
                          .link("arm")
                          .link("hand", ball)
                          .link("marker")
                          .joint("turn", JointType::revolute, "base", "arm")
                          .joint("wrist", JointType::fixed, "arm", "hand", Pose({0.5, 0.0, 0.0}))
                          .joint("glue", JointType::fixed, "hand", "marker", Pose({0.0, 0.1, 0.0}))
                          .build();
  EXPECT_EQ(model.inertias()[0].parameters(), Inertia<double>().parameters());
  EXPECT_EQ(model.inertias()[1].mass(), 2.0);
  expect_close(model.inertias()[1].com(), Vec3<double>(0.5, 0.0, 0.0), 1e-15);
  expect_close(model.inertias()[1].rotational()(2, 2), 2.0 * (0.4 * 0.01 + 0.25), 1e-15);
}

// --- frames ---

TEST(Frames, of_links_and_named_ones_stand_where_the_description_puts_them) {
  const double quarter = std::numbers::pi / 2;
  const Model model =
      Builder()
          .link("base")
          .link("plate")
          .link("arm", Inertial(solid_sphere(0.1).with_mass(1.0)))
          .joint("mount", JointType::fixed, "base", "plate", Pose({1, 0, 0}, {0, 0, quarter}))
          .joint("turn", JointType::revolute, "plate", "arm", Pose({1, 0, 0}))
          .frame("mark", "plate", Pose({0, 0, 2}, {0, 0, quarter}))
          .frame("tip", "arm", Pose({0, 3, 0}))
          .build();
  EXPECT_EQ(model.frame("plate").body, 0);
  EXPECT_EQ(model.frame("mark").body, 0);
  EXPECT_EQ(model.frame("arm").body, 1);
  EXPECT_EQ(model.frame("tip").body, 1);
  expect_close(model.frame("plate").X_BF.translation(), Vec3<double>(1, 0, 0), 1e-15);
  expect_close(model.frame("plate").X_BF.rotation(), Rotation<double>::about_z(quarter), 1e-15);
  expect_close(model.frame("mark").X_BF.translation(), Vec3<double>(1, 0, 2), 1e-15);
  expect_close(model.frame("mark").X_BF.rotation(), Rotation<double>::about_z(2 * quarter), 1e-15);
  EXPECT_EQ(model.frame("arm").X_BF.matrix(), Mat4<double>::Identity());
  EXPECT_EQ(model.frame("tip").X_BF.translation(), Vec3<double>(0, 3, 0));
}

TEST(Frames, of_bodies_are_the_frames_of_their_own_links) {
  for_each_model([](const Model& model, Random&) {
    for (int b = 0; b < model.body_count(); ++b) {
      const Frame& f = model.frame(model.body_name(b));
      EXPECT_EQ(f.body, b);
      EXPECT_EQ(f.X_BF.matrix(), Mat4<double>::Identity());
    }
  });
}

}  // namespace
}  // namespace ulna::test
