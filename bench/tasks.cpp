// All that is compared and measured of one robot: what libraries offer, and what their users make of it.

#include <cmath>

#include "bench.hpp"
#include "ulna/num/dual.hpp"
#include "ulna/ulna.hpp"

namespace bench {
namespace {

using namespace ulna;

/// Second derivatives, and what is far slower than ulna, take their time.
constexpr int most_second = 28, most_differences = 56, most_per_parameter = 14;

bool one_degree_each(const States& s) { return s.nq == s.nv && s.nv == s.bodies; }

// --- finite differences ---

/// Central differences of a function q, v, x -> out (size) by q and by v, column by column.
class Differences {
 public:
  Differences(Task of, int nv, int size)
      : of_(std::move(of)), nv_(nv), size_(size), q_(nv), v_(nv), above_(size), below_(size) {}

  /// to(k, j): derivative by the k-th of q, then of v; column j of size_ numbers.
  template <class To>
  void operator()(const double* q, const double* v, const double* x, To to) {
    std::copy_n(q, nv_, q_.begin());
    std::copy_n(v, nv_, v_.begin());
    for (int k = 0; k < 2 * nv_; ++k) {
      double& at = k < nv_ ? q_[k] : v_[k - nv_];
      const double here = at;
      at = here + step;
      of_(q_.data(), v_.data(), x, above_.data());
      at = here - step;
      of_(q_.data(), v_.data(), x, below_.data());
      at = here;
      for (int i = 0; i < size_; ++i) above_[i] = (above_[i] - below_[i]) * (0.5 / step);
      to(k, above_.data());
    }
  }

 private:
  static constexpr double step = 5e-6;  // the cube root of the rounding error

  Task of_;
  int nv_, size_;
  std::vector<double> q_, v_, above_, below_;
};

/// Derivatives of inverse or forward dynamics; and M or its inverse as the library computes it.
struct FirstDifferences {
  Differences differences;
  Task mass;
  int nv;

  static void call(void* self, const double* q, const double* v, const double* x, double* out) {
    auto& [differences, mass, nv] = *static_cast<FirstDifferences*>(self);
    differences(q, v, x, [out, nv = nv](int k, const double* column) {
      std::copy_n(column, nv, out + k * nv);
    });
    mass(q, v, x, out + 2 * nv * nv);
  }
};

/// Where a library has no inverse of the mass matrix, a acts on forward dynamics in a line.
struct InverseMassByColumns {
  Task forward;
  int nv;
  std::vector<double> tau, bias;

  static void call(void* self, const double* q, const double* v, const double*, double* out) {
    auto& [forward, nv, tau, bias] = *static_cast<InverseMassByColumns*>(self);
    std::fill(tau.begin(), tau.end(), 0.0);
    forward(q, v, tau.data(), bias.data());
    for (int k = 0; k < nv; ++k) {
      tau[k] = 1.0;
      forward(q, v, tau.data(), out + k * nv);
      tau[k] = 0.0;
      for (int i = 0; i < nv; ++i) out[k * nv + i] -= bias[i];
    }
  }
};

/// Differences of exact first derivatives.
struct SecondDifferences {
  Differences differences;
  int nv;

