#include "ulna/simulate/sensors.hpp"

#include <limits>
#include <numbers>

#include "num/message.hpp"
#include "ulna/num/random.hpp"

namespace ulna {
namespace {

/// Box and Muller; one of the two is thrown away, so that a number costs a fixed share of the stream.
double normal(std::mt19937_64& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(random)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(random));
}

/// Streams that have nothing to do with each other [Steele, Lea, Flood 2014].
std::uint64_t split(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t z = seed + (stream + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void check(const char* what, const SensorOptions& o) {
  const auto check = [&](bool right, const char* name, double x, const char* rule) {
    messages::require(right, "sensors: ", name, " of ", what, " is ", x, ", it must be ", rule);
  };
  for (const auto& [name, x] :
       {std::pair{"noise", o.noise}, {"bias", o.bias}, {"quantum", o.quantum}})
    check(x >= 0.0 && std::isfinite(x), name, x, "0 or more");
  for (const auto& [name, x] : {std::pair{"dropout", o.dropout}, {"NaN", o.not_a_number}})
    check(x >= 0.0 && x <= 1.0, name, x, "a probability from 0 to 1");
  check(o.delay >= 0 && o.delay <= 100'000, "delay", o.delay, "from 0 to 100000 readings");
}

const SensorsOptions& checked(const SensorsOptions& o) {
  check("position", o.position), check("velocity", o.velocity);
  check("torque", o.torque), check("acceleration", o.acceleration);
  return o;
}

double quantised(double x, double quantum) {
  return quantum > 0.0 ? quantum * std::round(x / quantum) : x;
}

}  // namespace

Sensors::Channel::Channel(const SensorOptions& o, Eigen::Index size, Eigen::Index tangent)
    : options(o),
      bias(Eigen::VectorXd::Zero(tangent)),
      ring(Eigen::MatrixXd::Zero(size, o.delay + 1)),
      last(Eigen::VectorXd::Zero(size)) {}

void Sensors::Channel::reset(std::uint64_t seed, int number) {
  const auto stream = [&](int k) { return split(seed, std::uint64_t(8 * number + k)); };
  noise.seed(stream(0)), dropout.seed(stream(1)), spoiling.seed(stream(2));
  std::mt19937_64 once(stream(3));
  for (double& x : bias) x = options.bias * normal(once);
  next = filled = 0;
  lost = started = false;
}

void Sensors::Channel::pass(const Eigen::VectorXd& reading, Eigen::VectorXd& seen) {
  const int places = int(ring.cols());
  ring.col(next) = reading;
  next = (next + 1) % places;
  filled = std::min(filled + 1, places);
  // the oldest there is; the first reading cannot be lost
  const Eigen::Index oldest = filled < places ? 0 : next;
  lost = options.dropout > 0.0 && uniform(dropout) < options.dropout && started;
  started = true;
  if (!lost) last = ring.col(oldest);
  seen = last;
  if (options.not_a_number > 0.0 && seen.size() > 0) {
    const bool spoilt = uniform(spoiling) < options.not_a_number;
    const double where = uniform(spoiling) * double(seen.size());
    if (spoilt) seen(Eigen::Index(where)) = std::numeric_limits<double>::quiet_NaN();
  }
}

Sensors::Sensors(const Model& model, SensorsOptions options)
    : q(neutral(model)),
      v(Eigen::VectorXd::Zero(model.nv())),
      model_(model),
      options_(checked(options)),
      position_(options.position, model.nq(), model.nv()),
      velocity_(options.velocity, model.nv(), model.nv()),
      torque_(options.torque, model.nv(), model.nv()),
      acceleration_(options.acceleration, model.nv(), model.nv()),
      theta_(options.position, model.nv(), model.nv()),
      omega_(options.velocity, model.nv(), model.nv()),
      link_torque_(options.torque, model.nv(), model.nv()) {
  reset();
}

void Sensors::reset() {
  int number = 0;
  for (Channel* c :
       {&position_, &velocity_, &torque_, &acceleration_, &theta_, &omega_, &link_torque_})
    c->reset(options_.seed, number++);
  first_ = true;
}

void Sensors::draw(Channel& channel) {
  channel.error = channel.bias;
  if (channel.options.noise > 0.0)
    for (double& x : channel.error) x += channel.options.noise * normal(channel.noise);
}

void Sensors::disturb(Channel& channel, In<double> truth, Eigen::VectorXd& seen) {
  draw(channel);
  for (Eigen::Index i = 0; i < truth.size(); ++i)
    read_(i) = quantised(truth(i) + channel.error(i), channel.options.quantum);
  channel.pass(read_, seen);
}

bool Sensors::has_nan() const {
  for (const Eigen::VectorXd* x : {&q, &v, &tau, &a, &theta, &omega, &link_torque})
    if (!x->allFinite()) return true;
  return false;
}

void Sensors::differ(double time, const Eigen::VectorXd& reading, Eigen::VectorXd& before) {
  const double dt = time - time_before_;
  if (first_ || !(dt > 0.0))
    difference_.setZero();
  else
    difference_ = (reading - before) / dt;
  before = reading;
}

void Sensors::read_motors(double time, In<double> true_theta, In<double> true_omega,
                          In<double> true_torque) {
  disturb(theta_, true_theta, theta);
  if (options_.velocity_by_difference) {
    differ(time, read_, theta_before_);
    disturb(omega_, difference_, omega);
  } else {
    disturb(omega_, true_omega, omega);
  }
  disturb(link_torque_, true_torque, link_torque);
}

void Sensors::read(Simulation& robot) {
  if (!model_.drives().elastic.empty())
    read_motors(robot.time(), robot.theta(), robot.omega(), robot.link_torque());
  if (options_.accelerations)
    read(robot.time(), robot.q(), robot.v(), robot.tau(), robot.acceleration());
  else
    read(robot.time(), robot.q(), robot.v(), robot.tau());
}

void Sensors::read(double time, In<double> true_q, In<double> true_v, In<double> true_tau,
                   In<double> true_a) {
  detail::require_size("q", true_q.size(), model_.nq(), model_);
  detail::require_size("v", true_v.size(), model_.nv(), model_);
  detail::require_size("tau", true_tau.size(), model_.nv(), model_);
  draw(position_);
  integrate<double>(model_, true_q, position_.error, q_read_);
  for (const Joint& j : model_.joints())
    if (!j.mimics && velocity_size(j.type) == 1)
      q_read_(j.q) = quantised(q_read_(j.q), options_.position.quantum);
  position_.pass(q_read_, q);

  if (options_.velocity_by_difference) {
    const double dt = time - time_before_;
    if (first_ || !(dt > 0.0)) {
      difference_.setZero();
    } else {
      difference<double>(model_, q_before_, q_read_, difference_);
      difference_ /= dt;
    }
    q_before_ = q_read_, time_before_ = time;
    disturb(velocity_, difference_, v);
  } else {
    disturb(velocity_, true_v, v);
  }
  disturb(torque_, true_tau, tau);
  if (options_.accelerations) {
    detail::require_size("a", true_a.size(), model_.nv(), model_);
    disturb(acceleration_, true_a, a);
  }
  first_ = false;
}

}  // namespace ulna
