#include "ulna/derivatives/derivatives.hpp"

#include "spec.hpp"

namespace ulna::python {
namespace {

using enum Role;

void set_q_v_a(Scratch& s, const Call& c) { s.at.set(c.x[0].vec(), c.x[1].vec(), c.x[2].vec()); }

const InverseDynamicsDerivatives<double>& inverse_at(const Engine& e, Scratch& s, const Call& c) {
  set_q_v_a(s, c);
  auto& out = Scratch::made(s.inverse, e.model);
  inverse_dynamics_derivatives<double>(e.plant, s.at, Scratch::made(s.first_ws, e.model), out,
                                       c.wrenches);
  return out;
}

const ForwardDynamicsDerivatives<double>& forward_at(const Engine& e, Scratch& s, const Call& c) {
  s.at.set(c.x[0].vec(), c.x[1].vec());
  auto& out = Scratch::made(s.forward, e.model);
  if (!forward_dynamics_derivatives<double>(e.plant, s.at, c.x[2].vec(),
                                            Scratch::made(s.first_ws, e.model), out, c.wrenches))
    refuse_indefinite(e);
  return out;
}

template <class First, class Matrix>
void write(const First& value, const Matrix& dq, const Matrix& dv, const Matrix& dx,
           const Call& c) {
  const Index n = dq.rows();
  Eigen::Map<VectorXd>(c.out[0], n) = value;
  RowMap(c.out[1], n, n) = dq;
  RowMap(c.out[2], n, n) = dv;
  RowMap(c.out[3], n, n) = dx;
}

void inverse_first(const Engine& e, Scratch& s, const Call& c) {
  const auto& d = inverse_at(e, s, c);
  write(d.tau, d.dq, d.dv, d.da, c);
}
void forward_first(const Engine& e, Scratch& s, const Call& c) {
  const auto& d = forward_at(e, s, c);
  write(d.a, d.dq, d.dv, d.dtau, c);
}

/// The batch writes matrices by columns, numpy's are by rows.
void turn_matrices(double* numbers, Index n, Index states) {
  for (Index i = 0; i < states; ++i)
    Eigen::Map<MatrixXd>(numbers + i * n * n, n, n).transposeInPlace();
}

bool inverse_first_many(const Engine& e, Crew& crew, const Call& c, Index states) {
  if (!c.wrenches.empty()) return false;
  const Index n = e.model.nv();
  const auto Q = c.x[0].columns(states), V = c.x[1].columns(states), A = c.x[2].columns(states);
  const auto out = [&](std::size_t k) { return Eigen::Map<MatrixXd>(c.out[k], n * n, states); };
  crew.batch().inverse_dynamics(e.plant, Q, V, A, Eigen::Map<MatrixXd>(c.out[0], n, states));
  crew.derivatives().inverse_dynamics(e.plant, Q, V, A, out(1), out(2), out(3));
  for (const std::size_t k : {1, 2}) turn_matrices(c.out[k], n, states);
  return true;
}

bool forward_first_many(const Engine& e, Crew& crew, const Call& c, Index states) {
  if (!c.wrenches.empty()) return false;
  const Index n = e.model.nv();
  const auto Q = c.x[0].columns(states), V = c.x[1].columns(states), Tau = c.x[2].columns(states);
  const auto out = [&](std::size_t k) { return Eigen::Map<MatrixXd>(c.out[k], n * n, states); };
  if (!crew.batch().forward_dynamics(e.plant, Q, V, Tau,
                                     Eigen::Map<MatrixXd>(c.out[0], n, states)) ||
      !crew.derivatives().forward_dynamics(e.plant, Q, V, Tau, out(1), out(2), out(3)))
    refuse_indefinite(e, first_nan(c.out[0], n, states));
  for (const std::size_t k : {1, 2}) turn_matrices(c.out[k], n, states);
  return true;
}

// --- products with directions and weights, as automatic differentiation asks for them ---

template <class Matrix>
void write_vjp(const Engine& e, const Matrix& d_q, const Matrix& d_v, const Matrix& d_x,
               const Call& c) {
  const Index n = e.model.nv();
  detail::require<double>("w", c.x[3].vec(), n, e.model);
  const auto w = c.x[3].vec();
  Eigen::Map<VectorXd>(c.out[0], n).noalias() = d_q.transpose() * w;
  Eigen::Map<VectorXd>(c.out[1], n).noalias() = d_v.transpose() * w;
  Eigen::Map<VectorXd>(c.out[2], n).noalias() = d_x.transpose() * w;
}
template <class Matrix>
void write_jvp(const Engine& e, const Matrix& d_q, const Matrix& d_v, const Matrix& d_x,
               const char* third, const Call& c) {
  const Index n = e.model.nv();
  detail::require<double>("dq", c.x[3].vec(), n, e.model);
  detail::require<double>("dv", c.x[4].vec(), n, e.model);
  detail::require<double>(third, c.x[5].vec(), n, e.model);
  Eigen::Map<VectorXd> out(c.out[0], n);
  out.noalias() = d_q * c.x[3].vec();
  out.noalias() += d_v * c.x[4].vec();
  out.noalias() += d_x * c.x[5].vec();
}

void inverse_vjp(const Engine& e, Scratch& s, const Call& c) {
  const auto& d = inverse_at(e, s, c);
  write_vjp(e, d.dq, d.dv, d.da, c);
}
void forward_vjp(const Engine& e, Scratch& s, const Call& c) {
  const auto& d = forward_at(e, s, c);
  write_vjp(e, d.dq, d.dv, d.dtau, c);
}
void inverse_jvp(const Engine& e, Scratch& s, const Call& c) {
  const auto& d = inverse_at(e, s, c);
  write_jvp(e, d.dq, d.dv, d.da, "da", c);
}
void forward_jvp(const Engine& e, Scratch& s, const Call& c) {
  const auto& d = forward_at(e, s, c);
  write_jvp(e, d.dq, d.dv, d.dtau, "dtau", c);
}

/// Derivatives of many states, some hundred at a time so that they stay in the cache, and for each of these its
/// products. What the products are with is checked as what the batch takes is.
template <bool of_inverse, class Product>
bool many_products(const Engine& e, Crew& crew, const Call& c, Index states, Product product) {
  if (!c.wrenches.empty()) return false;
  const Index n = e.model.nv(), most = 256;
  MatrixXd d_q(n * n, most), d_v(n * n, most), d_x(n * n, most);
  for (Index begin = 0; begin < states; begin += most) {
    const Index count = std::min(most, states - begin);
    const auto x = [&](std::size_t k) { return c.x[k].row(begin).columns(count); };
    const auto first = [&](MatrixXd& d) { return d.leftCols(count); };
    if constexpr (of_inverse)
      crew.derivatives().inverse_dynamics(e.plant, x(0), x(1), x(2), first(d_q), first(d_v),
                                          first(d_x));
    else if (!crew.derivatives().forward_dynamics(e.plant, x(0), x(1), x(2), first(d_q), first(d_v),
                                                  first(d_x)))
      refuse_indefinite(e, begin + first_nan(d_q.data(), n * n, count));
    for (Index i = 0; i < count; ++i) {
      Call one = c;
      for (Numbers& numbers : one.x)
        if (numbers.data) numbers = numbers.row(begin + i);
      for (double*& out : one.out)
        if (out) out += (begin + i) * n;
      const auto matrix = [&](const MatrixXd& d) {
        return Eigen::Map<const MatrixXd>(d.data() + i * n * n, n, n);
      };
      product(matrix(d_q), matrix(d_v), matrix(d_x), one);
    }
  }
  return true;
}

template <bool of_inverse>
bool vjp_many(const Engine& e, Crew& crew, const Call& c, Index states) {
  return many_products<of_inverse>(
      e, crew, c, states, [&](const auto& dq, const auto& dv, const auto& dx, const Call& one) {
        write_vjp(e, dq, dv, dx, one);
      });
}
template <bool of_inverse>
bool jvp_many(const Engine& e, Crew& crew, const Call& c, Index states) {
  return many_products<of_inverse>(
      e, crew, c, states, [&](const auto& dq, const auto& dv, const auto& dx, const Call& one) {
        write_jvp(e, dq, dv, dx, of_inverse ? "da" : "dtau", one);
      });
}

// --- second derivatives ---

void write_tensor(const Tensor3<double>& from, double* out) {
  const int n = from.size();
  for (int row = 0; row < n; ++row)
    for (int first = 0; first < n; ++first)
      for (int second = 0; second < n; ++second)
        out[(row * n + first) * n + second] = from(row, first, second);
}

void inverse_second(const Engine& e, Scratch& s, const Call& c) {
  set_q_v_a(s, c);
  auto& d = Scratch::made(s.inverse_second, e.model);
  inverse_dynamics_second_derivatives<double>(e.plant, s.at, Scratch::made(s.second_ws, e.model), d,
                                              c.wrenches);
  std::size_t k = 0;
  for (const auto* tensor : {&d.dqq, &d.dvv, &d.dqv, &d.daq}) write_tensor(*tensor, c.out[k++]);
}

void forward_second(const Engine& e, Scratch& s, const Call& c) {
  s.at.set(c.x[0].vec(), c.x[1].vec());
  auto& d = Scratch::made(s.forward_second, e.model);
  if (!forward_dynamics_second_derivatives<double>(
          e.plant, s.at, c.x[2].vec(), Scratch::made(s.second_ws, e.model), d, c.wrenches))
    refuse_indefinite(e);
  std::size_t k = 0;
  for (const auto* tensor : {&d.dqq, &d.dvv, &d.dqv, &d.dtauq}) write_tensor(*tensor, c.out[k++]);
}

// --- regressors ---

Index parameter_count(const Engine& e) { return e.plant.inertial_size(); }

void torque(const Engine& e, Scratch& s, const Call& c) {
  set_q_v_a(s, c);
  torque_regressor<double>(s.at, Scratch::made(s.regressor, e.model),
                           RowMap(c.out[0], e.model.nv(), parameter_count(e)));
}
bool torque_many(const Engine& e, Crew& crew, const Call& c, Index states) {
  const Index size = e.model.nv() * parameter_count(e);
  crew.derivatives().torque_regressor(c.x[0].columns(states), c.x[1].columns(states),
                                      c.x[2].columns(states),
                                      Eigen::Map<MatrixXd>(c.out[0], size, states));
  return true;
}
void wrench(const Engine& e, Scratch& s, const Call& c) {
  set_q_v_a(s, c);
  wrench_regressor<double>(s.at, c.body, Scratch::made(s.regressor, e.model),
                           RowMap(c.out[0], 6, parameter_count(e)));
}
void energy(const Engine& e, Scratch& s, const Call& c) {
  s.at.set(c.x[0].vec(), c.x[1].vec());
  energy_regressor<double>(s.at, Scratch::made(s.regressor, e.model),
                           Eigen::Map<VectorXd>(c.out[0], parameter_count(e)));
}
void generalized_momentum(const Engine& e, Scratch& s, const Call& c) {
  s.at.set(c.x[0].vec(), c.x[1].vec());
  const Index nv = e.model.nv(), np = parameter_count(e);
  momentum_regressor<double>(s.at, Scratch::made(s.regressor, e.model), RowMap(c.out[0], nv, np),
                             RowMap(c.out[1], nv, np));
}

}  // namespace

std::span<const Spec> derivative_functions() {
  static const Parameter q{"q", configuration}, v{"v", velocity}, a{"a", velocity},
      tau{"tau", velocity}, w{"w", velocity}, dq{"dq", velocity}, dv{"dv", velocity},
      da{"da", velocity}, dtau{"dtau", velocity}, on{"wrenches", wrenches}, in{"axes", axes};
  static const Shape vector{nv}, matrix{nv, nv}, cube{nv, nv, nv}, Y{nv, parameters};
  static const std::vector<Shape> first{vector, matrix, matrix, matrix}, second(4, cube),
      three(3, vector);
  static const std::vector<Spec> list{
      {"inverse_dynamics_derivatives", {q, v, a, on, in}, first, inverse_first, inverse_first_many},
      {"forward_dynamics_derivatives",
       {q, v, tau, on, in},
       first,
       forward_first,
       forward_first_many},
      {"inverse_dynamics_vjp", {q, v, a, w}, three, inverse_vjp, vjp_many<true>},
      {"inverse_dynamics_jvp", {q, v, a, dq, dv, da}, {vector}, inverse_jvp, jvp_many<true>},
      {"forward_dynamics_vjp", {q, v, tau, w}, three, forward_vjp, vjp_many<false>},
      {"forward_dynamics_jvp", {q, v, tau, dq, dv, dtau}, {vector}, forward_jvp, jvp_many<false>},
      {"inverse_dynamics_second_derivatives", {q, v, a, on, in}, second, inverse_second},
      {"forward_dynamics_second_derivatives", {q, v, tau, on, in}, second, forward_second},
      {"torque_regressor", {q, v, a}, {Y}, torque, torque_many},
      {"wrench_regressor", {q, v, a, {"joint", body}}, {Shape{6, parameters}}, wrench},
      {"energy_regressor", {q, v}, {Shape{parameters}}, energy},
      {"momentum_regressor", {q, v}, {Y, Y}, generalized_momentum},
  };
  return list;
}

}  // namespace ulna::python
