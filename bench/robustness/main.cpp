// How well a controller drives robots that differ from its model in kind. docs/mpc.md has the table.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "figures.hpp"
#include "ulna/io/import.hpp"

namespace robustness {
namespace {

using ulna::mpc::Knowledge;

const char* const usage =
    "Drives robots that differ from their models, in MuJoCo, and prints how well: docs/mpc.md.\n\n"
    "  ulna_robustness [option]...\n\n"
    "  --rows NAME,...        rows of the table (default all; 'list' prints them)\n"
    "  --seeds N,...          one trial each (default 1,2,3,4,5)\n"
    "  --robot NAME,...       default panda\n"
    "  --knowledge NAME,...   identified, offset_free, fixed, perfect (default identified)\n"
    "  --plant NAME           mujoco (default) or ulna\n"
    "  --supervisor NAME      off (default), on\n"
    "  --events yes           print what the supervisor found\n"
    "  --jobs N               trials at a time (default 1)\n"
    "  --out FILE.json        where the figures go too\n";

struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct Plan {
  std::vector<std::string> rows, robots{"panda"};
  std::vector<std::uint64_t> seeds{1, 2, 3, 4, 5};
  std::vector<Knowledge> knowledge{Knowledge::identified};
  ulna::rig::PlantKind plant = ulna::rig::PlantKind::mujoco;
  bool supervisor = false, events = false;
  int jobs = 1;
  std::string out;
};

/// One trial, and what came of it.
struct Trial {
  const Row* row;
  std::string robot;
  Knowledge knowledge;
  std::uint64_t seed;

