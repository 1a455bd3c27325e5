#include "cli.hpp"

using namespace ulna::test;

namespace {

constexpr const char* escape = "\x1b[";

TEST(Output, has_no_colours_when_it_is_not_a_terminal) {
  EXPECT_TRUE(lacks(run_cli({"info", "panda"}).out, escape));
}

TEST(Output, has_colours_on_a_terminal) {
  const RunResult r = run_cli({"info", "panda"}, {.terminal = true});
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(has(r.out, escape));
}

TEST(Output, has_no_colours_on_a_terminal_that_wants_none) {
  for (const auto& [name, value] : {std::pair{"NO_COLOR", "1"}, {"TERM", "dumb"}})
    EXPECT_TRUE(lacks(
        run_cli({"info", "panda"}, {.environment = {{name, value}}, .terminal = true}).out, escape))
        << name;
  EXPECT_TRUE(lacks(run_cli({"info", "--color=never", "panda"}, {.terminal = true}).out, escape));
}

TEST(Output, an_empty_NO_COLOR_means_nothing) {
  EXPECT_TRUE(
      has(run_cli({"info", "panda"}, {.environment = {{"NO_COLOR", ""}}, .terminal = true}).out,
          escape));
}

TEST(Output, the_option_color_overrides_everything) {
  const RunOptions none{.environment = {{"NO_COLOR", "1"}}};
  for (const char* verb : {"info", "tree", "check"})
    EXPECT_TRUE(has(run_cli({verb, "--color", "always", "panda"}, none).out, escape)) << verb;
}

TEST(Output, json_never_has_colours) {
  const RunResult r = run_cli({"info", "--json", "--color", "always", "panda"}, {.terminal = true});
  EXPECT_TRUE(lacks(r.out, escape));
}

TEST(Output, is_plain_ascii_unless_the_locale_is_utf8) {
  const auto is_ascii = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
  };
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"info", "pendulum"}, {"info", "scara"}, {"tree", "fourbar"}}) {
    EXPECT_FALSE(is_ascii(run_cli(line).out));
    EXPECT_TRUE(is_ascii(run_cli(line, {.environment = {{"LC_ALL", "C"}}}).out));
    EXPECT_TRUE(is_ascii(run_cli(line, {.environment = {{"LC_ALL", ""}}}).out));
    EXPECT_FALSE(
        is_ascii(run_cli(line, {.environment = {{"LC_ALL", ""}, {"LANG", "de_DE.UTF-8"}}}).out));
  }
}

TEST(Output, a_full_disk_is_a_failure) {
  for (const std::vector<std::string>& line :
       std::vector<std::vector<std::string>>{{"robots"},
                                             {"robots", "panda"},
                                             {"info", "panda"},
                                             {"info", "--json", "panda"},
                                             {"tree", "panda"},
                                             {"check", "panda"},
                                             {"convert", "panda", "-"},
                                             {"help"},
                                             {"--version"}}) {
    const RunResult r = run_cli(line, {.output = "/dev/full"});
    EXPECT_GE(r.status, 3) << testing::PrintToString(line);
    EXPECT_TRUE(has(r.err, "cannot write to standard output"));
  }
}

TEST(Output, a_closed_standard_output_is_a_failure) {
  const RunResult r = run_cli({"info", "panda"}, {.output = "closed"});
  EXPECT_GE(r.status, 3);
  EXPECT_TRUE(has(r.err, "cannot write to standard output"));
}

TEST(Output, a_file_is_written_well_though_standard_output_is_closed) {
  const Folder folder;
  EXPECT_EQ(run_cli({"convert", "panda", folder.path("p.urdf")}, {.output = "closed"}).status, 0);
  EXPECT_EQ(run_cli({"check", folder.path("p.urdf")}).status, 0);
}

TEST(Output, a_reader_that_leaves_is_no_failure) {
  for (const std::vector<std::string>& line :
       std::vector<std::vector<std::string>>{{"robots"},
                                             {"info", "chain:3000"},
                                             {"info", "--json", "chain:3000"},
                                             {"check", "panda"}}) {
    const RunResult r = run_cli(line, {.read_at_most = 1});
    EXPECT_EQ(r.signal, 0);
    EXPECT_EQ(r.status, 0) << testing::PrintToString(line);
    EXPECT_EQ(r.err, "");
  }
}

