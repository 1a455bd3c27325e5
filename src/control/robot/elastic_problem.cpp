#include "ulna/control/robot/elastic_problem.hpp"

#include <cmath>

#include "num/message.hpp"
#include "ulna/derivatives/derivatives.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/dynamics/spring_force.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::control {

using messages::require;

namespace {

constexpr int orders = 4;  ///< of the state: q, v, a, jerk

/// A step of a chain of integrators in units of 1/bandwidth: row i of (u, x) is x_i after the step.
Eigen::Matrix<double, orders, orders + 1> chain_step(double h) {
  Eigen::Matrix<double, orders, orders + 1> F = F.Zero();
  for (int i = 0; i < orders; ++i) {
    double share = 1.0;
    for (int k = i; k <= orders; ++k) {
      F(i, k) = share;
      share *= h / (k - i + 1);
    }
  }
  return F;
}

/// c of (s² + 1.6 b s + b²)(s² + w s + w²) = s^4 + Σ c_k s^k, with b = 1.
Eigen::Vector4d decay_law(double w) {
  return {w * w, 1.6 * w * w + w, w * w + 1.6 * w + 1.0, w + 1.6};
}

/// rad/s, of each joint by itself.
Eigen::VectorXd vibrations_of(const Plant<double>& plant, const ElasticProblemOptions& options) {
  const Model& model = plant.model();
  Eigen::VectorXd w = options.vibration;
  if (w.size() > 0) {
    ulna::detail::require_size("frequencies of vibrations", w.size(), model.nv(), model);
  } else {
    Kinematics<double> at(model);
    Workspace<double> ws(model);
    Eigen::MatrixXd M(model.nv(), model.nv());
    at.set(neutral(model));
    mass_matrix<double>(plant, at, ws, M);
    w = Eigen::VectorXd::Constant(model.nv(), 3.0 * options.bandwidth);
    for (const int c : model.drives().elastic)
      w(c) = std::sqrt(plant.drives.stiffness(c) *
                       (1.0 / M(c, c) + 1.0 / ulna::detail::rotor_inertia(plant, c)));
  }
  return w.cwiseMin(0.8 / options.duration);
}

std::vector<StageSize> sizes_of(const Model& model, const ElasticProblemOptions& options) {
  require(options.steps >= 1 && options.duration > 0.0 && options.bandwidth > 0.0,
          "elastic problem: it needs at least one step, a duration and a bandwidth above 0");
  const int compound = compound_joint(model);
  require(compound == 0 && !model.has_mimics(), "elastic problem: robot '", model.name(),
          "' has joints of several degrees of freedom, or that mimic others");
  require(model.drives().diagonal && model.drives().mounts.empty(), "elastic problem: motors of '",
          model.name(), "' are coupled or carried by links, which is not supported here");
  const int n = model.nv();
  std::vector<StageSize> sizes(std::size_t(options.steps), StageSize{orders * n, n, n});
  sizes.push_back({orders * n, 0, 0});
  return sizes;
}

}  // namespace

void torque_at_joints(const DriveTrain& train, const Eigen::VectorXd& motor,
                      Eigen::Ref<Eigen::VectorXd> tau) {
  tau.setZero();
  for (const auto& [m, c, ratio] : train.gears) tau(c) += ratio * motor(m);
}

struct ElasticProblem::Parts {
  Parts(Plant<double> p, const ElasticProblemOptions& options)
      : plant(std::move(p)),
        n(plant.model().nv()),
        h(options.duration),
        bandwidth(options.bandwidth),
        F(chain_step(h * bandwidth)),
        laws(orders, n),
        limits(plant.model()),
        references(std::size_t(options.steps) + 1, SmoothMotion(n)),
        motion(n),
        disturbance(Vector::Zero(n)),
        at(plant.model()),
        given(plant.model()),
        ws(plant.model()),
        torques(plant.model()),
        derivative_ws(plant.model()),
        slopes(plant.model()) {
    const Vector w = vibrations_of(plant, options) / bandwidth;
    for (int i = 0; i < n; ++i) laws.col(i) = decay_law(w(i));
  }

