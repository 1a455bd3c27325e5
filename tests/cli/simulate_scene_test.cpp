#include "cli.hpp"

using namespace ulna::test;

namespace {

constexpr const char* yard = R"(ulna: scene
name: yard
materials:
  rubber: {friction: 0.9, restitution: 0.2}
ground: rubber
bodies:
  - {name: crate, shape: box, size: [0.2, 0.2, 0.2], mass: 2, xyz: [0, 0, 0.3]}
  - {name: ball, shape: sphere, radius: 0.1, mass: 1, xyz: [0, 1, 0.2], material: rubber}
)";

RunResult simulate_scene(std::vector<std::string> arguments, const std::string& folder = "/") {
  arguments.insert(arguments.begin(), "simulate");
  return run_cli(arguments, {.folder = folder});
}

TEST(SimulateScene, reports_objects_contacts_and_energy_by_its_causes) {
  const Folder folder;
  folder.write("yard.yaml", yard);
  const RunResult r = simulate_scene({"yard.yaml", "--duration", "1"}, folder.path());
  EXPECT_EQ(r.status, 0) << r.err;
  for (const char* word : {"yard: 1 s in steps of 0.001 s", "crate", "19.620", "lost in impacts",
                           "lost in friction", "Coulomb's law kept to"})
    EXPECT_TRUE(has(r.out, word));
  EXPECT_LE(widest_line(r.out), 80u);
}

TEST(SimulateScene, writes_a_log_with_contact_forces_and_a_drawing) {
  const Folder folder;
  folder.write("yard.yaml", yard);
  const RunResult r = simulate_scene({"yard.yaml", "--duration", "0.5", "--period", "0.01", "-o",
                                      "log.csv", "--plot", "p.svg", "--picture", "scene.svg"},
                                     folder.path());
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(begins(read_file(folder.path("log.csv")), "t,crate.qw,"));
  EXPECT_TRUE(has(read_file(folder.path("log.csv")), "ball.fz"));
  EXPECT_TRUE(has(read_file(folder.path("p.svg")), "contact force"));
  const std::string picture = read_file(folder.path("scene.svg"));
  EXPECT_TRUE(has(picture, "yard, 0.5 s"));
  EXPECT_TRUE(has(picture, "url(#tip)"));  // of a contact force
}

TEST(SimulateScene, a_drawing_of_some_of_many_objects_says_so) {
  const Folder folder;
  const auto balls = [&](int count) {
    std::string text = "ulna: scene\nground: {}\nbodies:\n";
    for (int i = 0; i < count; ++i)
      text += "  - {name: ball" + std::to_string(i) + ", shape: sphere, radius: 0.1, mass: 1, " +
              "xyz: [" + std::to_string(i) + ", 0, 0.2]}\n";
    return text;
  };
  folder.write("few.yaml", balls(12));
  folder.write("many.yaml", balls(15));
  const auto drawn = [&](const char* scene) {
    return simulate_scene({scene, "--duration", "0.01", "--plot", "p.svg", "--force"},
                          folder.path());
  };
  const RunResult few = drawn("few.yaml");
  EXPECT_EQ(few.status, 0) << few.err;
  EXPECT_TRUE(lacks(few.err + read_file(folder.path("p.svg")), "the first 12"));
  const RunResult many = drawn("many.yaml");
  EXPECT_EQ(many.status, 0) << many.err;
  EXPECT_TRUE(has(many.err, "the first 12 of 15 objects"));
  EXPECT_TRUE(has(read_file(folder.path("p.svg")), "the first 12 of 15 objects"));
}

TEST(SimulateScene, prints_json_that_lists_every_contact) {
  const Folder folder;
  folder.write("yard.yaml", yard);
  const RunResult r = simulate_scene({"yard.yaml", "--duration", "1", "--json"}, folder.path());
  EXPECT_EQ(r.status, 0) << r.err;
  const auto document = nlohmann::json::parse(r.out);
  EXPECT_EQ(document["scene"], "yard");
  EXPECT_EQ(document["contacts"].size(), 5u);
  // 2 kg
  EXPECT_NEAR(document["objects"][1]["contact_force"][2].get<double>(), 19.62, 1e-6);
}

TEST(SimulateScene, a_quadruped_stands_on_the_ground_by_pd) {
  const RunResult r =
      simulate_scene({"quadruped", "--ground", "--torque", "pd", "--duration", "2"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.out, "294.300"));
}

