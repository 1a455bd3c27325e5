#include "ulna/identify/estimate/normal_equations.hpp"

#include "derivatives/derivative_kernel.hpp"
#include "identify/add_squares.hpp"
#include "identify/messages.hpp"
#include "ulna/dynamics/kinematics_impl.hpp"

namespace ulna::identify {
namespace {

using ulna::detail::columns;
using ulna::detail::Columns;
using ulna::detail::DerivativeKernel;

auto* widest_add_squares() {
#if ULNA_WIDE_KERNELS
  if (ulna::detail::has_avx2()) return ulna_add_squares_avx2;
#endif
  return detail::add_squares_of;
}

/// The parameters that the torque of a degree of freedom can depend on: those of bodies from the first
/// that it moves to the last, which hang on one another in the order of the model.
struct Row {
  int first = 0, count = 0;  ///< parameters
  int size = 0;              ///< and features and the torque
};

std::vector<Row> find_rows(const Model& model, int features) {
  std::vector<std::vector<int>> moved(std::size_t(model.nv()));
  Kinematics<double> at(model);
  for (int b = 1; b < model.body_count(); ++b)
    ulna::detail::each_above(at, b, [&](const auto& d) { moved[d.dof].push_back(b); });
  std::vector<Row> rows;
  for (const std::vector<int>& bodies : moved) {
    Row row;
    if (!bodies.empty()) {
      const auto [first, last] = std::minmax_element(bodies.begin(), bodies.end());
      row.first = 10 * (*first - 1), row.count = 10 * (*last - *first + 1);
    }
    row.size = row.count + features + 1;
    rows.push_back(row);
  }
  return rows;
}

/// The sums of all rows.
using RowSums = std::vector<Matrix>;

void set_zero(RowSums& sums) {
  for (Matrix& sum : sums) sum.setZero();
}

}  // namespace

struct NormalEquations::State : ulna::detail::KernelPool<DerivativeKernel> {
  // What is added up at a time: strips of samples, as many and as long whatever the number of
  // threads, each added up from its first sample to its last.
  static constexpr int strip_count = 16;

  int features;
  std::vector<Row> rows;
  int block;  ///< samples whose regressors fit into the cache
  RowSums total;
  std::vector<RowSums> strips;
  struct Scratch {
    Matrix Y, Z;
  };
  std::vector<Scratch> scratch;  ///< of each thread
  Index samples = 0;

