#include "ulna/control/robot/elastic_problem.hpp"

#include <cmath>

#include "num/message.hpp"
#include "ulna/derivatives/derivatives.hpp"
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

/// The cost to go of Σ ½ h (|x|² + u²) along a chain, by the Riccati recursion.
Eigen::Matrix4d cost_to_go(double h) {
  const auto F = chain_step(h);
  const Eigen::Matrix4d A = F.leftCols<orders>();
  const Eigen::Vector4d B = F.col(orders);
  Eigen::Matrix4d P = h * Eigen::Matrix4d::Identity();
  for (int i = 0; i < 2000; ++i) {
    const Eigen::RowVector4d BPA = B.transpose() * P * A;
    P = (A.transpose() * P * A - BPA.transpose() * BPA / (h + B.dot(P * B))).eval();
    P.diagonal().array() += h;
  }
  return 0.5 * (P + P.transpose());
}

std::vector<StageSize> sizes_of(const Model& model, const ElasticProblemOptions& options) {
  require(options.steps >= 1 && options.duration > 0.0 && options.bandwidth > 0.0,
          "elastic problem: it needs at least one step, a duration and a bandwidth above 0");
  const int compound = compound_joint(model);
  require(compound == 0 && !model.has_mimics(), "elastic problem: robot '", model.name(),
          "' has joints of several degrees of freedom, or that mimic others");
  require(model.drives().diagonal && model.drives().mounts.empty(), "elastic problem: motors of '",
          model.name(), "' are coupled or carried by links, which is not known here");
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
        to_go(cost_to_go(h * bandwidth)),
        limits(plant.model()),
        references(std::size_t(options.steps) + 1, SmoothMotion(n)),
        motion(n),
        disturbance(Vector::Zero(n)),
        at(plant.model()),
        given(plant.model()),
        ws(plant.model()),
        torques(plant.model()),
        derivative_ws(plant.model()),
        slopes(plant.model()) {}

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
  /// The same weight for all: that of a step in units of 1/bandwidth.
  double weight() const { return h * bandwidth; }

  double cost(const SmoothMotion& r, In x, In u) const {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
      Eigen::Vector4d e;
      for (int k = 0; k < orders; ++k) e(k) = missing(r, k, i, x);
      if (u.size() == 0) {
        sum += e.dot(to_go * e);
        continue;
      }
      const double more = u(i) - r.snap(i) / unit(4);
      sum += weight() * (e.squaredNorm() + more * more);
    }
    return 0.5 * scale * sum;
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
      const DriveTrain::Entry& gear = train.gear_of(c);
      const double B =
          plant.drives.rotor(c) + gear.ratio * gear.ratio * plant.drives.inertia(gear.motor);
      G(c, 3 * n + c) += unit(2) * B;
      G.row(c).head(n) = unit(4) * B / plant.drives.stiffness(c) * slopes.da.row(c);
    }
  }

  Plant<double> plant;
  int n;
  double h, bandwidth;
  double scale = 1e4;  ///< of the cost: a milliradian is not to be lost in the solver's tolerance
  Eigen::Matrix<double, orders, orders + 1> F;
  Eigen::Matrix4d to_go;
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
  value.cost = p.cost(p.references[std::size_t(k)], x, u);
  if (k == steps()) return std::isfinite(value.cost);
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
  for (int i = 0; i < n; ++i) {
    for (int o = 0; o < orders; ++o) {
      const int row = inputs + o * n + i;
      if (k < steps()) {
        stage.H(row, row) = p.scale * p.weight();
        stage.h(row) = p.scale * p.weight() * p.missing(r, o, i, x);
        continue;
      }
      for (int c = 0; c < orders; ++c) {
        stage.H(row, c * n + i) = p.scale * p.to_go(o, c);
        stage.h(row) += p.scale * p.to_go(o, c) * p.missing(r, c, i, x);
      }
    }
    if (k == steps()) continue;
    stage.H(i, i) = p.scale * p.weight();
    stage.h(i) = p.scale * p.weight() * (u(i) - r.snap(i) / p.unit(4));
  }
  if (k == steps()) return true;
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