TEST(SimulateScene, adaptive_steps_end_at_events) {
  const Folder folder;
  const std::string ball =
      "ulna: scene\nmaterials:\n  stone: {friction: 0.5, restitution: 0.5}\n"
      "ground: stone\nbodies:\n"
      "  - {name: ball, shape: sphere, radius: 0.1, mass: 1, xyz: [0, 0, 0.6], material: stone}\n";
  folder.write("ball.yaml", ball);
  const RunResult r =
      simulate_scene({"ball.yaml", "--integrator", "adaptive", "--duration", "0.5"}, folder.path());
  if (has(r.err, "without SUNDIALS")) GTEST_SKIP() << r.err;
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.out, "adaptive steps to 1e-08 between 1 event")) << r.out;
  std::string soft = ball;
  soft.replace(soft.find("restitution: 0.5"), 16, "stiffness: 10000");
  folder.write("soft.yaml", soft);
  const RunResult refused =
      simulate_scene({"soft.yaml", "--integrator", "adaptive"}, folder.path());
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(has(refused.err, "gives way")) << refused.err;
  EXPECT_EQ(simulate_scene({"ball.yaml", "--integrator", "rk4"}, folder.path()).status, 2);
}

TEST(SimulateScene, refuses_bad_scenes_with_file_and_line) {
  const Folder folder;
  std::string bad = yard;
  bad.replace(bad.find("friction: 0.9"), 13, "friction: -1");
  folder.write("bad.yaml", bad);
  const RunResult r = simulate_scene({"bad.yaml"}, folder.path());
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(has(r.err, "bad.yaml:4"));
  EXPECT_EQ(simulate_scene({"panda", "--friction", "0.5"}).status, 2);
  EXPECT_EQ(simulate_scene({"panda", "--picture", "p.svg"}).status, 2);
  EXPECT_EQ(simulate_scene({"panda", "--ground", "--follow", "x.csv"}).status, 2);
}

TEST(SimulateScene, may_come_from_standard_input_or_a_file_of_any_name) {
  const Folder folder;
  folder.write("yard.txt", yard);
  const json named =
      document(simulate_scene({"yard.txt", "--duration", "0.1", "--json"}, folder.path()),
               "ulna.simulate/1");
  const RunResult piped =
      run_cli({"simulate", "-", "--duration", "0.1", "--json"}, {.input = yard});
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_EQ(document(piped, "ulna.simulate/1")["objects"], named["objects"]);
  EXPECT_EQ(json::parse(piped.out)["file"], "<stdin>");
}

TEST(SimulateScene, losses_are_positive_as_those_of_a_robot_alone) {
  const Folder folder;
  folder.write("yard.yaml", yard);
  const RunResult r = simulate_scene({"yard.yaml", "--duration", "1"}, folder.path());
  const std::size_t at = r.out.find("lost in impacts");
  ASSERT_NE(at, r.out.npos) << r.out;
  // the crate falls 0.2 m, the ball 0.1 m
  EXPECT_GT(std::stod(r.out.substr(at + 15)), 4.0) << r.out;
}

TEST(SimulateScene, robots_have_the_names_that_it_gives_them) {
  const Folder folder;
  folder.write("two.yaml",
               "ulna: scene\nrobots:\n  - {robot: pendulum, name: left}\n"
               "  - {robot: pendulum, name: right, xyz: [0, 1, 0]}\n");
  const json d =
      document(simulate_scene({"two.yaml", "--duration", "0.01", "--json"}, folder.path()),
               "ulna.simulate/1");
  EXPECT_EQ(d["objects"][0]["name"], "left");
  EXPECT_EQ(d["objects"][1]["name"], "right");
}