  State(const Model& robot, int feature_count, int threads)
      : KernelPool(robot, threads, ULNA_WIDEST(ulna_derivative_kernel)),
        features(feature_count),
        rows(find_rows(robot, feature_count)) {
    const int size = robot.nv() * 10 * robot.joint_count();
    block = std::clamp(100'000 / std::max(size, 1) / 8 * 8, 8, 256);
    int widest = 0;
    for (const Row& row : rows) {
      widest = std::max(widest, row.size);
      total.push_back(Matrix::Zero(row.size, row.size));
    }
    strips.assign(strip_count, total);
    for (int i = 0; i < pool.size(); ++i)
      scratch.push_back({Matrix(size, block), Matrix(widest, block)});
  }

  struct Samples {
    Columns q, v, a, tau, x, w;
  };

  /// Adds the samples [begin, end) to a strip.
  void add(const Samples& given, int begin, int end, DerivativeKernel& kernel, Scratch& with,
           RowSums& to) const {
    const auto add_squares = widest_add_squares();
    const int parameters = 10 * model.joint_count();
    const auto from = [](const Columns& m, int s) {
      return m.data ? m.data + s * m.stride : nullptr;
    };
    for (int s = begin; s < end; s += block) {
      const int count = std::min(block, end - s);
      const auto at = [&](const Columns& m) { return Columns{from(m, s), m.stride}; };
      kernel.torque_regressor(0, count, at(given.q), at(given.v), at(given.a),
                              {with.Y.data(), with.Y.rows()});
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const Row& row = rows[r];
        for (int i = 0; i < count; ++i) {
          double* const z = with.Z.data() + i * row.size;
          const double* const y =
              with.Y.data() + i * with.Y.rows() + int(r) * parameters + row.first;
          std::copy_n(y, row.count, z);
          if (features > 0)
            std::copy_n(from(given.x, s + i) + r * features, features, z + row.count);
          z[row.size - 1] = from(given.tau, s + i)[r];
          if (!given.w.data) continue;
          const double weight = std::sqrt(from(given.w, s + i)[r]);
          for (int k = 0; k < row.size; ++k) z[k] *= weight;
        }
        add_squares(with.Z.data(), row.size, count, to[r].data());
      }
    }
  }
};

NormalEquations::NormalEquations(const Model& model, int features, int threads) {
  require(features >= 0, "normal equations: ", features, " features");
  state_ = std::make_unique<State>(model, features, threads);
}
NormalEquations::~NormalEquations() = default;
NormalEquations::NormalEquations(NormalEquations&&) noexcept = default;
NormalEquations& NormalEquations::operator=(NormalEquations&&) noexcept = default;

int NormalEquations::unknowns() const {
  return 10 * state_->model.joint_count() + state_->features * state_->model.nv();
}
Index NormalEquations::samples() const { return state_->samples; }

void NormalEquations::clear() {
  set_zero(state_->total);
  state_->samples = 0;
}

void NormalEquations::add(const In& Q, const In& V, const In& A, const In& Tau, const In& X,
                          const In& W) {
  State& state = *state_;
  const int nv = state.model.nv(), count = int(Q.cols());
  const bool weighted = W.size() > 0;
  state.require(count, {{"Q", Q, state.model.nq()}, {"V", V, nv}, {"A", A, nv}, {"Tau", Tau, nv}});
  if (state.features > 0) state.require(count, {{"X", X, state.features * nv}});
  if (weighted) {
    state.require(count, {{"W", W, nv}});
    require(W.minCoeff() >= 0.0, "W has a negative weight");
  }
  const State::Samples given{columns(Q),
                             columns(V),
                             columns(A),
                             columns(Tau),
                             state.features > 0 ? columns(X) : Columns{},
                             weighted ? columns(W) : Columns{}};
  const int blocks = (count + state.block - 1) / state.block;
  const int strip = (blocks + State::strip_count - 1) / State::strip_count * state.block;
  for (RowSums& sums : state.strips) set_zero(sums);
  std::atomic<int> next = 0;
  state.pool.run([&](int thread) {
    for (int k; (k = next++) < State::strip_count;)
      state.add(given, std::min(count, k * strip), std::min(count, (k + 1) * strip),
                *state.kernels[thread], state.scratch[thread], state.strips[k]);
  });
  for (const RowSums& sums : state.strips)
    for (std::size_t r = 0; r < sums.size(); ++r) state.total[r] += sums[r];
  state.samples += count;
}

void NormalEquations::assemble(const Vector& weights, Matrix& G, Vector& g, double& size) const {
  const Model& model = state_->model;
  ulna::detail::require_size("weights", weights.size(), model.nv(), model);
  const int p = unknowns(), features = state_->features;
  G.setZero(p, p), g.setZero(p), size = 0.0;
  for (int r = 0; r < model.nv(); ++r) {
    const Row& row = state_->rows[r];
    const Matrix& sum = state_->total[r];
    const int own = 10 * model.joint_count() + features * r, last = row.size - 1;
    const double w = weights(r);
    G.block(row.first, row.first, row.count, row.count) +=
        w * sum.topLeftCorner(row.count, row.count);
    G.block(own, row.first, features, row.count) +=
        w * sum.block(row.count, 0, features, row.count);
    G.block(own, own, features, features) +=
        w * sum.block(row.count, row.count, features, features);
    g.segment(row.first, row.count) += w * sum.row(last).head(row.count);
    g.segment(own, features) += w * sum.row(last).segment(row.count, features);
    size += w * sum(last, last);
  }
  G.triangularView<Eigen::StrictlyUpper>() = G.transpose();
}

}  // namespace ulna::identify
