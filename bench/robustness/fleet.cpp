// How well the controller does on many robots that pick up what their models have not. docs/mpc.md has the summary.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <thread>

#include "rows.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/kinematics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/model/inspect.hpp"

namespace robustness {
namespace {

using namespace ulna;
using Eigen::VectorXd;
using mpc::Knowledge;

const char* const usage =
    "Drives robots that pick up a share of what they can lift, and prints how well: "
    "docs/mpc.md.\n\n"
    "  ulna_fleet [--list] [--seeds N] [--jobs N] [ROBOT]...\n\n"
    "Robots are files or embedded ones; by default all embedded arms. --list prints what each can "
    "lift.\n";

constexpr std::array shares{0.1, 0.5};
constexpr std::array kinds{Knowledge::identified, Knowledge::offset_free, Knowledge::perfect};

/// The mass that the drives hold at the tip in all of many configurations, beside the robot's own weight, with three tenths of
/// their effort to spare for motion: what a robot can lift. Of a Panda, a UR5e and an iiwa 14 that is about what their makers rate.
/// Of an arm that gravity does not move, the mass that its drives accelerate as much as gravity would.
double capacity(const Model& model) {
  constexpr double g = 9.81;  // m/s²
  const VectorXd effort = efforts(model);
  const Plant<double> plant(model);
  Workspace<double> ws(model);
  Kinematics<double> at(model);
  Eigen::MatrixXd J(6, model.nv());
  VectorXd own(model.nv());
  std::mt19937_64 random(1);
  double lifted = infinity, accelerated = infinity;
  for (int k = 0; k < 300; ++k) {
    at.set(random_configuration(model, random));
    gravity_torque<double>(plant, at, ws, own);
    frame_jacobian<double>(at, rig::tip_frame(model), Axes::aligned, J);
    const VectorXd lever = J.bottomRows(3).transpose() * model.gravity();
    for (int i = 0; i < model.nv(); ++i) {
      const double spare = std::max(0.0, 0.7 * effort(i) - std::abs(own(i)));
      const double reach = J.col(i).tail<3>().norm();
      if (std::abs(lever(i)) > 1e-9) lifted = std::min(lifted, spare / std::abs(lever(i)));
      if (reach > 1e-9) accelerated = std::min(accelerated, spare / (g * reach));
    }
  }
  return std::isfinite(lifted) ? lifted : accelerated;
}

/// Why a robot is not driven here; empty: it is an arm whose joints have one coordinate each.
std::string why_not(const Model& model) {
  if (model.nv() < 2 || model.nv() > 16)
    return fmt::format("{} degrees of freedom, not 2 to 16", model.nv());
  if (compound_joint(model)) return "a joint with several coordinates";
  if (model.has_mimics()) return "a joint that follows another";
  if (!model.description().loops.empty()) return "closed loops";
  if (!model.drives().plain()) return "springs or coupled motors";
  if (!(capacity(model) > 1e-3)) return "its drives do not hold its own weight";
  return {};
}

struct Run {
  std::string robot;
  const Model* model;
  double share;
  std::uint64_t seed;
  double mass = 0.0;              ///< kg, picked up
  std::array<double, 3> error{};  ///< mrad rms from a second after that on, by kind
  bool finished = true;
  mpc::Payload found = {};
  long changes = 0;  ///< of the robot, as noticed
};

void run(Run& r) {
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    Case c(*r.model, r.seed);
    c.task.duration = 8.0;
    r.mass = c.task.mass = r.share * capacity(*r.model);
    c.task.edge = 0.1 * std::cbrt(r.mass / 2.0), c.task.com *= c.task.edge / 0.1;
    c.trial.plant = rig::PlantKind::ulna;
    c.trial.duration = c.task.duration;
    c.trial.knowledge = kinds[k];
    const mpc::TrialResult result = c.run();
    r.finished &= result.finished;
    r.error[k] = 1e3 * result.error.rms_from[1];
    if (kinds[k] == Knowledge::identified)
      r.found = result.payload, r.changes = result.changes_noticed;
  }
}

/// What a run misses of what is asked.
struct Misses {
  bool lost, twice, worse, mass;

