#include "view/conversation.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "support/fuzz.hpp"
#include "support/random.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/robot/robot.hpp"

// What a page gets for what it asks.
namespace ulna::test {
namespace {

using namespace view;
using Eigen::VectorXd;

struct Dialogue {
  explicit Dialogue(const std::string& robot, ConversationOptions options = {})
      : model(load_robot(robot).model),
        with(std::make_shared<const Cast>(Cast{{model}}), meshes, options) {}

  std::vector<Json> ask(const Json& request) {
    std::vector<Json> answers;
    for (const Message& m : with.answer(request))
      answers.push_back(m.binary ? Json(int((*m.bytes)[0])) : Json::parse(*m.bytes));
    return answers;
  }
  Json one(const Json& request) {
    const std::vector<Json> answers = ask(request);
    EXPECT_EQ(answers.size(), 1u) << request;
    return answers.empty() ? Json() : answers[0];
  }

  Model model;
  Meshes meshes;
  Conversation with;
};

std::vector<double> numbers(const VectorXd& x) { return {x.data(), x.data() + x.size()}; }

TEST(Conversation, pose_has_the_torques_that_hold_the_robot_there) {
  std::mt19937_64 random(1);
  for (const char* name : {"panda", "humanoid", "planar_cart", "ball_wrist"}) {
    Dialogue page(name);
    const VectorXd q = random_configuration(page.model, random);
    const Json answer = page.one({{"type", "pose"},
                                  {"robot", 0},
                                  {"request", 5},
                                  {"q", numbers(page_coordinates(page.model, q))}});
    EXPECT_EQ(answer["type"], "pose");
    EXPECT_EQ(answer["request"], 5);
    Robot robot(page.model);
    const VectorXd tau = robot.gravity_torque(q);
    ASSERT_EQ(answer["gravity_torque"].size(), std::size_t(tau.size()));
    for (int i = 0; i < tau.size(); ++i)
      EXPECT_NEAR(double(answer["gravity_torque"][std::size_t(i)]), tau(i), 1e-9) << name;
  }
}

TEST(Conversation, a_robot_that_stands_elsewhere_is_asked_and_answers_in_the_world) {
  Dialogue page("panda");
  const Transform<double> X_WR{Rotation<double>::from_rpy(0.0, 0.0, 1.2), {1.0, -2.0, 0.5}};
  Meshes meshes;
  Conversation with(std::make_shared<const Cast>(Cast{{.model = page.model, .X_WR = X_WR}}), meshes,
                    {});
  const auto ask = [&](Json request) { return Json::parse(*with.answer(request).at(0).bytes); };
  const std::vector<double> q{0.3, -0.5, 0.2, -2.0, 0.4, 1.5, 0.7};
  const Json pose{{"type", "pose"}, {"robot", 0}, {"q", q}};
  const Json here = page.one(pose), there = ask(pose);
  EXPECT_EQ(here["gravity_torque"], there["gravity_torque"]) << "it is turned about the vertical";
  const auto com = [](const Json& x) { return Vec3<double>(x[0], x[1], x[2]); };
  EXPECT_LT((com(there["com"]) - X_WR * com(here["com"])).norm(), 1e-12);

  const Transform<double> X_RT{Rotation<double>::from_rpy(3.0, 0.1, 0.4), {0.4, 0.2, 0.5}};
  const auto target = [](const Transform<double>& X) {
    const auto t = X.rotation().quaternion();
    const Vec3<double>& p = X.translation();
    return Json{p.x(), p.y(), p.z(), t.w, t.x, t.y, t.z};
  };
  const auto reach = [&](const Transform<double>& X) {
    return Json{
        {"type", "ik"}, {"robot", 0}, {"frame", "panda_link8"}, {"target", target(X)}, {"q", q}};
  };
  const Json near = page.one(reach(X_RT)), far = ask(reach(X_WR * X_RT));
  EXPECT_EQ(far["reached"], true);
  for (std::size_t i = 0; i < q.size(); ++i)
    EXPECT_NEAR(near["q"][i].get<double>(), far["q"][i].get<double>(), 1e-6);

  // a base that is turned over hangs: gravity is upwards in its frame
  Conversation over(std::make_shared<const Cast>(
                        Cast{{.model = page.model,
                              .X_WR = Transform<double>::from_rotation(
                                  Rotation<double>::from_rpy(std::numbers::pi, 0.0, 0.0))}}),
                    meshes, {});
  const Json hung = Json::parse(*over.answer(pose).at(0).bytes);
  for (std::size_t i = 0; i < q.size(); ++i)
    EXPECT_NEAR(hung["gravity_torque"][i].get<double>(), -here["gravity_torque"][i].get<double>(),
                1e-9);
  EXPECT_EQ(Json::parse(*over.answer({{"type", "simulate"},
                                      {"robot", 0},
                                      {"q", q},
                                      {"seconds", 1},
                                      {"torque", "none"}})
                             .at(0)
                             .bytes)["type"],
            "error");
}

TEST(Conversation, ik_reaches_what_can_be_reached) {
  Dialogue page("panda");
  Robot robot(page.model);
  VectorXd q(7), start(7);
  q << 0.3, -0.4, 0.2, -2.0, 0.1, 1.8, 0.6;
  start << 0.2, -0.3, 0.1, -1.9, 0.2, 1.7, 0.5;
  const Transform<double> X = robot.pose(q, "panda_link8");
  const Json answer = page.one({{"type", "ik"},
                                {"frame", "panda_link8"},
                                {"target", pose_json(X)},
                                {"q", numbers(start)},
                                {"request", 1}});
  EXPECT_EQ(answer["reached"], true);
  EXPECT_LT(double(answer["error_m"]), 1e-5);
  VectorXd found(7);
  for (int i = 0; i < 7; ++i) found(i) = answer["q"][std::size_t(i)];
  EXPECT_LT((robot.pose(found, "panda_link8").matrix() - X.matrix()).norm(), 1e-5);

  const Json far = page.one({{"type", "ik"},
                             {"frame", "panda_link8"},
                             {"position_only", true},
                             {"target", {9.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0}},
                             {"q", numbers(start)}});
  EXPECT_EQ(far["reached"], false);
  EXPECT_GT(double(far["error_m"]), 7.0);
}

TEST(Conversation, a_bad_file_gets_its_diagnostics_and_leaves_the_robot) {
  Dialogue page("panda");
  const std::string text =
      "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\"/>\n"
      "<joint name=\"j\" type=\"revolut\"><parent link=\"a\"/>"
      "<child link=\"b\"/></joint>\n</robot>";
  const Json answer =
      page.one({{"type", "check"}, {"name", "bad.urdf"}, {"text", text}, {"request", 2}});
  EXPECT_EQ(answer["type"], "diagnostics");
  EXPECT_EQ(answer["file"], "bad.urdf");
  EXPECT_EQ(answer["errors"], 1);
  EXPECT_EQ(answer["items"][0]["line"], 4);
  EXPECT_EQ(answer["items"][0]["rule"], "joint-type-unknown");
  EXPECT_FALSE(page.with.has_own_robots());
  EXPECT_EQ(page.one({{"type", "pose"}, {"q", numbers(neutral(page.model))}})["type"], "pose");
}

TEST(Conversation, a_good_file_is_shown_and_can_be_asked_about) {
  Dialogue page("panda");
  const std::vector<Json> answers = page.ask(
      {{"type", "check"}, {"name", "good.urdf"}, {"text", to_urdf(load_robot("pendulum").model)}});
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0]["type"], "diagnostics");
  EXPECT_EQ(answers[0]["errors"], 0);
  EXPECT_EQ(answers[1]["type"], "scene");
  EXPECT_EQ(answers[1]["robots"][0]["nq"], 1);
  EXPECT_TRUE(page.with.has_own_robots());
  EXPECT_EQ(page.one({{"type", "pose"}, {"q", {0.5}}})["gravity_torque"].size(), 1u);
}

