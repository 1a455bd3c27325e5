#include "ulna/control/qp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "num/message.hpp"
#include "num/processor.hpp"
#include "qp_state.hpp"

namespace ulna::control {

namespace detail {
namespace {

/// Hands out pieces of memory, each at the begin of a cache line; with no memory, only counts.
class Arena {
 public:
  explicit Arena(double* memory) : memory_(memory) {}
  double* take(int count) {
    double* const piece = memory_ ? memory_ + used_ : nullptr;
    used_ += filled_up(count);
    return piece;
  }
  int used() const { return used_; }

 private:
  double* memory_;
  int used_ = 0;
};

void place(QpSide& side, int rows, Arena& arena) {
  for (double** piece :
       {&side.present, &side.bound, &side.distance, &side.multiplier, &side.d_distance,
        &side.d_multiplier, &side.soft, &side.price, &side.price_squared, &side.slack,
        &side.slack_multiplier, &side.d_slack, &side.d_slack_multiplier})
    *piece = arena.take(rows);
}

int place(QpState& state, double* memory) {
  Arena arena(memory);
  int largest = 0, deepest = 0;
  for (std::size_t k = 0; k < state.stages.size(); ++k) {
    QpStageData& s = state.stages[k];
    const StageSize& size = state.sizes[k];
    s.u = size.u, s.x = size.x, s.g = size.g, s.n = size.variables();
    s.next = k + 1 < state.stages.size() ? state.sizes[k + 1].x : 0;
    s.ld = filled_up(s.n), s.ld_next = filled_up(s.next), s.ld_g = filled_up(s.g);
    s.rows = s.ld + s.ld_g;
    s.H = arena.take(s.ld * s.n), s.h = arena.take(s.ld);
    s.F = arena.take(s.ld_next * s.n), s.Ft = arena.take(s.ld * s.next);
    s.f = arena.take(s.ld_next);
    s.G = arena.take(s.ld_g * s.n), s.Gt = arena.take(s.ld * s.g);
    place(s.lower, s.rows, arena), place(s.upper, s.rows, arena);
    for (double** piece :
         {&s.equal, &s.value, &s.equal_multiplier, &s.held, &s.y, &s.dy, &s.weight, &s.linear})
      *piece = arena.take(s.rows);
    s.pi = arena.take(s.ld_next), s.d_pi = arena.take(s.ld_next);
    s.slope = arena.take(s.ld), s.defect = arena.take(s.ld_next);
    s.L = arena.take(s.ld * s.n), s.p = arena.take(s.ld);
    s.diagonal_values = arena.take(s.next * s.n), s.S = arena.take(s.ld * s.n);
    for (double** piece : {&s.place, &s.kept, &s.kept_multiplier}) *piece = arena.take(s.rows);
    largest = std::max({largest, s.ld, s.ld_next}), deepest = std::max(deepest, s.next + s.g);
  }
  state.W = arena.take(largest * deepest);
  state.PF = arena.take(largest * largest);
  state.scratch = arena.take(2 * largest);
  return arena.used();
}

using Vector = Eigen::VectorXd;
using Map = Eigen::Map<Vector>;

template <class M>
void require(const char* what, std::size_t k, const M& m, int rows, int columns = 1) {
  messages::require(m.rows() == rows && m.cols() == columns, "stage ", k,
                    " of the quadratic program: ", what, " is ", m.rows(), " x ", m.cols(),
                    ", its sizes require ", rows, " x ", columns);
}

void require_shapes(const QpStage& stage, const QpStageData& s, std::size_t k) {
  const int rows = s.n + s.g;
  require("H", k, stage.H, s.n, s.n), require("h", k, stage.h, s.n);
  require("F", k, stage.F, s.next, s.n), require("f", k, stage.f, s.next);
  require("G", k, stage.G, s.g, s.n);
  require("lower", k, stage.bounds.lower, rows), require("upper", k, stage.bounds.upper, rows);
  require("price", k, stage.bounds.price, rows);
  require("price_squared", k, stage.bounds.price_squared, rows);
}

/// Rows (u, x, g) with g where a new pack begins.
int place_of(const QpStageData& s, int row) { return row < s.n ? row : s.ld + row - s.n; }

/// False if bounds contradict each other or are not numbers.
bool set_bounds(const Bounds& bounds, QpStageData& s, bool given_state) {
  s.any_soft = s.any_equal = false;
  for (int row = 0; row < s.n + s.g; ++row) {
    const int i = place_of(s, row);
    const double low = bounds.lower(row), high = bounds.upper(row);
    const bool counts = !(given_state && row >= s.u && row < s.n);
    if (counts && !(low <= high && low < infinity && high > -infinity)) return false;
    const bool equal = counts && low == high;
    const bool soft = counts && !equal && bounds.price(row) < infinity;
    if (soft && !(bounds.price(row) >= 0.0 && bounds.price_squared(row) >= 0.0)) return false;
    s.equal[i] = equal, s.value[i] = equal ? low : 0.0;
    if (!equal) s.equal_multiplier[i] = 0.0;
    s.any_equal |= equal;
    const auto set = [&](QpSide& side, double bound) {
      const bool present = counts && !equal && std::isfinite(bound);
      side.present[i] = present, side.bound[i] = present ? bound : 0.0;
      side.soft[i] = present && soft;
      side.price[i] = side.soft[i] != 0.0 ? bounds.price(row) : 0.0;
      side.price_squared[i] = side.soft[i] != 0.0 ? bounds.price_squared(row) : 0.0;
      s.any_soft |= side.soft[i] != 0.0;
    };
    set(s.lower, low), set(s.upper, -high);
  }
  return true;
}

/// F by its diagonals, where they have few elements: a robot's positions and velocities are integrators.
void take_diagonals(const Eigen::MatrixXd& F, QpStageData& s) {
  const int all = s.next + s.n - 1, most = s.next * s.n / 4;
  for (int d = 0; d < all; ++d) s.diagonals[d].count = 0;
  for (int c = 0; c < s.n; ++c)
    for (int row = 0; row < s.next; ++row) {
      if (F(row, c) == 0.0) continue;
      QpDiagonal& diagonal = s.diagonals[c - row + s.next - 1];
      if (diagonal.count == 0) diagonal.row = row, diagonal.column = c;
      diagonal.count = row - diagonal.row + 1;
    }
  int used = 0;
  s.diagonal_count = 0;
  for (int d = 0; d < all && used <= most; ++d) {
    QpDiagonal diagonal = s.diagonals[d];
    if (diagonal.count == 0 || (used += diagonal.count) > most) continue;
    double* const values = s.diagonal_values + used - diagonal.count;
    for (int i = 0; i < diagonal.count; ++i) values[i] = F(diagonal.row + i, diagonal.column + i);
    diagonal.values = values;
    s.diagonals[s.diagonal_count++] = diagonal;
  }
  s.is_sparse = used <= most;
}

/// A row g is held by a weight of so many times what moving along it costs, at most 1 / (g' diag(H)^-1 g): rows may be of any unit and
/// size, and with another weight for each, sums of both keep their digits. By inputs where it has any, as states are decided before;
/// what moving a state costs may be in other stages, so that it counts as `least` at least.
void set_held(QpStageData& s, double least) {
  constexpr double stiffer = 1e8;
  const auto cost = [&](int i) { return std::max(i < s.u ? 0.0 : least, s.H[i * s.ld + i]); };
  for (int i = 0; i < s.n; ++i) s.held[i] = cost(i) > 0.0 ? stiffer * cost(i) : stiffer;
  for (int row = 0; row < s.g; ++row) {
    const double* const g = s.Gt + row * s.ld;
    const auto yields = [&](int from, int to) {
      double sum = 0.0;
      for (int i = from; i < to; ++i)
        if (cost(i) > 0.0) sum += g[i] * g[i] / cost(i);
      return sum;
    };
    double sum = yields(0, s.u);
    if (!(sum > 0.0)) sum = yields(s.u, s.n);
    s.held[s.ld + row] = sum > 0.0 ? stiffer / sum : stiffer;
  }
}

/// The program into the solver's own shapes; false if a number is not finite.
bool take_in(const std::vector<QpStage>& stages, QpState& state) {
  constexpr double noticeable = 1e-3;
  double largest = 0.0;
  for (const QpStage& stage : stages) largest = std::max(largest, stage.H.diagonal().maxCoeff());
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const QpStage& stage = stages[k];
    QpStageData& s = state.stages[k];
    const auto map = [](double* memory, int rows, int columns) {
      return Eigen::Map<Eigen::MatrixXd>(memory, rows, columns);
    };
    map(s.H, s.ld, s.n).topRows(s.n) = stage.H;
    Map(s.h, s.n) = stage.h;
    if (s.next > 0) {
      // that of integrators is always the same
      auto F = map(s.F, s.ld_next, s.n).topRows(s.next);
      if (s.diagonal_count < 0 || F != stage.F) {
        F = stage.F;
        map(s.Ft, s.ld, s.next).topRows(s.n) = stage.F.transpose();
        take_diagonals(stage.F, s);
      }
      Map(s.f, s.next) = stage.f;
    }
    if (s.g > 0) {
      map(s.G, s.ld_g, s.n).topRows(s.g) = stage.G;
      map(s.Gt, s.ld, s.g).topRows(s.n) = stage.G.transpose();
    }
    set_held(s, noticeable * largest);
    const double sum =
        0.0 * (stage.H.sum() + stage.h.sum() + stage.F.sum() + stage.f.sum() + stage.G.sum());
    if (!std::isfinite(sum) || !set_bounds(stage.bounds, s, k == 0)) return false;
  }
  return true;
}

/// The last solution, moved to where the new bounds are; without one, the state's middle of nowhere.
void set_point(QpState& state, const double* x0, QpStart start) {
  for (std::size_t k = 0; k < state.stages.size(); ++k) {
    QpStageData& s = state.stages[k];
    if (start == QpStart::cold) {
      Map(s.pi, s.ld_next).setZero();
      Map(s.equal_multiplier, s.rows).setZero();
    }
    if (start != QpStart::point) {
      Map(s.y, s.rows).setZero();
      for (int row = 0; row < s.n; ++row) {
        // within the bounds, as far as there are any
        const double low = s.lower.present[row] != 0.0 ? s.lower.bound[row] : -infinity;
        const double high = s.upper.present[row] != 0.0 ? -s.upper.bound[row] : infinity;
        const double near = std::clamp(0.0, low, high);
        s.y[row] =
            near != 0.0 && std::isfinite(low) && std::isfinite(high) ? 0.5 * (low + high) : near;
      }
    }
    if (k == 0) Map(s.y + s.u, s.x) = Eigen::Map<const Vector>(x0, s.x);
    if (s.g > 0)
      Map(s.y + s.ld, s.ld_g).noalias() =
          Eigen::Map<const Eigen::MatrixXd>(s.G, s.ld_g, s.n) * Map(s.y, s.n);
  }
}

}  // namespace

QpState::QpState(const std::vector<StageSize>& all) : sizes(all), stages(all.size()) {
  for (const StageSize& size : sizes)
    messages::require(size.x >= 0 && size.u >= 0 && size.g >= 0 && size.rows() <= 10000,
                      "a stage of ", size.x, " states, ", size.u, " inputs and ", size.g,
                      " constraints: the sum must be 0 to 10000");
  constexpr int line = 8;
  memory.setZero(place(*this, nullptr) + line);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  place(*this, memory.data() + (64 - address % 64) % 64 / sizeof(double));
  std::size_t most = 0;
  for (const QpStageData& s : stages) most += std::size_t(s.next + s.n);
  diagonals.resize(most + 1);
  most = 0;
  for (QpStageData& s : stages) {
    s.diagonals = &diagonals[most], s.diagonal_count = -1;
    most += std::size_t(s.next + s.n);
  }
  for (const StageSize& size : sizes)
    row_multipliers.emplace_back(Eigen::VectorXd::Zero(size.rows()));
}

}  // namespace detail