  double unit(int order) const { return std::pow(bandwidth, order); }

  /// x of a stage as a motion.
  void spread(In x, In u) {
    motion.q = x.head(n), motion.v = unit(1) * x.segment(n, n);
    motion.a = unit(2) * x.segment(2 * n, n), motion.jerk = unit(3) * x.segment(3 * n, n);
    if (u.size() > 0) motion.snap = unit(4) * u;
  }
  double missing(const SmoothMotion& r, int order, int i, In x) const {
    const Vector& to = order == 0 ? r.q : order == 1 ? r.v : order == 2 ? r.a : r.jerk;
    return x(order * n + i) - to(i) / unit(order);
  }
  /// What an input differs by from the law, as a position.
  double residual(const SmoothMotion& r, int i, In x, In u) const {
    double sum = u(i) - r.snap(i) / unit(4);
    for (int k = 0; k < orders; ++k) sum += laws(k, i) * missing(r, k, i, x);
    return sum / laws(0, i);
  }

  void torque(const SmoothMotion& m, Out tau) {
    given.set(m.q, m.v, m.a, m.jerk, m.snap);
    drive_inverse_dynamics<double>(plant, given, ws, torques);
    torque_at_joints(plant.model().drives(), torques.motor, tau);
    tau += disturbance;
  }

  /// G of (u, x): tau = s + B (a + s''/K), where M is the part of s'' that snap has, and of s that a has.
  void differentiate(Eigen::MatrixXd& G) {
    at.set(motion.q, motion.v, motion.a);
    inverse_dynamics_derivatives<double>(plant, at, derivative_ws, slopes);
    const DriveTrain& train = plant.model().drives();
    G.leftCols(n).setZero(), G.rightCols(n).setZero();
    G.middleCols(n, n) = slopes.dq;
    G.middleCols(2 * n, n) = unit(1) * slopes.dv;
    G.middleCols(3 * n, n) = unit(2) * slopes.da;
    for (const int c : train.elastic) {
      const double B = ulna::detail::rotor_inertia(plant, c);
      G(c, 3 * n + c) += unit(2) * B;
      G.row(c).head(n) = unit(4) * B / plant.drives.stiffness(c) * slopes.da.row(c);
    }
  }

  Plant<double> plant;
  int n;
  double h, bandwidth;
  static constexpr double scale =
      1e3;  ///< of the cost: a milliradian is not to be lost in the solver's tolerance
  Eigen::Matrix<double, orders, orders + 1> F;
  Eigen::Matrix<double, orders, Eigen::Dynamic> laws;  ///< c of each joint
  MotionLimits limits;
  std::vector<SmoothMotion> references;
  SmoothMotion motion;
  Vector disturbance;
  Kinematics<double> at;
  DriveMotion<double> given;
  DriveWorkspace<double> ws;
  DriveTorques<double> torques;
  DerivativeWorkspace<double> derivative_ws;
  InverseDynamicsDerivatives<double> slopes;
};

ElasticProblem::ElasticProblem(Plant<double> plant, const ElasticProblemOptions& options)
    : StagewiseProblem(sizes_of(plant.model(), options)),
      parts_(std::make_unique<Parts>(std::move(plant), options)) {
  set_limits(options.limits.value_or(parts_->limits));
}
ElasticProblem::~ElasticProblem() = default;

const Model& ElasticProblem::model() const { return parts_->plant.model(); }
double ElasticProblem::duration() const { return parts_->h; }
const MotionLimits& ElasticProblem::limits() const { return parts_->limits; }
void ElasticProblem::set_plant(const Plant<double>& plant) { parts_->plant = plant; }

