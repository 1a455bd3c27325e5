#include "ulna/view/viewer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "support/allocations.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/configuration.hpp"
#include "view/web_client.hpp"

// What a program shows is what pages get, and costs the program next to nothing.
namespace ulna::test {
namespace {

using namespace view;
using Eigen::VectorXd;

struct Shown {
  explicit Shown(const std::string& name = "panda", ViewerOptions options = {})
      : model(load_robot(name).model), viewer(model, options), port(port_of(viewer.url())) {}
  VectorXd at(double x) const { return VectorXd::Constant(model.nq(), x); }
  Model model;
  Viewer viewer;
  int port;
};

TEST(Viewer, greets_a_page_with_what_it_shows) {
  Shown shown("panda", {.title = "my arm"});
  Page page(shown.port);
  const Json hello = Json::parse(page.next()->bytes);
  EXPECT_EQ(hello["type"], "hello");
  EXPECT_EQ(hello["version"], stream_version);
  EXPECT_EQ(hello["title"], "my arm");
  EXPECT_GE(hello["robots"].size(), 29u);
  EXPECT_EQ(page.wait_for("scene")["robots"][0]["name"], "panda");
}

TEST(Viewer, a_state_that_is_shown_arrives_also_at_pages_that_come_later) {
  Shown shown;
  Page early(shown.port);
  ASSERT_TRUE(soon([&] { return shown.viewer.clients() == 1; }));
  EXPECT_TRUE(shown.viewer.show(0.25, shown.at(0.5)));
  Page late(shown.port);
  for (Page* page : {&early, &late}) {
    const auto state = page->wait_for(1);
    ASSERT_TRUE(state);
    EXPECT_EQ(state->number<double>(4), 0.25);
    EXPECT_EQ(state->number<float>(12), 0.5f);
  }
}

TEST(Viewer, the_newest_state_wins_and_arrives) {
  Shown shown;
  Page page(shown.port);
  ASSERT_TRUE(soon([&] { return shown.viewer.clients() == 1; }));
  for (int k = 1; k <= 20'000; ++k) shown.viewer.show(k, shown.at(1e-4 * k));
  double time = 0.0, count = 0.0;
  while (time < 20'000.0) {
    const auto state = page.wait_for(1);
    ASSERT_TRUE(state);
    EXPECT_GT(state->number<double>(4), time) << "in order";
    time = state->number<double>(4), ++count;
    EXPECT_EQ(state->number<float>(12), float(1e-4 * time)) << "whole";
  }
  EXPECT_LT(count, 2000.0);
}

TEST(Viewer, what_cannot_be_shown_is_refused) {
  Shown shown;
  EXPECT_FALSE(shown.viewer.show(0.0, VectorXd::Zero(6)));
  EXPECT_FALSE(shown.viewer.show(0.0, shown.at(std::nan(""))));
  EXPECT_FALSE(shown.viewer.show(std::nan(""), shown.at(0.0)));
  EXPECT_FALSE(shown.viewer.show(1, 0.0, shown.at(0.0)));
  EXPECT_FALSE(shown.viewer.show(-1, 0.0, shown.at(0.0)));
  EXPECT_FALSE(shown.viewer.plot(0.0, shown.at(0.0)));
  EXPECT_FALSE(shown.viewer.draw(0.0, std::vector<Arrow>(2000)));
  EXPECT_FALSE(
      shown.viewer.draw_trail(0, 0.0, std::vector<Vec3<double>>{Vec3<double>::Constant(infinity)}));
}

TEST(Viewer, robots_that_cannot_be_shown_are_refused) {
  const Model model = load_robot("panda").model;
  EXPECT_THROW(Viewer(Cast{}), std::invalid_argument);
  EXPECT_THROW(Viewer(Cast(300, {model})), std::invalid_argument);
  EXPECT_THROW(Viewer(Cast{{.model = model, .q = VectorXd::Zero(3)}}), std::invalid_argument);
}

TEST(Viewer, show_returns_in_microseconds_and_allocates_nothing_while_a_page_is_stuck) {
  Shown shown;
  Page stuck(shown.port, "", 4096);
  ASSERT_TRUE(soon([&] { return shown.viewer.clients() == 1; }));
  VectorXd q = shown.at(0.0);
  std::vector<double> us;
  us.reserve(3000);
  for (int k = 0; k < 3000; ++k) {
    q(0) = 1e-3 * k;
    const auto begin = Clock::now();
    shown.viewer.show(k, q);
    us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    if (k % 3 == 0) std::this_thread::sleep_for(200us);
  }
  std::ranges::sort(us);
  EXPECT_LT(us[us.size() / 2], 20.0);
  EXPECT_LT(us[us.size() * 9 / 10], 100.0);
}

#if COUNTS_ALLOCATIONS
TEST(Viewer, show_plot_and_draw_allocate_nothing) {
  const Model model = load_robot("panda").model;
  Viewer viewer(model, {.channels = {{"torque", "Nm", series_of_joints(model)}}});
  const VectorXd q = VectorXd::Zero(7);
  const Arrow arrow{};
  const long before = allocations;
  for (int k = 0; k < 100; ++k) {
    viewer.show(k, q), viewer.plot(k, q), viewer.draw(k, {&arrow, 1});
    viewer.draw_trail(0, k, {&arrow.point, 1});
  }
  EXPECT_EQ(allocations - before, 0);
}
#endif

TEST(Viewer, tracks_that_are_kept_go_to_every_page) {
  Shown shown;
  Page early(shown.port);
  ASSERT_TRUE(soon([&] { return shown.viewer.clients() == 1; }));
  for (const Message& m :
       track_messages(0, shown.model, Eigen::Vector2d(0.0, 1.0), Eigen::MatrixXd::Zero(7, 2)))
    shown.viewer.keep(m);
  Page late(shown.port);
  EXPECT_TRUE(early.wait_for(5));
  EXPECT_TRUE(late.wait_for(5));
}

TEST(Viewer, other_robots_replace_those_before) {
  Shown shown;
  Page page(shown.port);
  page.wait_for("scene");
  const Model pendulum = load_robot("pendulum").model;
  shown.viewer.set_robots({{pendulum}, {.model = pendulum, .ghost = true}});
  const Json scene = page.wait_for("scene");
  EXPECT_EQ(scene["robots"].size(), 2u);
  EXPECT_EQ(scene["robots"][1]["ghost"], true);
  EXPECT_TRUE(shown.viewer.show(1, 0.0, VectorXd::Ones(1)));
  const auto state = page.wait_for(1);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->bytes.size(), 16u);
  EXPECT_EQ(
      page.ask({{"type", "pose"}, {"robot", 1}, {"q", {0.5}}}, "pose")["gravity_torque"].size(),
      1u);
}

TEST(Viewer, a_page_with_a_robot_of_its_own_sees_no_more_of_the_programs) {
  Shown shown;
  Page page(shown.port);
  page.wait_for("scene");
  EXPECT_EQ(page.ask({{"type", "robot"}, {"name", "pendulum"}}, "scene")["robots"][0]["name"],
            "pendulum");
  shown.viewer.show(1.0, shown.at(0.1));
  EXPECT_FALSE(page.wait_for(1, 100ms));
}

TEST(Viewer, of_many_poses_that_wait_the_last_is_answered) {
  Shown shown;
  Page page(shown.port);
  page.wait_for("scene");
  page.send({{"type", "simulate"}, {"q", std::vector<double>(7, 0.1)}, {"seconds", 20.0}});
  for (int i = 1; i <= 50; ++i)
    page.send({{"type", "pose"}, {"q", std::vector<double>(7, 0.01 * i)}, {"request", i}});
  int answers = 0;
  for (Json answer; answer["request"] != 50; ++answers) {
    answer = page.wait_for("pose", 20s);
    ASSERT_FALSE(answer.is_null());
  }
  EXPECT_LT(answers, 50);
}

TEST(Viewer, garbage_is_answered_by_errors_and_the_page_lives_on) {
  Shown shown("panda", {.server = {.messages_per_second = 1e6}});
  Page page(shown.port);
  page.wait_for("scene");
  std::mt19937_64 random(11);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char& c : bytes) c = "{}[]\",:0a\\ "[random() % 11];
    page.send_frame(1, bytes);
  }
  EXPECT_EQ(page.wait_for("error")["request"], nullptr);
  EXPECT_TRUE(soon([&] {
    return !page.ask({{"type", "pose"}, {"q", std::vector<double>(7, 0.1)}}, "pose").is_null();
  }));
}