QpSolver::QpSolver(const std::vector<StageSize>& sizes, const QpOptions& o)
    : options(o), state_(std::make_unique<detail::QpState>(sizes)) {}
QpSolver::~QpSolver() = default;
QpSolver::QpSolver(QpSolver&&) noexcept = default;
QpSolver& QpSolver::operator=(QpSolver&&) noexcept = default;

void QpSolver::prepare(const std::vector<QpStage>& stages, QpStart start) {
  detail::QpState& state = *state_;
  messages::require(stages.size() == state.stages.size(), "the quadratic program has ",
                    stages.size(), " stages, the solver was made for ", state.stages.size());
  for (std::size_t k = 0; k < stages.size(); ++k)
    detail::require_shapes(stages[k], state.stages[k], k);
  state.start = start;
  state.taken_in = detail::take_in(stages, state);
  state.is_factored = state.has_point = false;
  if (!state.taken_in || start == QpStart::cold) return;
  ULNA_WIDEST(ulna_qp_kernel)(state, {&options, nullptr, true});
}

const QpReport& QpSolver::solve(const Eigen::Ref<const Vector>& x0,
                                std::optional<Clock::time_point> deadline) {
  detail::QpState& state = *state_;
  detail::require("x0", 0, x0, state.sizes[0].x);
  state.report = {};
  if (!std::exchange(state.taken_in, false) || !x0.allFinite()) return state.report;
  detail::set_point(state, x0.data(), state.start);
  ULNA_WIDEST(ulna_qp_kernel)(state, {&options, deadline ? &*deadline : nullptr, false});

  for (std::size_t k = 0; k < state.stages.size(); ++k) {
    const detail::QpStageData& s = state.stages[k];
    for (int row = 0; row < s.n + s.g; ++row) {
      const int i = detail::place_of(s, row);
      state.row_multipliers[k](row) =
          s.upper.multiplier[i] - s.lower.multiplier[i] + s.equal[i] * s.equal_multiplier[i];
    }
  }
  return state.report;
}

