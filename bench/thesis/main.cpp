// Measures again what the tests of Cărămizaru 2023, chapter 6 measured.

#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "graphs.hpp"
#include "identification.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/edit.hpp"

namespace thesis {
namespace {

using namespace bench;

const char* const usage =
    "Measures again what the thesis measured: docs/thesis.md.\n\n"
    "  ulna_thesis [option]...\n\n"
    "  --out FILE   where the figures go (default thesis.json)\n"
    "  --quick      smallest sizes and few repeats, to see whether it works\n";

struct Plan {
  std::string out = "thesis.json";
  std::vector<std::string> robots{"panda", "double_pendulum", "chain:14"};
  std::vector<int> joints{2, 4, 7, 10, 14, 20, 28, 40, 50};
  int repeats = 100;
  int panda_links = 7, chain_links = 6, logs = 3;
};

Plan parse(int argc, char** argv) {
  Plan plan;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--quick") {
      plan.robots = {"double_pendulum"};
      plan.joints = {2, 3};
      plan.repeats = 3;
      plan.panda_links = plan.chain_links = plan.logs = 2;
    } else if (name == "--out" && i + 1 < argc) {
      plan.out = argv[++i];
    } else {
      throw std::invalid_argument(usage);
    }
  }
  return plan;
}

/// Figures 6.1 to 6.7.
void measure_robot(const std::string& name, const std::vector<const BenchPeer*>& peers,
                   const Plan& plan, Entries& entries) {
  show_progress(name + ", graphs");
  const Robot robot = make_robot(name);
  std::vector<Contestant> contestants;
  for (const BenchPeer* peer : peers)
    for (const Task& task : tasks_of(*peer, robot)) contestants.push_back({peer, task});
  for (Contestant& graph : graph_tasks(robot)) contestants.push_back(std::move(graph));
  // differences of long chains take their time
  if (robot.states.nv > 28)
    std::erase_if(contestants, [](const Contestant& c) {
      return c.task.algorithm == BENCH_FORWARD_DYNAMICS_DERIVATIVES && !c.task.variant.empty();
    });
  const Repeats repeats{0.0, plan.repeats, plan.repeats};
  for (const int k :
       {BENCH_INVERSE_DYNAMICS, BENCH_BIAS_TORQUE, BENCH_MASS_MATRIX, BENCH_FORWARD_DYNAMICS,
        BENCH_INVERSE_DYNAMICS_DERIVATIVES, BENCH_FORWARD_DYNAMICS_DERIVATIVES})
    compete(robot, contestants, k, repeats, {}, entries);
}

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

/// What one way of identification comes to, log by log.
struct Outcomes {
  std::string way;
  std::vector<double> ns;
  std::map<std::string, std::vector<double>> figures = {};

  void add(double time, const Errors& errors) {
    ns.push_back(time);
    figures["torque_percent"].push_back(errors.torque_percent);
    figures["base_percent"].push_back(errors.base_percent);
  }
};

struct Shooting {
  std::string name;
  ulna::identify::RefineOptions options;
};

/// Figure 6.8: some logs, of which times and errors are medians.
void identify(const std::string& name, const ulna::Model& robot,
              const std::vector<Shooting>& shootings, const Plan& plan, Entries& entries) {
  std::vector<Outcomes> outcomes{{"linear", {}}};
  for (const Shooting& shooting : shootings) outcomes.push_back({shooting.name, {}});
  std::vector<double> before;
  int parameters = 0, base_parameters = 0;
  for (int log = 1; log <= plan.logs; ++log) {
    show_progress("identification of " + name + ", log " + std::to_string(log));
    const Experiment experiment(robot, static_cast<std::uint64_t>(log));
    parameters = experiment.parameters(), base_parameters = experiment.base_parameters();
    before.push_back(experiment.before().torque_percent);
    const auto linear = [&](long n) {
      for (; n > 0; --n) use(experiment.linear());
    };
    const Times times = race({linear}, {0.0, plan.repeats, plan.repeats}).front();
    outcomes[0].add(times.min, experiment.errors(experiment.linear().z));
    for (std::size_t i = 0; ulna::identify::can_refine() && i < shootings.size(); ++i) {
      const ulna::identify::Refinement shot = experiment.shooting(shootings[i].options);
      Outcomes& to = outcomes[i + 1];
      to.add(1e9 * shot.seconds, experiment.errors(shot.estimate.z));
      to.figures["iterations"].push_back(shot.iterations);
      to.figures["converged"].push_back(shot.status == ulna::identify::RefineStatus::converged);
    }
  }
  for (const auto& [way, ns, figures] : outcomes) {
    if (ns.empty()) continue;
    Entry entry;
    entry.library = "ulna", entry.version = ULNA_VERSION;
    entry.robot = name, entry.nv = robot.nv();
    entry.algorithm = "identification", entry.variant = way;
    entry.times = Times{*std::min_element(ns.begin(), ns.end()), median(ns)};
    entry.more["parameters"] = parameters;
    entry.more["base_parameters"] = base_parameters;
    entry.more["before_percent"] = median(before);
    for (const auto& [figure, values] : figures) entry.more[figure] = median(values);
    entries.push_back(entry);
  }
}

void run(const Plan& plan) {
  const std::vector<const BenchPeer*> peers = all_peers();
  Entries entries;
  for (const std::string& robot : plan.robots) measure_robot(robot, peers, plan, entries);
  for (const int n : plan.joints) {
    const std::string name = "chain:" + std::to_string(n);
    if (std::count(plan.robots.begin(), plan.robots.end(), name) == 0)
      measure_robot(name, peers, plan, entries);
  }
  const Shooting once{"multiple shooting", weighed_once()},
      defaults{"multiple shooting, defaults", {}};
  const ulna::Model panda = ulna::load_robot("panda").model;
  for (int k = 1; k <= plan.panda_links; ++k)
    identify("panda, links 1 to " + std::to_string(k),
             ulna::sub_chain(panda, "panda_link0", "panda_link" + std::to_string(k)),
             {once, defaults}, plan, entries);
  for (int k = 1; k <= plan.chain_links; ++k)
    identify("chain:" + std::to_string(k), ulna::chain(k), {once}, plan, entries);
  show_progress("");
  write_json(plan.out, entries);
}

}  // namespace
}  // namespace thesis

int main(int argc, char** argv) {
  try {
    thesis::run(thesis::parse(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
