#include "ulna/simulate/simulation.hpp"

#include <array>
#include <utility>

#include "num/message.hpp"
#include "simulate/energy_guard.hpp"
#include "simulate/flow.hpp"
#include "ulna/dynamics/energy.hpp"
#include "ulna/dynamics/motor_limits.hpp"
#include "ulna/dynamics/spring_force.hpp"

namespace ulna {
namespace {

/// Events that a substep is cut at, to bound its time; what is left of it is stepped over in one.
constexpr int most_events = 12;
/// Adaptive segments that are shorter, s, get nowhere.
constexpr double shortest = 1e-9;
/// What holds with less to spare, Nm or N, may let go at once; a fixed step of so many s decides.
constexpr double on_the_edge = 1e-12, first_nudge = 1e-6;
constexpr double most_substeps = 1e7;
constexpr std::size_t wrenches_foreseen = 16;
/// Loops of a state that is set: open by more is a mistake, by less is rounding; m or rad, and per s.
constexpr double nearly_closed = 1e-3, closed = 1e-10;
/// After which adaptive steps are closed again, s.
constexpr double longest_unclosed = 1e-2;
/// A joint that is away from its stop for less, s, leans on it: light links are let go and caught again.
constexpr double shortest_flight = 4e-3;
constexpr double few_steps = 4.0;
/// Into which a substep is divided at most, and for how many substeps this is kept.
constexpr int most_pieces = 64, pieces_kept = 32, shortest_parts = 512;

void check(const SimulationOptions& o) {
  const auto positive = [](const char* name, double x) {
    messages::require(x > 0.0 && std::isfinite(x), "simulation: ", name, " is ", x,
                      ", it must be above 0");
  };
  positive("the substep", o.substep);
  if (!o.adaptive) return;
  positive("the relative tolerance", o.adaptive->relative);
  positive("the absolute tolerance", o.adaptive->absolute);
  messages::require(o.adaptive->order >= 2 && o.adaptive->order <= 8,
                    "simulation: adaptive steps of order ", o.adaptive->order,
                    "; it must be 2 to 8");
}

/// Springs act in the middle of a step, so that their ends have to move by the mean of the velocities, and M must not change much.
SimulationOptions for_springs(SimulationOptions o) {
  constexpr double longest = 1e-3;  // s
  o.substep = std::min(o.substep, longest);
  if (o.integrator == Integrator::euler || o.integrator == Integrator::semi_implicit_euler)
    o.integrator = Integrator::midpoint;
  return o;
}

/// Whether the joints' numbers can be computed with; the inertias are checked by factoring the mass matrix.
bool sane(const Plant<double>& plant) {
  const int n = plant.model().nv();
  for (const Eigen::VectorXd* x :
       {&plant.damping, &plant.friction, &plant.friction_negative, &plant.armature})
    if (x->size() != n || !x->allFinite()) return false;
  return n == 0 || (plant.friction.minCoeff() >= 0.0 && plant.friction_negative.minCoeff() >= 0.0);
}

}  // namespace

const char* to_string(SimulationStatus status) {
  return std::array{
      "moved",   "bad argument", "torque not finite", "plant not physical", "diverged",
      "gave up", "stopped"}[int(status)];
}

struct Simulation::Parts {
  static std::optional<Loops> loops_of(const Model& model, const SimulationOptions& options) {
    const auto& loops = model.description().loops;
    if (loops.empty() || !options.loops) return {};
    return Loops(model, loops, neutral(model));
  }

  Parts(const Model& model, const SimulationOptions& options)
      : rotors(model),
        loops(loops_of(rotors.model(), options)),
        dynamics(rotors, options.stops, loops ? &*loops : nullptr),
        flow(rotors.model(), options.integrator, dynamics.event_count()),
        plant(rotors.model()),
        motors(model),
        motor_limits(model),
        state(model),
        ws(model),
        q(neutral(rotors.model())),
        v(Eigen::VectorXd::Zero(rotors.model().nv())),
        longest(options.substep),
        guard(rotors.model()) {
    if (options.adaptive)
      adaptive = detail::adaptive_flow(rotors.model(), *options.adaptive, dynamics.event_count());
    if (loops && !rotors.empty()) robot_loops = loops_of(model, options);
  }