const QpReport& QpSolver::solve(const std::vector<QpStage>& stages,
                                const Eigen::Ref<const Vector>& x0, QpStart start,
                                std::optional<Clock::time_point> deadline) {
  detail::require("x0", 0, x0, state_->sizes[0].x);
  prepare(stages, start);
  return solve(x0, deadline);
}

const QpReport& QpSolver::report() const { return state_->report; }

QpSolver::Segment QpSolver::z(int k) const { return {(*state_)[k].y, (*state_)[k].n}; }
QpSolver::Segment QpSolver::u(int k) const { return {(*state_)[k].y, (*state_)[k].u}; }
QpSolver::Segment QpSolver::x(int k) const {
  return {(*state_)[k].y + (*state_)[k].u, (*state_)[k].x};
}
QpSolver::Segment QpSolver::multiplier(int k) const { return {(*state_)[k].pi, (*state_)[k].next}; }
const Eigen::VectorXd& QpSolver::row_multiplier(int k) const { return state_->row_multipliers[k]; }

void QpSolver::shift() {
  for (std::size_t k = 0; k + 1 < state_->stages.size(); ++k) {
    detail::QpStageData &s = state_->stages[k], &next = state_->stages[k + 1];
    if (!(state_->sizes[k] == state_->sizes[k + 1])) continue;
    std::copy_n(next.y, s.rows, s.y);
    std::copy_n(next.equal_multiplier, s.rows, s.equal_multiplier);
    if (s.next == next.next) std::copy_n(next.pi, s.next, s.pi);
    for (detail::QpSide detail::QpStageData::*side :
         {&detail::QpStageData::lower, &detail::QpStageData::upper})
      for (double* detail::QpSide::*row :
           {&detail::QpSide::multiplier, &detail::QpSide::slack, &detail::QpSide::slack_multiplier})
        std::copy_n(next.*side.*row, s.rows, s.*side.*row);
  }
}

const char* to_string(QpStatus status) {
  return std::array{"solved", "limited", "infeasible", "failed"}[int(status)];
}

std::string QpReport::str() const {
  char text[160];
  std::snprintf(text, sizeof text,
                "%s after %d iterations: slope %.1e, defect %.1e, breach %.1e, gap %.1e",
                to_string(status), iterations, slope, defect, breach, gap);
  return text;
}

}  // namespace ulna::control