TEST(Output, a_reader_that_leaves_before_the_first_byte_is_no_failure) {
  const Folder folder;
  std::string table = "t,q1,q2,qd1,qd2,qdd1,qdd2,tau1,tau2\n";
  for (int i = 0; i < 5000; ++i) table += std::to_string(i) + ",0.1,0,0,0,0,0,0,0\n";
  const std::string file = folder.write("t.csv", table);
  for (const char* verb : {"fk", "id", "fd", "terms"})
    for (const bool as_json : {false, true}) {
      std::vector<std::string> line{verb, "double_pendulum", file};
      if (verb == std::string("fk")) line.insert(line.end(), {"--frame", "upper"});
      if (as_json) line.emplace_back("--json");
      const RunResult r = run_cli(line, {.read_at_most = 0});
      EXPECT_EQ(r.status, 0) << testing::PrintToString(line) << r.err;
    }
}

TEST(Output, names_with_terminal_escapes_are_shown_harmless) {
  // U+202E turns the direction of writing; the others clear the screen and ring the bell
  const std::string robot =
      Sample{.base_name = "a\xe2\x80\xae&#x9b;2J", .robot = "<xacro:property/>"}.urdf();
  for (const char* verb : {"check", "info", "tree"}) {
    const RunResult r = run_cli({verb, "-"}, {.input = robot});
    EXPECT_TRUE(lacks(r.out + r.err, "\xe2\x80\xae")) << verb;
    EXPECT_TRUE(lacks(r.out + r.err, "\xc2\x9b")) << verb;
  }
  EXPECT_TRUE(has(run_cli({"tree", "-"}, {.input = robot}).out, "a\\u202e\\u009b2J"));
  EXPECT_EQ(document(run_cli({"tree", "--json", "-"}, {.input = robot}),
                     "ulna.tree/1")["links"][0]["name"],
            "a\xe2\x80\xae\xc2\x9b"
            "2J");
}

TEST(Output, names_that_are_not_utf8_break_nothing) {
  const std::string robot = Sample{.base_name = "gr\xfcn"}.urdf();
  for (const char* verb : {"check", "info", "tree"}) {
    const RunResult r = run_cli({verb, "--json", "-"}, {.input = robot});
    EXPECT_LE(r.status, 1) << verb;
    EXPECT_TRUE(document(r, std::string("ulna.") + verb + "/1").is_object());
    EXPECT_LE(run_cli({verb, "-"}, {.input = robot}).status, 1) << verb;
  }
}

TEST(Output, a_refusal_is_a_json_document_when_json_is_asked_for) {
  for (const char* verb : {"info", "tree"}) {
    const RunResult r = run_cli({verb, "--json", "-"}, {.input = wrong_urdf()});
    EXPECT_EQ(r.status, 3);
    EXPECT_EQ(r.err, "");
    const json d = document(r, std::string("ulna.") + verb + "/1");
    EXPECT_TRUE(has(d["error"].get<std::string>(), "number-invalid"));
    EXPECT_EQ(d["diagnostics"][0]["rule"], "number-invalid");
  }
}

TEST(Output, a_refusal_is_reported_on_standard_error_with_its_remedy) {
  const Folder folder;
  folder.write("wrong.urdf", wrong_urdf());
  const RunResult r = run_cli({"info", "wrong.urdf"}, {.folder = folder.path()});
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(begins(r.err, "wrong.urdf:8: error: joint 'elbow'"));
  EXPECT_TRUE(has(r.err, "[number-invalid]\n    write plain decimal numbers"));
}