  /// What acts on the robot with its rotors.
  void act(const Plant<double>& robot, const Eigen::VectorXd& torque,
           ExternalWrenches<double> wrenches) {
    if (rotors.empty()) return dynamics.act(robot, robot.drives, torque, wrenches);
    rotors.set(robot, plant);
    rotors.set_torque(torque, tau);
    dynamics.act(plant, robot.drives, tau, wrenches);
  }

  /// A substep in whose middle springs act, if steps are fixed.
  SimulationStatus piece(double h, SimulationWork& work, SimulationCounts& counts) {
    const bool springs = !adaptive && !rotors.springs().empty();
    if (springs) dynamics.springs().begin(q, v, h), judge(work);
    const SimulationStatus status = substep(h, work, counts);
    if (springs) work.damping += dynamics.springs().end(v);
    return status;
  }

  /// Energy counts from here on.
  void judge(const SimulationWork& work) { guard.begin(dynamics, q, v, work); }

  /// How the rest of a substep is taken: by the integrator, in pieces; where these are too long, at first order as a whole, if that
  /// gains nothing; otherwise in the shortest parts, by the integrator or at last at first order.
  enum class Way { usual, over, parts, over_part };
  using Gain = detail::EnergyGuard::Gain;

  /// From event to event, in shorter pieces where energy would grow without input.
  SimulationStatus substep(double h, SimulationWork& work, SimulationCounts& counts) {
    double left = h;
    bool calm = true;
    Way way = Way::usual;
    segments = {.since = h};
    patience = std::clamp(2 * patience, 1, most_events);
    for (int events = 0; left > 1e-12 * h;) {
      if (!hit(work, counts) || !dynamics.decide(q, v))
        return dynamics.finite() ? SimulationStatus::plant_not_physical
                                 : SimulationStatus::diverged;
      q_before = q, v_before = v;
      const SimulationWork work_before = work;
      const SimulationCounts counts_before = counts;
      const double part = h / (way == Way::usual   ? pieces
                               : way == Way::parts ? most_pieces
                                                   : shortest_parts);
      const double reach = way == Way::over ? left : std::min(left, part);
      double gone = reach;
      SimulationStatus status = SimulationStatus::moved;
      if (way == Way::usual || way == Way::parts)
        status = advance(left, reach, events, gone, work, counts);
      else
        status = dynamics.step_over(q, v, gone, work), ++counts.crowds;
      const Gain gain = way == Way::over        ? Gain::none
                        : way == Way::over_part ? Gain::taken
                                                : Gain::share;
      if (!accepted(status, gone, gain, work, counts)) {
        if (way == Way::over_part)
          return status == SimulationStatus::moved ? SimulationStatus::diverged : status;
        q = q_before, v = v_before, work = work_before, counts = counts_before;
        counts.divided += std::exchange(calm, false);
        if (way == Way::usual && 2 * pieces < most_pieces)
          pieces *= 2;
        else
          way = Way(int(way) + 1);
        continue;
      }
      if (way == Way::over_part) way = Way::parts;
      dynamics.pass(gone);
      left -= gone;
      events = gone < reach ? events + 1 : 0;
    }
    // what was too stiff for an explicit method is tried as a whole again
    if (way != Way::usual) pieces = 1;
    // pieces are tried longer again after a while without trouble
    calm_substeps = calm ? calm_substeps + 1 : 0;
    if (pieces > 1 && calm_substeps >= pieces_kept) pieces /= 2, calm_substeps = 0;
    // what has just reached its stop does not go on
    return hit(work, counts) ? SimulationStatus::moved : SimulationStatus::plant_not_physical;
  }

