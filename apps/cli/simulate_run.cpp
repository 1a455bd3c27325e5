#include "simulate_run.hpp"

#include "../plot/charts.hpp"
#include "simulate_changes.hpp"

namespace ulna::cli {

std::vector<Coordinate> coordinates(const Model& model) {
  std::vector<Coordinate> list;
  const std::vector<std::string> names = model.velocity_names();
  for (const Joint& j : model.joints())
    for (int i = 0; !j.mimics && i < velocity_size(j.type); ++i)
      list.push_back({names[j.v + i], j.v + i, velocity_size(j.type) == 1 ? j.q : -1});
  return list;
}

SimulationLog::SimulationLog(const Model& model, const SimulateOptions& o)
    : sensed_(o.sensed()), sensors_(model, o.sensors), elastic_(model.drives().elastic) {
  if (!o.plot.empty()) every_ = std::max(1L, long(o.duration / o.period / 600.0));
  if (o.out.empty()) return;
  std::vector<std::string> names = sensed_ ? table_names(model, {"q", "qd", "tau"})
                                           : table_names(model, {"q", "qd", "qdd", "tau"});
  for (const char* of_drives : {"theta_", "thetad_", "tau_link_"})
    for (const int c : elastic_) names.push_back(of_drives + model.velocity_names()[c]);
  row_.resize(names.size());
  require_loggable(o.duration, o.period, names.size());
  writer_.emplace(text_, names);
}

void SimulationLog::add(Simulation& now) {
  if (writer_) {
    Eigen::Map<Eigen::VectorXd> row(row_.data(), row_.size());
    auto motors = row.tail(3 * std::ssize(elastic_)), alone = row.head(row.size() - motors.size());
    if (sensed_) {
      sensors_.read(now);
      alone << now.time(), sensors_.q, sensors_.v, sensors_.tau;
    } else {
      alone << now.time(), now.q(), now.v(), now.acceleration(), now.tau();
    }
    if (sensed_)
      motors << sensors_.theta(elastic_), sensors_.omega(elastic_), sensors_.link_torque(elastic_);
    else
      motors << now.theta()(elastic_), now.omega()(elastic_), now.link_torque()(elastic_);
    writer_->write(row_);
  }
  if (every_ > 0 && count_ % every_ == 0) {
    time.push_back(now.time());
    q.push_back(now.q()), v.push_back(now.v()), tau.push_back(now.tau());
  }
  ++count_;
}

std::string SimulationLog::text() {
  writer_->flush();
  return text_.str();
}

std::string motion_plot(const Model& model, const SimulationLog& log) {
  std::vector<plot::Panel> panels;
  const auto line = [](const std::vector<Eigen::VectorXd>& of, int at) {
    std::vector<double> values;
    for (const Eigen::VectorXd& x : of) values.push_back(x(at));
    return values;
  };
  for (const Coordinate& c : coordinates(model)) {
    const bool slides = torque_unit(model, c.v) == "N";
    const auto add = [&](const char* what, const char* unit, std::vector<double> values) {
      panels.push_back({fmt::format("{}: {}, {}", c.name, what, unit), {std::move(values)}});
    };
    if (c.single()) add("position", slides ? "m" : "rad", line(log.q, c.q));
    add("velocity", slides ? "m/s" : "rad/s", line(log.v, c.v));
    add("torque", slides ? "N" : "Nm", line(log.tau, c.v));
  }
  return plot::panel_plot(fmt::format("{} in motion", model.name()), "over time in s", log.time, {},
                          panels);
}

SimulatedRun simulate_robot(Simulation& robot, const SimulateOptions& o, const TorqueSource& torque,
                            Schedule& schedule, bool momentum_stays, SimulationLog& log,
                            Progress& progress) {
  const Model& model = robot.model();
  SimulatedRun run{robot};
  std::optional<Loops> loops;
  if (robot.loops()) loops = *robot.loops();
  run.joints.resize(model.nv());
  const auto look = [&, all = coordinates(model)] {
    for (const Coordinate& c : all) {
      Extremes& x = run.joints[c.v];
      x.stop = std::max(x.stop, robot.stop_load(c.v));
      x.speed = std::max(x.speed, std::abs(robot.v()(c.v)));
      x.torque = std::max(x.torque, std::abs(robot.tau()(c.v)));
      if (!c.single()) continue;
      x.lowest = std::min(x.lowest, robot.q()(c.q));
      x.highest = std::max(x.highest, robot.q()(c.q));
    }
    run.largest_kinetic = std::max(run.largest_kinetic, robot.kinetic_energy());
    if (loops) {
      loops->set(robot.q());
      run.largest_gap = std::max(run.largest_gap, loops->gap().cwiseAbs().maxCoeff());
    }
    log.add(robot);
  };
  // changes at the very beginning are no part of the motion
  schedule.apply(robot);
  const double begin_changes = robot.work().changes;
  run.energy_before = robot.energy();
  const Wrench<double> momentum = robot.momentum();
  const Vec3<double> weight = total_mass<double>(robot.plant) * model.gravity();
  run.status = robot.run(
      o.duration, o.period,
      [&](Simulation& now, Eigen::VectorXd& tau) {
        schedule.apply(now);
        torque(now, tau);
      },
      [&](Simulation& now) {
        look();
        if (log.count() % 256 == 0)
          progress.at(std::size_t(1000.0 * now.time()),
                      fmt::format("{:.1f} of {:g} s", now.time(), o.duration));
        return !Interrupt::requested();
      });
  if (run.status == SimulationStatus::moved) look();
  run.work = robot.work();
  run.work.changes -= begin_changes;
  run.energy_after = robot.energy();
  const double gained = run.energy_after - run.energy_before;
  // what was taken from velocities was an error of the method too, unless the method gave it back by itself
  const double left = gained - run.work.balance(), made = left + run.work.corrections;
  run.energy_error = std::abs(made) > std::abs(left) ? made : left;
  // work that was taken back was exchanged too; of a robot at rest, what is nothing beside its energy
  const double turned =
      std::max({std::abs(run.work.torques), std::abs(run.work.wrenches), std::abs(run.work.changes),
                run.work.damping, run.work.friction, run.work.stops, std::abs(gained),
                run.largest_kinetic, 1e-5 * std::abs(run.energy_after), 1e-12});
  run.error_share = std::abs(run.energy_error) / turned;
  if (momentum_stays) {
    run.momentum_error = robot.momentum();
    run.momentum_error->moment -= momentum.moment;
    run.momentum_error->force -= momentum.force + robot.time() * weight;
  }
  return run;
}

}  // namespace ulna::cli