  explicit Misses(const Run& r)
      : lost(!r.finished || !(r.error[0] <= 100.0)),
        twice(lost || r.error[0] > 2.0 * r.error[2]),
        worse(lost || r.error[0] > 1.1 * r.error[1]),
        mass(r.found.known() && std::abs(r.found.mass - r.mass) > 2.0 * r.found.deviation) {}

  std::string words() const {
    std::string text = lost ? "lost" : twice ? "more than twice perfect" : "";
    const auto add = [&](const char* more) {
      text += (text.empty() ? "" : "; ") + std::string(more);
    };
    if (worse && !lost) add("worse than offset-free");
    if (mass) add("mass beyond two deviations");
    return text;
  }
};

void print_head() {
  fmt::print("{:<22}{:>6}{:>5}{:>10}{:>12}{:>13}{:>10}{:>10}{:>10}{:>9}\n", "robot", "share",
             "seed", "mass [kg]", "identified", "offset-free", "perfect", "found", "+-", "changes");
}

void print(const Run& r) {
  fmt::print("{:<22}{:>6}{:>5}{:>10.3g}{:>12.3g}{:>13.3g}{:>10.3g}{:>10}{:>10.2g}{:>9}  {}\n",
             r.robot, r.share, r.seed, r.mass, r.error[0], r.error[1], r.error[2],
             r.found.known() ? fmt::format("{:.3g}", r.found.mass) : "unknown", r.found.deviation,
             r.changes, Misses(r).words());
  std::fflush(stdout);
}

void print_sum(const std::vector<Run>& runs) {
  int lost = 0, twice = 0, worse = 0, known = 0, mass = 0;
  for (const Run& r : runs) {
    const Misses m(r);
    lost += m.lost, twice += m.twice, worse += m.worse, mass += m.mass, known += r.found.known();
  }
  const int n = int(runs.size());
  fmt::print(
      "\n{} runs: {} lost; {} at most twice perfect; {} no worse than 1.1 times offset-free; mass "
      "known in {}, within two deviations in {} of these\n",
      n, lost, n - twice, n - worse, known, known - mass);
}

int run_all(int argc, char** argv) {
  int seeds = 1, jobs = 1;
  bool list = false;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--list") {
      list = true;
    } else if (word != "--seeds" && word != "--jobs") {
      names.push_back(word);
    } else if (++i < argc && std::atoi(argv[i]) > 0) {
      (word == "--seeds" ? seeds : jobs) = std::atoi(argv[i]);
    } else {
      fmt::print(stderr, "{}", usage);
      return 2;
    }
  }
  if (names.empty())
    for (const EmbeddedRobot& robot : embedded_robots()) names.emplace_back(robot.name);
  std::vector<std::unique_ptr<Model>> models;
  std::vector<Run> runs;
  for (const std::string& name : names) {
    auto model = std::make_unique<Model>(load_robot(name).model);
    if (const std::string why = why_not(*model); !why.empty()) {
      fmt::print(stderr, "{}: left out: {}\n", name, why);
      continue;
    }
    if (list) fmt::print("{:<60}{:>3} joints{:>10.3g} kg\n", name, model->nv(), capacity(*model));
    for (const double share : shares)
      for (int seed = 1; seed <= seeds; ++seed)
        runs.push_back({name.substr(name.rfind('/') + 1), model.get(), share, std::uint64_t(seed)});
    models.push_back(std::move(model));
  }
  if (list) return 0;
  std::atomic<std::size_t> next = 0;
  std::mutex printing;
  print_head();
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < jobs; ++i)
      workers.emplace_back([&] {
        for (std::size_t k = next++; k < runs.size(); k = next++) {
          run(runs[k]);
          const std::lock_guard lock(printing);
          print(runs[k]);
        }
      });
  }
  print_sum(runs);
  return 0;
}

}  // namespace
}  // namespace robustness

int main(int argc, char** argv) {
  try {
    return robustness::run_all(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
