#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <sstream>

#include "support/bad_inputs.hpp"

namespace ulna::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// What became of an input, in words that fit through a pipe.
struct Outcome {
  std::string verdict, rule, line, message, problem;
};

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\t') c = ' ';
  return text;
}

const Diagnostic* expected_one(const Diagnostics& found, const BadInput& input) {
  for (const Diagnostic& d : found.list())
    if (d.rule == input.rule && (input.line == any_line || d.source.line == input.line) &&
        d.str().find(input.says) != std::string::npos)
      return &d;
  return nullptr;
}

/// Why the expectation is not met, or nothing.
std::string judge(const BadInput& input, const Diagnostics& found, const Model* model,
                  Outcome& outcome) {
  const Diagnostic* told = input.rule ? expected_one(found, input) : nullptr;
  outcome.verdict = model ? input.fate == Fate::accepted ? "accepted" : "repaired" : "refused";
  const Diagnostic* first = told ? told : found.list().empty() ? nullptr : &found.list()[0];
  if (first) {
    outcome.rule = first->rule->name, outcome.line = std::to_string(first->source.line);
    outcome.message = one_line(first->seen + (first->assumed.empty() ? "" : "; " + first->assumed));
    if (!first->subject.empty())
      outcome.message = one_line(first->subject) + ": " + outcome.message;
  }
  if ((input.fate == Fate::refused) == (model != nullptr))
    return model ? "is not refused" : "is refused";
  if (input.fate == Fate::accepted && found.count(Severity::error) > 0) return "has errors";
  if (input.rule && !told) {
    std::string all = "no '" + std::string(input.rule->name) + "' on line " +
                      std::to_string(input.line) + " with '" + input.says + "', but:";
    for (const Diagnostic& d : found.list())
      if (all.size() < 800) all += " | " + d.str();
    return one_line(all);
  }
  if (input.fate == Fate::refused && told->severity != Severity::error)
    return "is told as less than an error";
  if (input.fate == Fate::refused && told->remedy.empty()) return "has no remedy";
  if (input.fate == Fate::repaired && told->severity == Severity::warning && told->assumed.empty())
    return "does not say what is assumed";
  if (model && input.holds && !input.holds(*model)) return "the model is not as it should be";
  return {};
}

Outcome outcome_of(const BadInput& input) {
  Outcome outcome;
  const std::string text = input.text();
  bool warned = false;
  try {
    const Imported read = import_robot(text, input.file);
    outcome.problem = judge(input, read.diagnostics, &read.model, outcome);
    if (const Diagnostic* told = input.rule ? expected_one(read.diagnostics, input) : nullptr)
      warned = told->severity == Severity::warning;
  } catch (const ModelError& e) {
    outcome.problem = judge(input, e.diagnostics(), nullptr, outcome);
  }
  if (!warned) return outcome;
  ImportOptions strictly;
  strictly.strict = true;
  try {
    import_robot(text, input.file, strictly);
    outcome.problem = "is not refused strictly";
  } catch (const ModelError& e) {
    if (!expected_one(e.diagnostics(), input))
      outcome.problem = "is refused strictly for another reason";
  }
  return outcome;
}

struct Trial {
  Outcome outcome;
  double seconds = 0.0, megabytes = 0.0;
  bool exited = false;
};

/// In a process of its own: a crash, a hang or a flood of memory is a result like others.
Trial try_apart(const BadInput& input) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(sanitized ? 120 : 20);
    Outcome o;
    try {
      o = outcome_of(input);
    } catch (const std::exception& e) {
      o.problem = std::string("something else was thrown: ") + e.what();
    }
    std::FILE* out = fdopen(ends[1], "w");
    std::fprintf(out, "%s\t%s\t%s\t%.300s\t%.2000s", o.verdict.c_str(), o.rule.c_str(),
                 o.line.c_str(), o.message.c_str(), o.problem.c_str());
    std::fclose(out);
    _exit(0);
  }
  close(ends[1]);
  std::string answer;
  char block[4096];
  for (ssize_t n; (n = read(ends[0], block, sizeof block)) > 0;)
    answer.append(block, static_cast<std::size_t>(n));
  close(ends[0]);
  Trial trial;
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  trial.exited = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  trial.seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  trial.megabytes = static_cast<double>(used.ru_maxrss) / 1024.0;
  std::istringstream fields(answer);
  for (std::string* field : {&trial.outcome.verdict, &trial.outcome.rule, &trial.outcome.line,
                             &trial.outcome.message, &trial.outcome.problem})
    std::getline(fields, *field, '\t');
  return trial;
}