  /// By the method that is due, for `reach` at most of what is left.
  SimulationStatus advance(double left, double reach, int events, double& gone,
                           SimulationWork& work, SimulationCounts& counts) {
    if (!adaptive) {
      if (events < most_events)
        return flow.go(dynamics, q, v, reach, true, gone, work, counts.events);
      ++counts.crowds;
      return dynamics.step_over(q, v, reach, work);
    }
    Segments& s = segments;
    if (s.since - left > longest)
      s.since = left, s.count = 0, patience = std::clamp(2 * patience, 1, most_events);
    if (s.count++ >= patience) {
      // the next crowd is not far: it is met with less patience
      gone = std::min(reach, longest / 8.0);
      ++counts.crowds;
      s.count = 0, patience /= 2;
      return dynamics.step_over(q, v, gone, work);
    }
    SimulationStatus status;
    if (s.stalled < most_events && dynamics.reserve(q, v) > on_the_edge) {
      const double piece = loops ? std::min(reach, longest_unclosed) : reach;
      status = adaptive->go(dynamics, q, v, piece, gone, work, counts.events);
      s.stalled = gone > shortest ? 0 : s.stalled + 1;
      if (gone > shortest) s.nudge = first_nudge;
      if (adaptive->tired()) s.count = patience = 0;
    } else {
      // too many events, or a joint about to let go: a short fixed step gets past them
      const double piece = std::min({reach, longest, s.nudge});
      status = flow.go(dynamics, q, v, piece, false, gone, work, counts.events);
      s.stalled = 0, s.nudge *= 2.0;
    }
    return status;
  }

  /// Whether a piece can count: loops are closed, and energy has not grown without input.
  bool accepted(SimulationStatus& status, double gone, Gain gain, SimulationWork& work,
                SimulationCounts& counts) {
    if (status == SimulationStatus::moved && !dynamics.close(q, v))
      status = SimulationStatus::diverged;
    return status == SimulationStatus::moved &&
           guard.accept(dynamics, q, v, gone, gain, work, counts.slowed);
  }

  /// A joint that steps of this length let go for less than a few of them has not been away: its stop would hold it.
  bool hit(SimulationWork& work, SimulationCounts& counts) {
    return dynamics.hit(q, v, std::max(shortest_flight, few_steps * longest), work.stops,
                        counts.hits);
  }

  void begin_anew() {
    guard.reset();
    pieces = 1, calm_substeps = 0;
  }

  /// Moves q and v to where loops are closed and stay so, if that is near.
  void close(const Plant<double>& robot) {
    if (!loops) return;
    loops->require_closed(q, nearly_closed);
    loops->set(q, v);
    const auto open = [&](const Eigen::VectorXd& x) { return x.cwiseAbs().maxCoeff() > closed; };
    // a state taken from a simulation is taken as it is
    if (!open(loops->gap()) && !open(loops->rate())) return;
    if (!loops->close(q)) throw std::invalid_argument("simulation: loops cannot be closed at q");
    loops->set(q);
    LoopWorkspace rows(*loops);
    Eigen::VectorXd closed_v = v, impulse = loops->gap();
    if (!rotors.empty()) rotors.set(robot, plant);
    if (loop_impact(rotors.empty() ? robot : plant, *loops, v, 0.0, rows, closed_v, impulse)
            .status != ConstraintReport::Status::not_physical)
      v = closed_v;
  }