TEST(Output, what_cannot_be_written_is_refused_before_any_work) {
  const Folder folder;
  const std::string nowhere = folder.path("nowhere/out"), same = folder.path("same");
  const std::string log = folder.write("log.csv", "t,q1,qd1,tau1\n0,0,0,0\n");
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"convert", "panda", nowhere},
           {"count", "chain", "--svg", nowhere},
           {"excite", "panda", "-o", nowhere},
           {"excite", "panda", "--plot", nowhere},
           {"identify", "pendulum", log, "-o", nowhere},
           {"identify", "pendulum", log, "--report", nowhere},
           {"simplify", "puma560", "quintic", "--svg", nowhere},
           {"simplify", "puma560", "quintic", "--html", nowhere},
           {"simulate", "panda", "--duration", "3600", "--period", "0.1", "-o", nowhere},
           {"simulate", "panda", "--duration", "3600", "--plot", nowhere},
           {"mpc", "panda", "--duration", "600", "--report", nowhere}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 3) << testing::PrintToString(line);
    EXPECT_TRUE(has(r.err, "nowhere/out")) << r.err;
    EXPECT_TRUE(has(r.err, "there is no folder")) << r.err;
    EXPECT_LT(r.cpu_seconds, 5.0) << line[0];
  }
  // permissions allow a superuser all of /proc, where no file can be made
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"convert", "panda", "/proc/out"},
           {"codegen", "chain:60", "-o", "/proc"},
           {"codegen", "chain:60", "-o", "/proc/out"},
           {"codegen", "chain:60", "-o", log + "/out"},
           {"count", "chain", "--svg", "/proc/out"},
           {"excite", "panda", "-o", "/proc/out"},
           {"excite", "panda", "--plot", "/proc/out"},
           {"identify", "pendulum", log, "-o", "/proc/out"},
           {"identify", "pendulum", log, "--report", "/proc/out"},
           {"simplify", "puma560", "quintic", "--svg", "/proc/out"},
           {"simplify", "puma560", "quintic", "--html", "/proc/out"},
           {"simulate", "panda", "--duration", "3600", "--period", "0.1", "-o", "/proc/out"},
           {"simulate", "panda", "--duration", "3600", "--plot", "/proc/out"},
           {"simulate", "quadruped", "--ground", "--duration", "3600", "--picture", "/proc/out"},
           {"mpc", "panda", "--duration", "600", "--report", "/proc/out"},
           {"mpc", "panda", "--duration", "600", "--plot", "/proc/out"}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 3) << testing::PrintToString(line);
    EXPECT_TRUE(has(r.err, "cannot write")) << r.err;
    EXPECT_EQ(r.out, "");
    EXPECT_LT(r.cpu_seconds, 5.0) << line[0];
  }
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"excite", "panda", "-o", same, "--plot", same},
           {"simulate", "panda", "-o", same, "--plot", folder.path("./same")},
           {"identify", "pendulum", log, "-o", same, "--report", same}}) {
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 2) << testing::PrintToString(line);
    EXPECT_TRUE(has(r.err, "is named for two outputs")) << r.err;
  }
}

TEST(Output, warnings_are_counted_where_they_are_not_listed) {
  const Folder folder;
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"info"},
           {"tree"},
           {"fk"},
           {"id"},
           {"fd"},
           {"terms"},
           {"id", "--json"},
           {"ik", "--frame", "hand", "--xyz", "0,0,0", "--json"},
           {"simulate", "--duration", "0.01"},
           {"count"},
           {"compare", "--states", "1"},
           {"codegen", "--functions", "M", "-o", folder.path("c")},
           {"mpc", "--duration", "0.1", "--rate", "100"}}) {
    std::vector<std::string> whole = line;
    whole.insert(whole.begin() + 1, "-");
    const RunResult r = run_cli(whole, {.input = doubtful_urdf()});
    EXPECT_LE(r.status, 1) << line[0];
    EXPECT_TRUE(has(r.err, "ulna: 1 warning in <stdin>; ulna check lists them\n")) << line[0];
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

TEST(Output, a_robot_of_20000_links_takes_seconds_and_little_memory) {
  const std::string robot = sanitized ? "chain:2000" : "chain:19999";
  for (const std::vector<std::string>& verb :
       std::vector<std::vector<std::string>>{{"info"},
                                             {"info", "--json"},
                                             {"tree"},
                                             {"tree", "--json"},
                                             {"tree", "--dot"},
                                             {"check"}}) {
    std::vector<std::string> line = verb;
    line.push_back(robot);
    const RunResult r = run_cli(line);
    EXPECT_EQ(r.status, 0) << testing::PrintToString(line);
    EXPECT_LT(r.out.size(), 40'000'000u);
    EXPECT_LT(r.cpu_seconds, 10.0);
    if (!sanitized) {
      EXPECT_LT(r.kilobytes, 600'000);
    }
  }
}

}  // namespace