  static void call(void* self, const double* q, const double* v, const double* a, double* out) {
    auto& [differences, nv] = *static_cast<SecondDifferences*>(self);
    const int n2 = nv * nv, n3 = n2 * nv;
    double *const qq = out, *const vv = out + n3, *const qv = out + 2 * n3,
                  *const aq = out + 3 * n3;
    differences(q, v, a, [&, nv = nv](int k, const double* slope) {
      if (k >= nv) {
        std::copy_n(slope + n2, n2, vv + (k - nv) * n2);
        return;
      }
      std::copy_n(slope, n2, qq + k * n2);
      for (int j = 0; j < nv; ++j) std::copy_n(slope + n2 + j * nv, nv, qv + k * nv + j * n2);
      std::copy_n(slope + 2 * n2, n2, aq + k * n2);
    });
  }
};

template <class Way>
Task make(int algorithm, const char* variant, Way way) {
  return {algorithm, variant, Way::call, std::make_shared<Way>(std::move(way))};
}

void add_differences(const Robot& robot, bool ulna, std::vector<Task>& tasks) {
  const States& s = robot.states;
  if (!one_degree_each(s)) return;
  const auto find = [&](int algorithm) -> std::optional<Task> {
    for (const Task& t : tasks)
      if (t.algorithm == algorithm && t.variant.empty()) return t;
    return {};
  };
  const char* const variant = "finite differences";
  const auto inverse = find(BENCH_INVERSE_DYNAMICS), forward = find(BENCH_FORWARD_DYNAMICS),
             mass = find(BENCH_MASS_MATRIX), inverse_mass = find(BENCH_INVERSE_MASS),
             slope = find(BENCH_INVERSE_DYNAMICS_DERIVATIVES);
  if (inverse && mass)
    tasks.push_back(make(BENCH_INVERSE_DYNAMICS_DERIVATIVES, variant,
                         FirstDifferences{Differences(*inverse, s.nv, s.nv), *mass, s.nv}));
  const bool own = std::any_of(tasks.begin(), tasks.end(), [&](const Task& t) {
    return t.algorithm == BENCH_FORWARD_DYNAMICS_DERIVATIVES && t.variant == variant;
  });
  if (forward && !own && (ulna || s.nv <= most_differences)) {
    const Task columns = inverse_mass
                             ? *inverse_mass
                             : make(BENCH_INVERSE_MASS, "",
                                    InverseMassByColumns{*forward, s.nv, std::vector<double>(s.nv),
                                                         std::vector<double>(s.nv)});
    tasks.push_back(make(BENCH_FORWARD_DYNAMICS_DERIVATIVES, variant,
                         FirstDifferences{Differences(*forward, s.nv, s.nv), columns, s.nv}));
  }
  if (slope && s.nv <= most_second)
    tasks.push_back(make(BENCH_SECOND_DERIVATIVES, variant,
                         SecondDifferences{Differences(*slope, s.nv, 3 * s.nv * s.nv), s.nv}));
}

// --- dual numbers ---

Plant<double> plain_plant(const Model& model) {
  Plant<double> plant(model);
  plant.remove_friction();
  plant.armature.setZero();
  return plant;
}

/// Derivatives of inverse or forward dynamics by q and v, N at a time.
template <int N, bool forward>
struct ByDuals {
  using D = Dual<double, N>;

  Plant<D> plant;
  Workspace<D> ws;
  Motion<D> motion;
  Kinematics<D> at;
  VecX<D> q, v, x, out;
  Task mass;

  ByDuals(const Model& model, Task mass_matrix)
      : plant(model),
        ws(model),
        motion(model),
        at(model),
        q(model.nv()),
        v(q),
        x(q),
        out(q),
        mass(std::move(mass_matrix)) {
    plant.remove_friction();
    plant.armature.setZero();
  }

  static void call(void* self, const double* q, const double* v, const double* x, double* to) {
    auto& me = *static_cast<ByDuals*>(self);
    const int nv = static_cast<int>(me.q.size());
    for (int i = 0; i < nv; ++i) me.q(i) = D(q[i]), me.v(i) = D(v[i]), me.x(i) = D(x[i]);
    const auto variable = [&](int k) -> D& { return k < nv ? me.q(k) : me.v(k - nv); };
    for (int k = 0; k < 2 * nv; k += N) {
      const int here = std::min(N, 2 * nv - k);
      for (int d = 0; d < here; ++d) variable(k + d).gradient[d] = 1.0;
      if constexpr (forward) {
        me.at.set(me.q, me.v);
        use(forward_dynamics<D>(me.plant, me.at, me.x, me.ws, me.out));
      } else {
        me.motion.set(me.q, me.v, me.x);
        inverse_dynamics<D>(me.plant, me.motion, me.ws, me.out);
      }
      for (int d = 0; d < here; ++d) {
        variable(k + d).gradient[d] = 0.0;
        for (int i = 0; i < nv; ++i) to[(k + d) * nv + i] = me.out(i).gradient[d];
      }
    }
    me.mass(q, v, x, to + 2 * nv * nv);
  }
};

/// Second derivatives: exact first ones on dual numbers.
struct SecondByDuals {
  using D = Dual<double, 1>;

  Plant<D> plant;
  Kinematics<D> at;
  DerivativeWorkspace<D> ws;
  InverseDynamicsDerivatives<D> slope;
  VecX<D> q, v, a;

  explicit SecondByDuals(const Model& model)
      : plant(model), at(model), ws(model), slope(model), q(model.nv()), v(q), a(q) {
    plant.remove_friction();
    plant.armature.setZero();
  }