  detail::RotorBodies rotors;
  std::optional<Loops> loops, robot_loops;  ///< of the robot with rotors; without, if it has some
  detail::HeldDynamics dynamics;
  detail::Flow flow;
  Plant<double> plant;        ///< of the robot with rotors
  DriveState<double> motors;  ///< where they are
  detail::MotorLimits motor_limits;
  std::unique_ptr<detail::AdaptiveFlow> adaptive;
  Kinematics<double> state;
  Workspace<double> ws;
  Eigen::VectorXd q, v;                        ///< with rotors, on their way through a step
  Eigen::VectorXd q_before = q, v_before = v;  ///< where a piece of it began
  Eigen::VectorXd rest_q = q, rest_v = v;      ///< where the last step ended
  Eigen::VectorXd tau = v, a = v;
  double longest;              ///< fixed step
  int patience = most_events;  ///< of adaptive steps: segments that a piece of this length may have
  /// Of adaptive steps in a substep.
  struct Segments {
    double since = 0.0;  ///< of what is left, where counting began
    int count = 0, stalled = 0;
    double nudge = first_nudge;
  } segments;
  detail::EnergyGuard guard;
  int pieces = 1;         ///< that a substep is divided into, so that energy does not grow
  int calm_substeps = 0;  ///< in a row for which these were enough
};

Simulation::Simulation(const Model& model, SimulationOptions options)
    : plant(model), options_(options), q_(neutral(model)), v_(Eigen::VectorXd::Zero(model.nv())) {
  check(options_);
  if (!model.drives().elastic.empty()) options_ = for_springs(options_);
  wrenches_.reserve(wrenches_foreseen);
  parts_ = std::make_unique<Parts>(model, options_);
  if (parts_->loops) parts_->rest_q = parts_->loops->closed_at();
  q_ = parts_->rest_q.head(q_.size());
}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

void Simulation::set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double time) {
  detail::require<double>("q", q, model().nq(), model());
  detail::require<double>("v", v, model().nv(), model());
  if (!std::isfinite(time)) throw std::invalid_argument("simulation: the time is not finite");
  Eigen::VectorXd unit = q;
  normalize(model(), unit);
  if (!unit.allFinite())
    throw std::invalid_argument("simulation: a quaternion of q has zero length");
  // a state taken from a simulation is taken as it is, to the last bit
  if ((unit - q).lpNorm<Eigen::Infinity>() < 1e-14) unit = q;
  Parts& p = *parts_;
  p.q.head(q.size()) = unit, p.v.head(v.size()) = v;
  p.motors.omega = v;
  p.rotors.set_motors(p.motors, p.q, p.v);
  p.close(plant);
  q_ = p.q.head(q.size()), v_ = p.v.head(v.size()), time_ = time;
  tau_.setZero(), wrenches_.clear();
  work_ = {}, counts_ = {}, known_ = false;
  p.dynamics.pass(infinity);
  p.begin_anew();
  // springs that hold the links still, and motors that move with them
  p.state.set(q_, v_);
  gravity_torque<double>(plant, p.state, p.ws, link_torque_);
  p.motors.theta.setZero(), p.motors.omega = v_;
  for (const detail::SpringBetween& s : p.rotors.springs())
    p.motors.theta(s.c) = q_(model().drives().position(s.c)) +
                          detail::spring_deflection<double>(plant.drives, s.c, link_torque_(s.c));
  p.rotors.set_motors(p.motors, p.q, p.v);
  p.rest_q = p.q, p.rest_v = p.v;
}

void Simulation::set_motors(const Eigen::VectorXd& theta, const Eigen::VectorXd& omega) {
  detail::require<double>("theta", theta, model().nv(), model());
  detail::require<double>("omega", omega, model().nv(), model());
  Parts& p = *parts_;
  for (const int c : model().drives().elastic)
    p.motors.theta(c) = theta(c), p.motors.omega(c) = omega(c);
  p.rotors.set_motors(p.motors, p.rest_q, p.rest_v);
  known_ = false;
}

void Simulation::set_wrenches(ExternalWrenches<double> wrenches) {
  detail::check_wrenches(wrenches, model());
  wrenches_.assign(wrenches.begin(), wrenches.end());
  known_ = false;
}