TEST(SimulateScene, a_period_has_a_whole_number_of_steps) {
  const Folder folder;
  folder.write("yard.yaml", yard);
  const json d = document(simulate_scene({"yard.yaml", "--duration", "0.1", "--period", "0.0025",
                                          "-o", "log.csv", "--json"},
                                         folder.path()),
                          "ulna.simulate/1");
  EXPECT_NEAR(d["step"].get<double>(), 0.0025 / 3, 1e-12);
  EXPECT_EQ(d["samples"], 41);
  const std::string log = read_file(folder.path("log.csv"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 42);
}

TEST(SimulateScene, a_robot_whose_legs_are_given_is_set_down_too) {
  const RunResult stands = simulate_scene({"quadruped", "--ground", "--q", "FL_knee_joint=-1",
                                           "--torque", "pd", "--duration", "0.01", "--json"});
  EXPECT_EQ(stands.status, 0) << stands.err;
  EXPECT_EQ(stands.err.find("inside"), std::string::npos) << stands.err;
}

TEST(SimulateScene, a_word_that_begins_like_scene_is_none) {
  for (const char* word : {"scenes", "scenery"})
    EXPECT_EQ(
        run_cli({"simulate", "-"}, {.input = std::string("ulna: ") + word + "\nground: true\n"})
            .status,
        3)
        << word;
}

TEST(SimulateScene, a_state_is_where_the_robot_on_the_ground_begins) {
  const std::string state = R"({"q": {"floating_base_z": 3}})";
  const RunResult r = run_cli(
      {"simulate", "quadruped", "-", "--ground", "--duration", "0.01", "--json"}, {.input = state});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NEAR(document(r, "ulna.simulate/1")["objects"][1]["q"][6].get<double>(), 3.0, 0.01);
  const RunResult pushed =
      run_cli({"simulate", "quadruped", "-", "--ground", "--duration", "0.01"},
              {.input = R"({"wrenches": [{"frame": "trunk", "force": [1, 0, 0]}]})"});
  EXPECT_EQ(pushed.status, 3);
  EXPECT_TRUE(has(pushed.err, "wrenches"));
}

TEST(SimulateScene, joint_friction_may_be_left_out_on_the_ground) {
  const std::vector<std::string> line{"simulate",        "quadruped",  "--ground", "--qd",
                                      "FL_knee_joint=2", "--duration", "0.02",     "--json"};
  std::vector<std::string> without = line;
  without.push_back("--no-friction");
  const json some = document(run_cli(line), "ulna.simulate/1"),
             none = document(run_cli(without), "ulna.simulate/1");
  EXPECT_GT(
      some["energy"]["damping"].get<double>() + some["energy"]["joint_friction"].get<double>(),
      0.0);
  EXPECT_EQ(none["energy"]["damping"], 0.0);
  EXPECT_EQ(none["energy"]["joint_friction"], 0.0);
}

TEST(SimulateScene, lasts_no_longer_than_any_simulation) {
  const Folder folder;
  folder.write("yard.yaml", yard);
  for (const char* duration : {"1e300", "3601", "1e19"}) {
    EXPECT_EQ(simulate_scene({"yard.yaml", "--duration", duration}, folder.path()).status, 2);
    EXPECT_EQ(simulate_scene({"quadruped", "--ground", "--duration", duration}).status, 2);
  }
  EXPECT_EQ(simulate_scene({"yard.yaml", "--step", "1e-300"}, folder.path()).status, 2);
  EXPECT_EQ(simulate_scene({"yard.yaml", "--duration", "3000", "--period", "1e-4", "-o", "x.csv"},
                           folder.path())
                .status,
            2);
}

TEST(SimulateScene, is_not_overwritten_and_its_result_not_lost_with_a_file) {
  const Folder folder;
  folder.write("yard.yaml", yard);
  const RunResult over =
      simulate_scene({"yard.yaml", "--duration", "0.01", "-o", "yard.yaml", "-f"}, folder.path());
  EXPECT_EQ(over.status, 2);
  EXPECT_EQ(read_file(folder.path("yard.yaml")), yard);
  const RunResult full = simulate_scene(
      {"yard.yaml", "--duration", "0.01", "--picture", "/dev/full", "--json"}, folder.path());
  EXPECT_EQ(full.status, 3);
  const json d = document(full, "ulna.simulate/1");
  EXPECT_TRUE(d.contains("error"));
  EXPECT_EQ(d["samples"], 11);
}

TEST(SimulateScene, options_without_effect_are_refused) {
  const Folder folder;
  folder.write("yard.yaml", yard);
  folder.write("state.json", "{}");
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"state.json"},
                                             {"--ground"},
                                             {"--q", "0"},
                                             {"--gravity", "0,0,0"},
                                             {"--no-friction"},
                                             {"--open-loops"},
                                             {"--no-limits"},
                                             {"--floating-base"},
                                             {"--strict"},
                                             {"--bandwidth", "3"},
                                             {"--torque", "pd"},
                                             {"--seed", "2"}}) {
    std::vector<std::string> line{"yard.yaml", "--duration", "0.01"};
    line.insert(line.end(), more.begin(), more.end());
    const RunResult r = simulate_scene(line, folder.path());
    EXPECT_EQ(r.status, 2) << more[0];
    EXPECT_TRUE(has(r.err, "has no effect")) << more[0];
  }
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--no-limits"}, {"--open-loops"}, {"--bandwidth", "3"}, {"--step", "0.1"}}) {
    std::vector<std::string> line{"quadruped", "--ground", "--duration", "0.01"};
    line.insert(line.end(), more.begin(), more.end());
    EXPECT_TRUE(has(simulate_scene(line).err, "has no effect")) << more[0];
  }
}