  static void call(void* self, const double* q, const double* v, const double* a, double* out) {
    auto& me = *static_cast<SecondByDuals*>(self);
    const int n = static_cast<int>(me.q.size()), n2 = n * n, n3 = n2 * n;
    for (int i = 0; i < n; ++i) me.q(i) = D(q[i]), me.v(i) = D(v[i]), me.a(i) = D(a[i]);
    const auto put = [&](const MatX<D>& from, double* to, int stride) {
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) to[j * stride + i] = from(i, j).gradient[0];
    };
    for (int k = 0; k < 2 * n; ++k) {
      D& along = k < n ? me.q(k) : me.v(k - n);
      along.gradient[0] = 1.0;
      me.at.set(me.q, me.v, me.a);
      inverse_dynamics_derivatives(me.plant, me.at, me.ws, me.slope);
      along.gradient[0] = 0.0;
      if (k >= n) {
        put(me.slope.dv, out + n3 + (k - n) * n2, n);
      } else {
        put(me.slope.dq, out + k * n2, n);
        put(me.slope.dv, out + 2 * n3 + k * n, n2);
        put(me.slope.da, out + 3 * n3 + k * n2, n);
      }
    }
  }
};

// --- regressors ---

/// tau is linear in the parameters: a column is what one of them alone needs.
struct PerParameter {
  std::vector<Plant<double>> plants;
  Motion<double> motion;
  Workspace<double> ws;
  VecX<double> tau;
  int nq, nv;

  explicit PerParameter(const Model& model)
      : plants(10 * static_cast<std::size_t>(model.joint_count()), plain_plant(model)),
        motion(model),
        ws(model),
        tau(model.nv()),
        nq(model.nq()),
        nv(model.nv()) {
    for (std::size_t k = 0; k < plants.size(); ++k)
      plants[k].set_inertial(
          Eigen::VectorXd::Unit(plants[k].inertial_size(), static_cast<Eigen::Index>(k)));
  }

  static void call(void* self, const double* q, const double* v, const double* a, double* Y) {
    auto& me = *static_cast<PerParameter*>(self);
    using In = Eigen::Map<const Eigen::VectorXd>;
    me.motion.set(In(q, me.nq), In(v, me.nv), In(a, me.nv));
    for (std::size_t k = 0; k < me.plants.size(); ++k) {
      inverse_dynamics<double>(me.plants[k], me.motion, me.ws, me.tau);
      for (int i = 0; i < me.nv; ++i) Y[i * me.plants.size() + k] = me.tau(i);
    }
  }
};

}  // namespace

std::vector<Task> tasks_of(const BenchPeer& peer, const Robot& robot) {
  const BenchRobot table = robot.table();
  const std::shared_ptr<void> instance(peer.load(&table), [&peer](void* loaded) {
    if (loaded) peer.unload(loaded);
  });
  std::vector<Task> tasks;
  if (!instance) return tasks;
  for (int k = 0; k < BENCH_ALGORITHMS; ++k) {
    if (!peer.functions[k] || (k == BENCH_SECOND_DERIVATIVES && robot.states.nv > most_second))
      continue;
    const bool differences = is_derivative(k) && !peer.exact_derivatives;
    if (differences && (!one_degree_each(robot.states) || robot.states.nv > most_differences))
      continue;
    tasks.push_back({k, differences ? "finite differences" : "", peer.functions[k], instance});
  }
  add_differences(robot, peer.exact_derivatives, tasks);
  return tasks;
}

std::vector<Task> more_tasks_of_ulna(const Robot& robot) {
  std::vector<Task> tasks;
  if (!one_degree_each(robot.states)) return tasks;
  const auto add = [&](int algorithm, const char* variant, auto way) {
    using Way = typename decltype(way)::element_type;
    tasks.push_back({algorithm, variant, Way::call, way});
  };
  Task mass, inverse_mass;
  for (const Task& t : tasks_of(ulna_peer(), robot)) {
    if (t.algorithm == BENCH_MASS_MATRIX) mass = t;
    if (t.algorithm == BENCH_INVERSE_MASS) inverse_mass = t;
  }
  const Model& model = robot.model;
  add(BENCH_INVERSE_DYNAMICS_DERIVATIVES, "dual, 1 direction",
      std::make_shared<ByDuals<1, false>>(model, mass));
  add(BENCH_INVERSE_DYNAMICS_DERIVATIVES, "dual, 4 directions",
      std::make_shared<ByDuals<4, false>>(model, mass));
  add(BENCH_FORWARD_DYNAMICS_DERIVATIVES, "dual, 1 direction",
      std::make_shared<ByDuals<1, true>>(model, inverse_mass));
  add(BENCH_FORWARD_DYNAMICS_DERIVATIVES, "dual, 4 directions",
      std::make_shared<ByDuals<4, true>>(model, inverse_mass));
  if (robot.states.nv <= most_second)
    add(BENCH_SECOND_DERIVATIVES, "dual, 1 direction", std::make_shared<SecondByDuals>(model));
  if (robot.states.nv <= most_per_parameter)
    add(BENCH_REGRESSOR, "one parameter at a time", std::make_shared<PerParameter>(model));
  return tasks;
}

}  // namespace bench