SimulationStatus Simulation::hold(In<double> tau) noexcept {
  if (tau.size() != model().nv()) return SimulationStatus::bad_argument;
  if (!tau.allFinite()) return SimulationStatus::torque_not_finite;
  tau_ = tau;
  known_ = false;
  if (!options_.torque_limits) return SimulationStatus::moved;
  counts_.clamped += parts_->motor_limits.clip(tau_);
  return SimulationStatus::moved;
}

SimulationStatus Simulation::step(double h) noexcept try {
  if (!(h > 0.0) || !std::isfinite(h)) return SimulationStatus::bad_argument;
  // a duration that is a multiple of the substep but for rounding is not cut once more
  const double pieces = options_.adaptive ? 1.0 : std::ceil(h / options_.substep * (1.0 - 1e-12));
  if (pieces > most_substeps) return SimulationStatus::bad_argument;
  const long n = std::max(1L, long(pieces));
  if (!sane(plant)) return SimulationStatus::plant_not_physical;
  SimulationWork work = work_;
  SimulationCounts counts = counts_;
  Parts& p = *parts_;
  p.q = p.rest_q, p.v = p.rest_v;
  p.act(plant, tau_, wrenches_);
  p.judge(work);
  for (long k = 0; k < n; ++k) {
    const SimulationStatus status = p.piece(h / double(n), work, counts);
    if (status != SimulationStatus::moved) return status;
  }
  p.rest_q = p.q, p.rest_v = p.v;
  q_ = p.q.head(q_.size()), v_ = p.v.head(v_.size());
  p.rotors.get_motors(p.q, p.v, p.motors);
  if (p.robot_loops) p.robot_loops->set(q_, v_);
  time_ += h;
  work_ = work, counts_ = counts;
  ++counts_.steps;
  known_ = false;
  return SimulationStatus::moved;
} catch (const std::exception&) {
  // what the dynamics refuse is a state that is not finite
  return SimulationStatus::diverged;
}

SimulationStatus Simulation::step(In<double> tau, double h) noexcept {
  const SimulationStatus status = hold(tau);
  return status == SimulationStatus::moved ? step(h) : status;
}

const Eigen::VectorXd& Simulation::acceleration() {
  if (known_) return a_;
  known_ = true;
  if (!sane(plant)) return a_.setZero();
  Parts& p = *parts_;
  p.act(plant, tau_, wrenches_);
  if (!p.dynamics.decide(p.rest_q, p.rest_v) || !p.dynamics.accelerate(p.rest_q, p.rest_v, p.a))
    p.a.setZero();
  a_ = p.a.head(a_.size());
  return a_;
}

const Eigen::VectorXd& Simulation::theta() const { return parts_->motors.theta; }
const Eigen::VectorXd& Simulation::omega() const { return parts_->motors.omega; }

const Eigen::VectorXd& Simulation::link_torque() {
  link_torque_ = tau_;
  parts_->state.set(q_, v_);
  spring_torque<double>(plant, parts_->state, parts_->motors, link_torque_);
  return link_torque_;
}

const Loops* Simulation::loops() const {
  return parts_->robot_loops ? &*parts_->robot_loops : parts_->dynamics.loops();
}

bool Simulation::held(int i) const { return parts_->dynamics.held(i); }

double Simulation::stop_load(int i) {
  if (!parts_->dynamics.at_stop(i, q_)) return 0.0;
  (void)acceleration();
  return parts_->dynamics.stop_load(i);
}

double Simulation::energy() {
  const double kinetic = kinetic_energy();
  return kinetic + potential_energy<double>(plant, parts_->state, parts_->ws) +
         spring_energy<double>(plant, parts_->state, parts_->motors);
}

double Simulation::kinetic_energy() {
  parts_->state.set(q_, v_);
  return ulna::kinetic_energy<double>(plant, parts_->state, parts_->ws) +
         rotor_energy<double>(plant, parts_->state, parts_->motors);
}

Wrench<double> Simulation::momentum() {
  parts_->state.set(q_, v_);
  return centroidal_momentum<double>(plant, parts_->state, parts_->ws);
}

}  // namespace ulna