TEST(BadInput, is_refused_or_repaired_with_rule_and_line_in_bounded_time_and_memory) {
  const std::string fifo = testing::TempDir() + "ulna_pipe_" + std::to_string(getpid()) + ".stl";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::vector<BadInput> inputs = bad_inputs(fifo);

  std::string table;
  std::map<std::string, int> verdicts;
  std::pair<double, std::string> slowest, largest;
  for (const BadInput& input : inputs) {
    const std::string name = input.kind + ": " + input.name;
    SCOPED_TRACE(name);
    const Trial trial = try_apart(input);
    const Outcome& o = trial.outcome;
    EXPECT_TRUE(trial.exited) << "the process did not end by itself";
    EXPECT_EQ(o.problem, "");
    if (!sanitized) {
      EXPECT_LT(trial.megabytes, 200.0);
    }
    ++verdicts[o.verdict];
    slowest = std::max(slowest, std::pair{trial.seconds, name});
    largest = std::max(largest, std::pair{trial.megabytes, name});
    char row[400];
    std::snprintf(row, sizeof row, "%-54.54s %-8s %-22s %5s  %.110s\n", name.c_str(),
                  o.verdict.c_str(), o.rule.c_str(), o.line.c_str(), o.message.c_str());
    table += row;
  }
  unlink(fifo.c_str());

  std::printf("%-54s %-8s %-22s %5s  %s\n%s", "case", "verdict", "rule", "line", "message",
              table.c_str());
  std::printf("%zu cases: %d refused, %d repaired, %d accepted\n", inputs.size(),
              verdicts["refused"], verdicts["repaired"], verdicts["accepted"]);
  std::printf("longest: %.2f s CPU (%s); largest: %.0f MB (%s)\n", slowest.first,
              slowest.second.c_str(), largest.first, largest.second.c_str());
}

TEST(BadInput, starts_from_robots_that_are_read_strictly_without_a_word) {
  ImportOptions strictly;
  strictly.strict = true;
  for (const auto& [text, file] :
       {std::pair{good_urdf, "good.urdf"}, {good_table, "good.yaml"}, {good_screws, "good.yaml"}}) {
    const Imported read = import_robot(text, file, strictly);
    for (const Diagnostic& d : read.diagnostics.list()) ADD_FAILURE() << d.str();
  }
}

TEST(BadInput, cut_off_anywhere_is_refused_or_read_but_never_worse) {
  const auto cut = [](std::string_view text, std::string_view file, std::size_t at) {
    try {
      import_robot(text.substr(0, at), std::string(file));
    } catch (const ModelError& e) {
      EXPECT_TRUE(e.diagnostics().has_errors());
    }
  };
  for (std::size_t at = 0; at < good_urdf.size(); ++at) {
    // only what misses nothing but the last line end is whole
    try {
      import_urdf(good_urdf.substr(0, at), "cut.urdf");
      EXPECT_GE(at, good_urdf.size() - 1);
    } catch (const ModelError& e) {
      EXPECT_TRUE(e.diagnostics().has_errors()) << at;
    }
  }
  for (std::size_t at = 0; at < good_table.size(); ++at) cut(good_table, "cut.yaml", at);
  for (const EmbeddedRobot& robot : embedded_robots())
    for (std::size_t i = 0; i < 60; ++i)
      cut(robot.text, robot.file_name, robot.text.size() * i / 60 + i);
}

TEST(BadInput, many_defects_are_told_together_and_in_the_order_of_the_file) {
  std::string text = replaced(good_urdf, "value='2'", "value='nan'");
  text = replaced(text, "xyz='0 0 -9.8'", "xyz='down'");
  text = replaced(text, "damping='0.5'", "damping='0,5'");
  try {
    import_urdf(text, "bad.urdf");
    FAIL() << "is not refused";
  } catch (const ModelError& e) {
    EXPECT_EQ(e.diagnostics().count(Severity::error), 3u);
    int before = 0;
    for (const Diagnostic& d : e.diagnostics().list()) {
      EXPECT_LE(before, d.source.line);
      before = d.source.line;
    }
    EXPECT_NE(
        std::string(e.what()).find("bad.urdf:11: error: link 'upper': mass: value 'nan' is not a "
                                   "number [number-invalid]\n  write plain decimal numbers"),
        std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace ulna::test