  Figures figures = {};
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t to = std::min(list.find(',', from), list.size());
    if (to > from) parts.push_back(list.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

std::uint64_t number(const std::string& option, const std::string& text) {
  std::size_t used = 0;
  unsigned long long value = 0;
  try {
    value = std::stoull(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != text.size())
    throw UsageError(fmt::format("{}: '{}' is not a whole number", option, text));
  return value;
}

Knowledge knowledge_of(const std::string& name) {
  for (const Knowledge k :
       {Knowledge::identified, Knowledge::offset_free, Knowledge::fixed, Knowledge::perfect})
    if (name == to_string(k)) return k;
  throw UsageError(
      fmt::format("--knowledge: '{}' is not one of identified, offset_free, fixed, perfect", name));
}

void check_rows(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (std::ranges::find(rows(), name, &Row::name) == rows().end())
      throw UsageError(fmt::format("--rows: there is no '{}'; --rows list prints all", name));
}

Plan parse(int argc, char** argv) {
  Plan plan;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 == argc) throw UsageError(usage);
    const std::string value = argv[i + 1];
    if (option == "--rows") {
      plan.rows = split(value);
    } else if (option == "--seeds") {
      plan.seeds.clear();
      for (const std::string& seed : split(value)) plan.seeds.push_back(number(option, seed));
    } else if (option == "--robot") {
      plan.robots = split(value);
    } else if (option == "--knowledge") {
      plan.knowledge.clear();
      for (const std::string& name : split(value)) plan.knowledge.push_back(knowledge_of(name));
    } else if (option == "--plant" && (value == "ulna" || value == "mujoco")) {
      plan.plant = value == "ulna" ? ulna::rig::PlantKind::ulna : ulna::rig::PlantKind::mujoco;
    } else if (option == "--supervisor" && (value == "on" || value == "off")) {
      plan.supervisor = value == "on";
    } else if (option == "--events" && (value == "yes" || value == "no")) {
      plan.events = value == "yes";
    } else if (option == "--jobs") {
      plan.jobs = std::clamp(int(number(option, value)), 1, 256);
    } else if (option == "--out") {
      plan.out = value;
    } else {
      throw UsageError(usage);
    }
  }
  if (plan.seeds.empty() || plan.robots.empty() || plan.knowledge.empty()) throw UsageError(usage);
  return plan;
}

std::vector<Trial> trials_of(const Plan& plan) {
  std::vector<Trial> trials;
  for (const std::string& robot : plan.robots)
    for (const Row& row : rows()) {
      if (!plan.rows.empty() && std::ranges::find(plan.rows, row.name) == plan.rows.end()) continue;
      for (const Knowledge knowledge : plan.knowledge)
        for (const std::uint64_t seed : plan.seeds)
          trials.push_back({&row, robot, knowledge, seed});
    }
  return trials;
}

void run(Trial& trial, const ulna::Model& model, const Plan& plan) {
  Case c(model, trial.seed);
  trial.row->change(c);
  c.trial.knowledge = trial.knowledge;
  c.trial.plant = plan.plant;
  if (plan.supervisor) c.trial.supervision.emplace();
  const ulna::mpc::TrialResult result = c.run();
  trial.figures = figures_of(*trial.row, c, result);
  if (!plan.events) return;
  std::string text;
  for (const ulna::supervise::Event& e : result.events)
    text += fmt::format("  {:.3f} s: {} {} at joint {}: {:.4g} against {:.4g}\n", e.time,
                        to_string(e.cause), e.ended ? "ends" : "begins", e.joint, e.value, e.limit);
  fmt::print(stderr, "{} {}, seed {}:\n{}", trial.robot, trial.row->name, trial.seed, text);
}

void run_all(std::vector<Trial>& trials, const Plan& plan) {
  std::map<std::string, ulna::Model> models;
  for (const std::string& robot : plan.robots) models.emplace(robot, ulna::load_robot(robot).model);
  std::atomic<std::size_t> next = 0;
  std::mutex printing;
  std::size_t done = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < trials.size(); i = next++) {
      Trial& t = trials[i];
      try {
        run(t, models.at(t.robot), plan);
      } catch (...) {
        const std::lock_guard lock(printing);
        failure = std::current_exception();
        next = trials.size();
        return;
      }
      const std::lock_guard lock(printing);
      fmt::print(stderr, "{:3} of {}: {}, {}, {}, seed {}: {:.3g} mrad\n", ++done, trials.size(),
                 t.robot, t.row->name, to_string(t.knowledge), t.seed, t.figures.error);
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < plan.jobs; ++i) workers.emplace_back(work);
  }
  if (failure) std::rethrow_exception(failure);
}

double median(std::vector<double> x) {
  std::ranges::sort(x);
  const std::size_t n = x.size();
  return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

/// Median and worst over the seeds.
template <class Figure>
std::pair<double, double> over_seeds(std::span<const Trial> trials, Figure figure) {
  std::vector<double> values;
  for (const Trial& trial : trials) values.push_back(double(trial.figures.*figure));
  return {median(values), *std::ranges::max_element(values)};
}

/// What a row misses, by its seeds.
std::string verdict(std::span<const Trial> some) {
  std::string text;
  for (const Trial& trial : some)
    if (const std::string missed = misses(*trial.row, trial.figures); !missed.empty())
      text += fmt::format("{}seed {}: {}", text.empty() ? "missed; " : "; ", trial.seed, missed);
  return text.empty() ? "met" : text;
}

void print_table(const std::vector<Trial>& trials, const Plan& plan) {
  constexpr auto line =
      "{:<46}{:<12}{:>8}{:>9}{:>9}{:>9}{:>9}{:>7}{:>7}{:>8}{:>8}{:>6}{:>6}{:>9}  {}\n";
  const std::size_t each = plan.seeds.size();
  const std::span<const Trial> all(trials);
  std::string robot;
  for (std::size_t i = 0; i < all.size(); i += each) {
    const auto some = all.subspan(i, each);
    const Trial& first = some.front();
    if (first.robot != robot) {
      robot = first.robot;
      fmt::print(
          "\n{} in {}, {} supervisor, seeds {}; tracking error in mrad rms from 4 s on; largest "
          "speed and grip over their limits\n",
          robot, ulna::rig::to_string(plan.plant), plan.supervisor ? "with" : "without",
          fmt::join(plan.seeds, ", "));
      fmt::print(line, "row", "knowledge", "target", "median", "worst", "largest", "after", "speed",
                 "grip", "mass", "changes", "safe", "stops", "named ms", "");
    }
    const auto [error, worst] = over_seeds(some, &Figures::error);
    const auto figure = [&](auto member, const char* format) {
      const double value = over_seeds(some, member).second;
      return value > 0.0 ? fmt::format(fmt::runtime(format), value) : "";
    };
    const std::optional<double> target = first.row->target;
    fmt::print(line, first.row->what, to_string(first.knowledge),
               target ? fmt::format("{:.2g}", *target) : "", fmt::format("{:.3g}", error),
               fmt::format("{:.3g}", worst), figure(&Figures::largest, "{:.3g}"),
               figure(&Figures::after, "{:.3g}"), figure(&Figures::speed, "{:.2f}"),
               figure(&Figures::grip, "{:.2f}"),
               fmt::format("{:.2f}", over_seeds(some, &Figures::mass).first),
               fmt::format("{:g}", over_seeds(some, &Figures::changes).second),
               fmt::format("{:g}", over_seeds(some, &Figures::safe).second),
               fmt::format("{:g}", over_seeds(some, &Figures::stops).second),
               figure(&Figures::named_ms, "{:.0f}"), verdict(some));
  }
}

void write_json(const std::string& path, const std::vector<Trial>& trials, const Plan& plan) {
  nlohmann::json list = nlohmann::json::array();
  for (const Trial& t : trials) {
    nlohmann::json target = nullptr;
    if (t.row->target) target = *t.row->target;
    const Figures& f = t.figures;
    list.push_back({{"row", t.row->name},
                    {"what", t.row->what},
                    {"target_mrad", target},
                    {"robot", t.robot},
                    {"plant", ulna::rig::to_string(plan.plant)},
                    {"knowledge", to_string(t.knowledge)},
                    {"seed", t.seed},
                    {"supervisor", plan.supervisor},
                    {"finished", f.finished},
                    {"error_mrad", f.error},
                    {"error_a_second_later_mrad", f.error_later},
                    {"error_after_disturbance_mrad", f.after},
                    {"error_at_the_end_mrad", f.final},
                    {"largest_error_mrad", f.largest},
                    {"speed_over_limit", f.speed},
                    {"torque_over_limit", f.torque},
                    {"grip_over_limit", f.grip},
                    {"payload_kg", f.mass},
                    {"payload_deviation_kg", f.mass_deviation},
                    {"changes_noticed", f.changes},
                    {"safe_actions", f.safe},
                    {"supervisor_stops", f.stops},
                    {"named_after_ms", f.named_ms},
                    {"missed", misses(*t.row, f)},
                    {"step_p50_us", f.step_us}});
  }
  std::ofstream file(path);
  file << nlohmann::json{{"trials", list}}.dump(1) << '\n';
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

void list_rows() {
  for (const Row& row : rows()) fmt::print("{:<14}{}\n", row.name, row.what);
}

}  // namespace
}  // namespace robustness

int main(int argc, char** argv) {
  using namespace robustness;
  try {
    const Plan plan = parse(argc, argv);
    if (plan.rows == std::vector<std::string>{"list"}) {
      list_rows();
      return 0;
    }
    check_rows(plan.rows);
    std::vector<Trial> trials = trials_of(plan);
    run_all(trials, plan);
    print_table(trials, plan);
    if (!plan.out.empty()) write_json(plan.out, trials, plan);
    return 0;
  } catch (const UsageError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