void ElasticProblem::set_limits(const MotionLimits& limits) {
  const int n = parts_->n;
  for (const Vector* x : {&limits.lower, &limits.upper, &limits.velocity, &limits.torque})
    ulna::detail::require_size("a limit", x->size(), n, model());
  parts_->limits = limits;
  for (int k = 0; k <= steps(); ++k) {
    Bounds& b = bounds(k);
    const int inputs = size(k).u, rows = size(k).g;
    // the first state is given
    if (k > 0) {
      b.lower.segment(inputs, n) = limits.lower, b.upper.segment(inputs, n) = limits.upper;
      b.upper.segment(inputs + n, n) = limits.velocity / parts_->unit(1);
      b.lower.segment(inputs + n, n) = -b.upper.segment(inputs + n, n);
      b.price.segment(inputs, 2 * n).setConstant(limits.price);
      b.price_squared.segment(inputs, 2 * n).setConstant(limits.price_squared);
    }
    b.upper.tail(rows) = limits.torque.head(rows), b.lower.tail(rows) = -limits.torque.head(rows);
  }
}

void ElasticProblem::set_disturbance(In tau) { parts_->disturbance = tau; }

void ElasticProblem::set_reference(int node, const SmoothMotion& motion) {
  parts_->references.at(std::size_t(node)) = motion;
}

void ElasticProblem::state(In q, In v, In a, In jerk, Out x) const {
  const int n = parts_->n;
  x.head(n) = q, x.segment(n, n) = v / parts_->unit(1);
  x.segment(2 * n, n) = a / parts_->unit(2), x.tail(n) = jerk / parts_->unit(3);
}
void ElasticProblem::snap(In u, Out snap) const { snap = parts_->unit(4) * u; }

Trajectory ElasticProblem::guess() const {
  Trajectory t = trajectory_of(*this);
  for (int k = 0; k <= steps(); ++k) {
    const SmoothMotion& r = parts_->references[std::size_t(k)];
    state(r.q, r.v, r.a, r.jerk, t.x[std::size_t(k)]);
    if (k < steps()) t.u[std::size_t(k)] = r.snap / parts_->unit(4);
  }
  return t;
}

void ElasticProblem::motor_torque(const SmoothMotion& motion, Out tau) {
  parts_->torque(motion, tau);
}

bool ElasticProblem::evaluate(int k, In x, In u, StageValue& value) {
  Parts& p = *parts_;
  const int n = p.n;
  value.cost = 0.0;
  if (k == steps()) return x.allFinite();
  for (int i = 0; i < n; ++i) {
    const double r = p.residual(p.references[std::size_t(k)], i, x, u);
    value.cost += 0.5 * p.scale * r * r;
  }
  for (int i = 0; i < orders; ++i) {
    value.next.segment(i * n, n) = p.F(i, orders) * u;
    for (int o = i; o < orders; ++o)
      value.next.segment(i * n, n) += p.F(i, o) * x.segment(o * n, n);
  }
  p.spread(x, u);
  p.torque(p.motion, value.g);
  return std::isfinite(value.cost) && value.g.allFinite();
}

bool ElasticProblem::linearise(int k, In x, In u, const Vector*, const Vector*, StageValue& value,
                               QpStage& stage) {
  if (!evaluate(k, x, u, value)) return false;
  Parts& p = *parts_;
  const int n = p.n, inputs = size(k).u;
  const SmoothMotion& r = p.references[std::size_t(k)];
  stage.H.setZero(), stage.h.setZero();
  if (k == steps()) return true;
  for (int i = 0; i < n; ++i) {
    const double missed = p.residual(r, i, x, u), c0 = p.laws(0, i);
    const auto slope = [&](int order) { return (order < 0 ? 1.0 : p.laws(order, i)) / c0; };
    // of (u, x): row -1 is the input
    for (int o = -1; o < orders; ++o) {
      const int row = o < 0 ? i : inputs + o * n + i;
      stage.h(row) = p.scale * slope(o) * missed;
      for (int c = -1; c < orders; ++c)
        stage.H(row, c < 0 ? i : inputs + c * n + i) = p.scale * slope(o) * slope(c);
    }
  }
  stage.F.setZero();
  for (int i = 0; i < orders; ++i) {
    stage.F.block(i * n, 0, n, n).diagonal().setConstant(p.F(i, orders));
    for (int o = i; o < orders; ++o)
      stage.F.block(i * n, n + o * n, n, n).diagonal().setConstant(p.F(i, o));
  }
  p.differentiate(stage.G);
  return true;
}

}  // namespace ulna::control