TEST(Conversation, embedded_robots_are_shown_by_name_and_files_never) {
  Dialogue page("panda");
  const std::vector<Json> answers = page.ask({{"type", "robot"}, {"name", "ur5e"}});
  ASSERT_FALSE(answers.empty());
  EXPECT_EQ(answers[0]["robots"][0]["name"], "ur5e");
  for (const char* name : {"/etc/passwd", "../robots/panda.urdf", "-", "panda.urdf", ""})
    EXPECT_EQ(page.one({{"type", "robot"}, {"name", name}})["type"], "error") << name;
}

TEST(Conversation, a_simulation_is_a_track_with_plots_and_an_end) {
  Dialogue page("double_pendulum");
  const std::vector<Json> answers = page.ask({{"type", "simulate"},
                                              {"robot", 0},
                                              {"q", {1.0, 0.5}},
                                              {"seconds", 1.0},
                                              {"torque", "none"},
                                              {"request", 3}});
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[0]["type"], "channels");
  EXPECT_EQ(answers[0]["groups"].size(), 3u) << "positions, velocities, torques";
  EXPECT_EQ(answers[1], 5);
  EXPECT_EQ(answers[2], 6);
  EXPECT_EQ(answers[3]["type"], "end");
  EXPECT_EQ(answers[3]["request"], 3);
  EXPECT_NEAR(double(answers[3]["seconds"]), 1.0, 1e-9);
}

TEST(Conversation, what_it_may_not_be_asked_has_no_answer) {
  Dialogue page("panda", {.can = {"pose"}});
  EXPECT_TRUE(page.ask({{"type", "robot"}, {"name", "ur5e"}}).empty());
  EXPECT_TRUE(page.ask({{"type", "unheard of"}}).empty());
}

