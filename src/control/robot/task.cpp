#include "control/robot/task.hpp"

#include <algorithm>
#include <numeric>

#include "simulate/step_impl.hpp"

namespace ulna::control::detail {
namespace {

std::vector<double> step_durations(const RobotProblemOptions& options) {
  std::vector<double> durations = options.durations;
  if (durations.empty()) {
    if (options.steps < 1)
      throw std::invalid_argument("robot problem: " + std::to_string(options.steps) +
                                  " steps; there must be one at least");
    durations.assign(static_cast<std::size_t>(options.steps), options.duration);
  }
  for (const double h : durations)
    if (!(h > 0.0) || !std::isfinite(h))
      throw std::invalid_argument("robot problem: a step takes " + std::to_string(h) +
                                  " s; it must be positive and finite");
  return durations;
}

/// Where a list of 2 nv flags has this one; of an empty list, nowhere.
std::vector<int> places(const Model& model, const char* what, const std::vector<bool>& flags,
                        bool flag) {
  if (!flags.empty())
    ulna::detail::require_size(what, static_cast<Eigen::Index>(flags.size()), 2 * model.nv(),
                               model);
  std::vector<int> found;
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i] == flag) found.push_back(static_cast<int>(i));
  return found;
}

std::optional<Loops> closed_loops(const Model& model, const RobotProblemOptions& options) {
  if (options.loops.empty()) return {};
  return Loops(model, options.loops,
               options.closed_at.size() > 0 ? options.closed_at : neutral(model));
}

int count_positions(const Model& model, const std::vector<int>& dofs) {
  return static_cast<int>(
      std::count_if(dofs.begin(), dofs.end(), [&](int dof) { return dof < model.nv(); }));
}

/// Throws unless loops and what is given of the ends leave each other room.
void check_ends(const Task& task) {
  const int rows = task.loop_rows(), most = task.model().nv() - rows;
  const auto check = [&](const char* what, const std::vector<int>& dofs, auto wrong,
                         const std::string& rule) {
    const int positions = count_positions(task.model(), dofs);
    for (const auto& [number, kind] :
         {std::pair{positions, "positions"},
          std::pair{static_cast<int>(dofs.size()) - positions, "velocities"}})
      if (wrong(number))
        throw std::invalid_argument("robot problem: " + std::string(what) + " " +
                                    std::to_string(number) + " " + kind + "; with " +
                                    std::to_string(rows) + " rows of loops it must be " + rule);
  };
  check(
      "final_given gives", task.given, [&](int number) { return number > most; },
      std::to_string(most) + " at most, as the loops decide the others");
  check(
      "initial_given leaves free", task.free,
      [&](int number) { return number > 0 && number < rows; },
      "none, or enough to close the loops");
}

}  // namespace

Task::Task(Plant<double> p, const RobotProblemOptions& options)
    : plant(std::move(p)),
      durations(step_durations(options)),
      total(std::accumulate(durations.begin(), durations.end(), 0.0)),
      steps(static_cast<int>(durations.size())),
      timed(options.final_time.has_value()),
      flat(ulna::detail::flat(model())),
      free(places(model(), "initial_given", options.initial_given, false)),
      given(places(model(), "final_given", options.final_given, true)),
      free_positions(count_positions(model(), free)),
      loops(closed_loops(model(), options)),
      weights(model()),
      limits(model()),
      holding(model(), loops),
      at_rest(Eigen::VectorXd::Zero(model().nv())),
      references(static_cast<std::size_t>(steps + 1)) {
  if (options.collisions) capsules.emplace(model(), *options.collisions);
  if (loops) check_ends(*this);
  for (Reference& r : references) {
    r.q = neutral(model());
    r.v = r.tau = at_rest;
    r.frames.resize(options.frames.size());
  }
}

void Task::outdate_torques() {
  for (Reference& r : references) r.current = false;
}

void Task::update_torques() {
  for (Reference& r : references) {
    if (!r.holds || r.current) continue;
    holding(plant, r.q, weights, limits);
    r.tau = holding.tau;
    r.current = true;
  }
}

}  // namespace ulna::control::detail