TEST(OtherFiles, are_named_with_the_verb_that_takes_them) {
  const Folder folder;
  folder.write("yard.yaml", yard);
  folder.write("trial.yaml", "robot: pendulum\nduration: 1\n");
  for (const char* verb : {"info", "check", "mpc", "excite", "id"}) {
    const RunResult r = run_cli({verb, "yard.yaml"}, {.folder = folder.path()});
    EXPECT_EQ(r.status, std::string(verb) == "check" ? 1 : 3);
    EXPECT_TRUE(has(r.out + r.err, "yard.yaml:1: error: this is a scene, not a robot"));
    EXPECT_TRUE(has(r.out + r.err, "ulna simulate"));
    EXPECT_TRUE(lacks(r.out + r.err, "key-unknown"));
  }
  for (const char* verb : {"info", "check", "simulate", "excite", "id"}) {
    const RunResult r = run_cli({verb, "trial.yaml"}, {.folder = folder.path()});
    EXPECT_TRUE(has(r.out + r.err, "trial.yaml:1: error: this is a scenario, not a robot"));
    EXPECT_TRUE(has(r.out + r.err, "ulna mpc"));
  }
}

TEST(SimulateScene, a_step_longer_than_the_period_is_said_to_be) {
  const Folder folder;
  folder.write("yard.yaml", yard);
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--step", "0.01", "--period", "0.001"}, {"--step", "0.2"}}) {
    std::vector<std::string> line{"yard.yaml", "--duration", "0.1"};
    line.insert(line.end(), more.begin(), more.end());
    const RunResult r = simulate_scene(line, folder.path());
    EXPECT_EQ(r.status, 2);
    EXPECT_TRUE(has(r.err, "--step has no effect if it is longer than"));
  }
  folder.write("slow.yaml", std::string(yard) + "step: 0.01\n");
  const RunResult r =
      simulate_scene({"slow.yaml", "--duration", "0.1", "--period", "0.001"}, folder.path());
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(has(r.err, "steps are shortened from 0.01 s to --period, 0.001 s"));
}

TEST(SimulateScene, the_log_and_the_document_of_one_robot_are_read_by_other_verbs) {
  const Folder folder;
  folder.write(
      "one.yaml",
      "ulna: scene\nground: true\nrobots:\n  - {robot: panda, name: arm, torque: gravity, q: "
      "[0, 0.3, 0, -1.5, 0, 1.8, 0], qd: [0.5, 0.3, 0.2, 0.4, -0.3, 0.3, 0.2]}\n");
  for (const std::vector<std::string>& what : std::vector<std::vector<std::string>>{
           {"one.yaml"},
           {"panda", "--ground", "--torque", "gravity", "--q", "0,0.3,0,-1.5,0,1.8,0", "--qd",
            "0.5,0.3,0.2,0.4,-0.3,0.3,0.2"}}) {
    std::vector<std::string> line = what;
    line.insert(line.end(), {"--duration", "0.5", "-o", "log.csv", "-f", "--json"});
    const RunResult r = simulate_scene(line, folder.path());
    ASSERT_EQ(r.status, 0) << r.err;
    const json d = document(r, "ulna.simulate/1");
    EXPECT_EQ(d["robot"].value("name", ""), "panda");
    // torques of the log are those of its motion
    const RunResult id = run_cli({"id", "panda", "log.csv", "--json"}, {.folder = folder.path()});
    ASSERT_EQ(id.status, 0) << id.err;
    const json torques = document(id, "ulna.id/1")["rows"];
    std::istringstream log(read_file(folder.path("log.csv")));
    std::string row;
    std::getline(log, row);
    EXPECT_TRUE(begins(row, "t,q_panda_joint1,"));
    ASSERT_EQ(torques.size(), 501u);
    for (std::size_t k = 0; k < 500; ++k) {
      std::getline(log, row);
      std::vector<double> numbers;
      std::istringstream cells(row);
      for (std::string cell; std::getline(cells, cell, ',');) numbers.push_back(std::stod(cell));
      for (std::size_t i = 0; i < 7; ++i)
        EXPECT_NEAR(torques[k][1 + i].get<double>(), numbers.at(22 + i), 2e-3) << k;
    }
    const RunResult identified =
        run_cli({"identify", "panda", "log.csv", "--json"}, {.folder = folder.path()});
    EXPECT_LE(identified.status, 1) << identified.err;
    EXPECT_LT(document(identified, "ulna.identify/1")["fit"].value("total_percent", 100.0), 1.0);
    const json there =
        document(run_cli({"fk", "panda", "-", "--json"}, {.input = r.out}), "ulna.fk/1");
    EXPECT_EQ(there["q"], d["q"]);
  }
}