TEST(Conversation, senseless_requests_are_errors_that_say_why) {
  Dialogue page("panda");
  const Json q = numbers(neutral(page.model)), target = {0.5, 0, 0.5, 1, 0, 0, 0};
  const std::vector<std::pair<Json, const char*>> cases = {
      {{{"type", "pose"}}, "'q' is missing"},
      {{{"type", "pose"}, {"q", {1, 2, 3}}}, "not 7 numbers"},
      {{{"type", "pose"}, {"q", "a"}}, "not 7 numbers"},
      {{{"type", "pose"}, {"q", {1, 2, 3, 4, 5, 6, nullptr}}}, "not a number"},
      {{{"type", "pose"}, {"q", q}, {"robot", 1}}, "no robot 1"},
      {{{"type", "pose"}, {"q", q}, {"robot", -1}}, "no robot -1"},
      {{{"type", "pose"}, {"q", q}, {"robot", 0.5}}, "no robot"},
      {{{"type", "pose"}, {"q", q}, {"robot", 1e300}}, "no robot"},
      {{{"type", "ik"}, {"q", q}, {"target", target}}, "'frame' is missing"},
      {{{"type", "ik"}, {"q", q}, {"target", target}, {"frame", "hand"}}, "no frame 'hand'"},
      {{{"type", "ik"}, {"q", q}, {"target", {0, 0, 0, 0, 0, 0, 0}}, {"frame", "panda_link8"}},
       "quaternion"},
      {{{"type", "ik"}, {"q", q}, {"target", target}, {"frame", "panda_link0"}}, ""},
      {{{"type", "simulate"}, {"q", q}, {"seconds", 0}}, "above 0"},
      {{{"type", "simulate"}, {"q", q}, {"seconds", 1e9}}, "up to"},
      {{{"type", "simulate"}, {"q", q}, {"seconds", 1}, {"torque", "rocket"}}, "rocket"},
      {{{"type", "check"}, {"name", "r"}}, "'text' is missing"},
      {{{"type", "robot"}, {"name", 3}}, "'name' is not a text"}};
  for (const auto& [request, why] : cases) {
    const Json answer = page.one(request);
    if (!*why) continue;
    EXPECT_EQ(answer["type"], "error") << request;
    EXPECT_NE(std::string(answer["message"]).find(why), std::string::npos) << answer;
  }
  for (const Json& none : {Json(), Json(3), Json::array(), Json::object(), Json{{"type", 3}}})
    EXPECT_EQ(page.one(none)["type"], "error");
}

TEST(Conversation, a_request_is_an_object_that_is_not_nested_deeply) {
  EXPECT_TRUE(Conversation::parse("{\"type\": \"pose\"}").is_object());
  for (const char* text : {"", "[]", "3", "{", "{\"a\": nan}", "\xff", "{\"a\": 1} x"})
    EXPECT_TRUE(Conversation::parse(text).is_null()) << text;
  const std::string deep(2'000'000, '[');
  EXPECT_TRUE(Conversation::parse(deep).is_null());
  const Json nested =
      Conversation::parse("{\"a\": " + std::string(1000, '[') + std::string(1000, ']') + "}");
  EXPECT_LT(nested.dump().size(), 100u);
}

TEST(Conversation, random_requests_have_an_answer_or_none_and_do_no_harm) {
  Dialogue page("double_pendulum", {.longest_ik = 0.001, .longest_simulation = 0.001});
  std::mt19937_64 random(9);
  const char* types[] = {"check", "robot", "pose", "ik", "simulate", "live", "x"};
  const char* names[] = {"name",  "text",   "q",     "v",       "seconds",      "torque",
                         "frame", "target", "robot", "request", "position_only"};
  const Json values[] = {nullptr,
                         true,
                         -1,
                         0,
                         1,
                         1e308,
                         "pd",
                         "panda",
                         "<robot/>",
                         "link2",
                         Json::array(),
                         {1.0, 0.5},
                         {1e200, -1e200},
                         {0, 0, 0, 1, 0, 0, 0},
                         Json::object()};
  for (long i = 0; i < fuzz_cases(5000); ++i) {
    Json request{{"type", types[random() % std::size(types)]}};
    for (int k = int(random() % 8); k > 0; --k)
      request[names[random() % std::size(names)]] = values[random() % std::size(values)];
    // as it comes, or damaged on its way
    std::string text = request.dump();
    for (auto k = random() % 2 * (random() % 4); k > 0; --k)
      text[random() % text.size()] = char(random() % 128);
    for (const Message& answer : page.with.answer(Conversation::parse(text))) {
      if (answer.binary) continue;
      EXPECT_TRUE(Json::parse(*answer.bytes).is_object()) << text;
    }
  }
}

}  // namespace
}  // namespace ulna::test