TEST(Viewer, requests_longer_than_a_megabyte_are_files_or_refused) {
  Shown shown;
  Page page(shown.port);
  page.wait_for("scene");
  const std::string large(1'500'000, ' ');
  const Json refused = page.ask({{"type", "pose"}, {"q", large}}, "error");
  EXPECT_NE(std::string(refused["message"]).find("1 MiB"), std::string::npos);
  const std::string urdf = to_urdf(load_robot("pendulum").model) + large;
  EXPECT_EQ(
      page.ask({{"type", "check"}, {"name", "r.urdf"}, {"text", urdf}}, "scene")["robots"].size(),
      1u);
}

TEST(Viewer, ends_at_once_though_it_simulates) {
  const auto begin = [] {
    Shown shown;
    Page page(shown.port);
    page.wait_for("scene");
    page.send({{"type", "simulate"}, {"q", std::vector<double>(7, 0.1)}, {"seconds", 120.0}});
    std::this_thread::sleep_for(50ms);
    return Clock::now();
  }();
  EXPECT_LT(Clock::now() - begin, 500ms);
}

TEST(Viewer, twenty_pages_see_the_same) {
  Shown shown;
  std::vector<Page> pages;
  for (int i = 0; i < 20; ++i) pages.emplace_back(shown.port);
  ASSERT_TRUE(soon([&] { return shown.viewer.clients() == 20; }));
  shown.viewer.show(7.0, shown.at(0.5));
  for (Page& page : pages) {
    const auto state = page.wait_for(1);
    ASSERT_TRUE(state);
    EXPECT_EQ(state->number<double>(4), 7.0);
  }
}

}  // namespace
}  // namespace ulna::test