TEST(SimulateScene, a_robot_that_touches_nothing_is_said_to) {
  const Folder folder;
  folder.write("bare.urdf", Sample{}.urdf());
  folder.write("bare.yaml", "ulna: scene\nground: true\nrobots:\n  - robot: bare.urdf\n");
  const RunResult ground = simulate_scene(
                      {"bare.urdf", "--floating-base", "--ground", "--duration", "0.01", "--json"},
                      folder.path()),
                  scene =
                      simulate_scene({"bare.yaml", "--duration", "0.01", "--json"}, folder.path());
  for (const RunResult& r : {ground, scene}) {
    EXPECT_TRUE(has(r.err, "has no collision shapes"));
    EXPECT_EQ(document(r, "ulna.simulate/1")["diagnostics"][0].value("rule", ""),
              "robot-shapeless");
  }
  EXPECT_TRUE(has(scene.err, "bare.yaml:4"));
  EXPECT_TRUE(lacks(simulate_scene({"quadruped", "--ground", "--duration", "0.01"}).err, "shapes"));
}

TEST(SimulateScene, angles_in_degrees_are_warned_of) {
  const Folder folder;
  const auto warned = [&](const std::string& robot, const std::string& q) {
    folder.write("s.yaml", "ulna: scene\nrobots:\n  - {robot: " + robot + ", q: " + q + "}\n");
    return simulate_scene({"s.yaml", "--duration", "0.001"}, folder.path()).err;
  };
  EXPECT_TRUE(has(warned("panda", "{panda_joint1: 90}"), "s.yaml:3"));
  EXPECT_TRUE(has(warned("panda", "{panda_joint1: 90}"), "degrees?"));
  EXPECT_TRUE(has(warned("panda", "{panda_joint4: 0.5}"), "beyond -3.0718 to -0.0698"));
  EXPECT_TRUE(has(warned("double_pendulum", "[90, 0]"), "degrees?"));
  EXPECT_TRUE(lacks(warned("double_pendulum", "[3, 0]"), "warning"));
}

TEST(SimulateScene, remedies_name_the_page_of_scenes) {
  const Folder folder;
  for (const char* wrong : {"bodies: 3\n", "xyzzy: 1\n", "bodies:\n  - {shape: disc, mass: 1}\n"}) {
    folder.write("s.yaml", std::string("ulna: scene\n") + wrong);
    const RunResult r = simulate_scene({"s.yaml"}, folder.path());
    EXPECT_EQ(r.status, 3);
    EXPECT_TRUE(has(r.err, "docs/contact.md"));
    EXPECT_TRUE(lacks(r.err, "docs/formats.md"));
  }
}

TEST(SimulateScene, without_its_first_line_it_is_recognised) {
  const Folder folder;
  const std::string all = yard;
  folder.write("s.yaml", all.substr(all.find('\n') + 1));
  for (const char* verb : {"simulate", "info", "check"}) {
    const RunResult r = run_cli({verb, "s.yaml"}, {.folder = folder.path()});
    EXPECT_NE(r.status, 0);
    EXPECT_TRUE(has(r.out + r.err, "the line 'ulna: scene' is missing"));
    EXPECT_TRUE(lacks(r.out + r.err, "joints"));
  }
  folder.write("s.yaml", "ulna: scnee\n" + all.substr(all.find('\n') + 1));
  EXPECT_TRUE(has(simulate_scene({"s.yaml"}, folder.path()).err, "did you mean 'scene'?"));
}

}  // namespace
