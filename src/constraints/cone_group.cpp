#include "constraints/cone_group.hpp"

#include <algorithm>

#include "constraints/cone_local.hpp"
#include "constraints/cone_rows.hpp"

namespace ulna::detail {

using Kind = ConeProblem::Kind;

namespace {
/// So much dearer than velocities rows may be: they are more exact, which saves steps. And where exactness counts.
constexpr double worth_of_rows = 2.0, worth_of_exact_rows = 6.0;
}  // namespace

void ConeGroup::add_blocks(const ConeProblem& problem, std::span<const int> group,
                           std::span<const double> diagonal) {
  blocks_.clear(), units_.clear();
  local_row_.resize(problem.lambda.size());
  size_ = 0;
  for (const int i : group) {
    const ConeProblem::Block& from = problem.block(i);
    const double root = std::sqrt(diagonal[static_cast<std::size_t>(i)]);
    for (int k = 0; k < from.rows; ++k) local_row_[from.row + k] = size_ + k;
    Block b{from.kind,
            from.rows,
            size_,
            from.coefficient,
            from.lower * root,
            from.upper * root,
            -1,
            root,
            static_cast<int>(units_.size()),
            0};
    if (b.kind == Kind::disc) {
      // the radius belongs to a cone that is scaled by another number
      b.normal = local_row_[from.normal];
      const auto cone = std::ranges::find(blocks_, b.normal, &Block::row);
      b.coefficient *= root / cone->root;
      b.unit = cone->unit, b.at = units_[cone->unit].rows;
    } else {
      units_.emplace_back().first = static_cast<int>(blocks_.size());
    }
    Unit& unit = units_[b.unit];
    ++unit.blocks;
    for (int k = 0; k < b.rows; ++k) unit.row[unit.rows++] = size_ + k;
    blocks_.push_back(b);
    size_ += b.rows;
  }
  law_.assign(static_cast<std::size_t>(size_), -1);
}

void ConeGroup::add_segments(const ConeProblem& problem, std::span<const int> group) {
  local_segment_.resize(static_cast<std::size_t>(problem.segment_count()), -1);
  segments_.clear(), sizes_.clear(), starts_.clear();
  velocities_ = 0;
  for (const int i : group)
    for (const ConeProblem::Piece& p : problem.pieces(problem.block(i))) {
      if (local_segment_[p.segment] >= 0) continue;
      local_segment_[p.segment] = static_cast<int>(segments_.size());
      segments_.push_back(p.segment), sizes_.push_back(problem.segment_size(p.segment));
      starts_.push_back(velocities_);
      velocities_ += sizes_.back();
    }
  position_.assign(static_cast<std::size_t>(velocities_), -1);
}

/// A block alone that acts on one segment, or on two.
bool ConeGroup::add_plain_columns(const ConeProblem& problem, const ConeProblem::Block& from,
                                  Unit& unit) {
  if (unit.blocks > 1 || !problem.is_unit()) return false;
  auto pieces = problem.pieces(from);
  if (pieces.empty()) return false;
  const ConeProblem::Piece *first = &pieces[0], *second = pieces.size() > 1 ? &pieces[1] : nullptr;
  if (second && local_segment_[first->segment] == local_segment_[second->segment]) return false;
  if (second && local_segment_[first->segment] > local_segment_[second->segment])
    std::swap(first, second);
  unit.column = static_cast<int>(columns_.size());
  for (const ConeProblem::Piece* p : {first, second}) {
    if (!p) continue;
    const int segment = local_segment_[p->segment], off = starts_[segment] - p->at;
    unit.segment[unit.runs] = segment;
    unit.run[unit.runs++] = static_cast<int>(columns_.size()) - unit.column;
    const int* columns = problem.columns(*p);
    const std::size_t begin = columns_.size();
    columns_.resize(begin + static_cast<std::size_t>(p->size));
    int* const to = columns_.data() + begin;
    for (int k = 0; k < p->size; ++k) to[k] = (columns ? columns[k] : p->at + k) + off;
  }
  unit.columns = unit.run[unit.runs] = static_cast<int>(columns_.size()) - unit.column;
  unit.J = unit.K = data_.size();
  data_.resize(data_.size() + static_cast<std::size_t>(from.rows * unit.columns));
  double* to = data_.data() + unit.J;
  const double scale = 1.0 / blocks_[static_cast<std::size_t>(unit.first)].root;
  for (int i = 0; i < from.rows; ++i)
    for (const ConeProblem::Piece* p : {first, second}) {
      if (!p) continue;
      const double* const J = problem.data() + p->J + i * p->size;
      for (int k = 0; k < p->size; ++k) *to++ = scale * J[k];
    }
  return true;
}

/// The velocities that a unit moves, and its rows for these.
void ConeGroup::add_columns(const ConeProblem& problem, std::span<const int> group, Unit& unit) {
  if (add_plain_columns(problem, problem.block(group[unit.first]), unit)) return;
  const int which = static_cast<int>(&unit - units_.data());
  const auto each_piece = [&](auto use) {
    for (std::size_t i = static_cast<std::size_t>(unit.first), left = unit.blocks; left > 0; ++i) {
      if (blocks_[i].unit != which) continue;
      for (const ConeProblem::Piece& p : problem.pieces(problem.block(group[i])))
        use(blocks_[i], p, starts_[local_segment_[p.segment]] - p.at);
      --left;
    }
  };
  const auto column = [&](const ConeProblem::Piece& p, int k) {
    const int* columns = problem.columns(p);
    return columns ? columns[k] : p.at + k;
  };
  unit.column = static_cast<int>(columns_.size());
  each_piece([&](const Block&, const ConeProblem::Piece& p, int off) {
    for (int k = 0; k < p.size; ++k)
      if (int& seen = position_[column(p, k) + off]; seen < 0)
        seen = 0, columns_.push_back(column(p, k) + off);
  });
  std::sort(columns_.begin() + unit.column, columns_.end());
  unit.columns = static_cast<int>(columns_.size()) - unit.column;
  const int* const columns = columns_.data() + unit.column;
  int segment = -1;
  for (int k = 0; k < unit.columns; ++k) {
    position_[columns[k]] = k;
    if (segment >= 0 && columns[k] < starts_[segment] + sizes_[segment]) continue;
    segment = static_cast<int>(std::ranges::upper_bound(starts_, columns[k]) - starts_.begin()) - 1;
    unit.segment[unit.runs] = segment, unit.run[unit.runs++] = k;
  }
  unit.run[unit.runs] = unit.columns;
  const std::size_t area = static_cast<std::size_t>(unit.rows * unit.columns);
  unit.J = data_.size();
  unit.K = problem.is_unit() ? unit.J : unit.J + area;
  data_.resize(unit.K + area, 0.0);
  each_piece([&](const Block& b, const ConeProblem::Piece& p, int off) {
    for (int i = 0; i < b.rows; ++i)
      for (int k = 0; k < p.size; ++k) {
        const std::size_t to =
            static_cast<std::size_t>((b.at + i) * unit.columns + position_[column(p, k) + off]);
        data_[unit.J + to] += problem.data()[p.J + i * p.size + k] / b.root;
        if (unit.K != unit.J) data_[unit.K + to] += problem.data()[p.K + i * p.size + k] / b.root;
      }
  });
  for (int k = 0; k < unit.columns; ++k) position_[columns[k]] = -1;
}

void ConeGroup::analyse() {
  if (analysed_) return;
  analysed_ = true;
  lu_.clear(sizes_);
  for (const Unit& u : units_)
    for (int a = 0; a < u.runs; ++a)
      for (int b = 0; b < a; ++b) lu_.connect(u.segment[a], u.segment[b]);
  lu_.analyse();
}

double ConeGroup::velocity_cost() {
  analyse();
  return lu_.cost() + entries_;
}

bool ConeGroup::prefers_rows(int rows) {
  if (rows <= 6 || associated_) return true;
  const double n = rows, cost = n * n * n / 6.0;
  if (cost < entries_) return true;
  return cost < (exact_ ? worth_of_exact_rows : worth_of_rows) * velocity_cost();
}

/// K J' of the rows of two units, where their ascending lists of columns are the same. Of a tree, that is mostly where they begin: on
/// the way that two bodies share.
template <int rows_a, int rows_b>
void ConeGroup::couple(const Unit& a, const Unit& b, Matrix to) const {
  const int *x = columns_.data() + a.column, *y = columns_.data() + b.column;
  const double *K = data_.data() + a.K, *J = data_.data() + b.J;
  constexpr auto most = [](int rows) { return rows < 0 ? most_rows : rows; };
  constexpr int order = rows_a == 1 && rows_b != 1 ? Eigen::RowMajor : Eigen::ColMajor;
  Eigen::Matrix<double, rows_a, rows_b, order, most(rows_a), most(rows_b)> sum(a.rows, b.rows);
  sum.setZero();
  for (int i = 0, k = 0; i < a.columns && k < b.columns;) {
    if (x[i] == y[k]) {
      using Stride = Eigen::InnerStride<>;
      const Eigen::Map<const Eigen::Matrix<double, rows_a, 1>, 0, Stride> left(K + i, a.rows,
                                                                               Stride(a.columns));
      const Eigen::Map<const Eigen::Matrix<double, 1, rows_b>, 0, Stride> right(J + k, b.rows,
                                                                                Stride(b.columns));
      sum += left.lazyProduct(right);
      ++i, ++k;
    } else if (x[a.columns - 1] < y[k] || y[b.columns - 1] < x[i]) {
      break;
    } else {
      x[i] < y[k] ? ++i : ++k;
    }
  }
  for (int i = 0; i < a.rows; ++i)
    for (int k = 0; k < b.rows; ++k) to(b.row[k], a.row[i]) = to(a.row[i], b.row[k]) = sum(i, k);
}

void ConeGroup::know(int row) {
  const int unit = places_[static_cast<std::size_t>(row)];
  char& known = is_known_[static_cast<std::size_t>(unit)];
  if (known) return;
  known = 1;
  known_.push_back(unit);
  Matrix M = G();
  const Unit& own = units_[static_cast<std::size_t>(unit)];
  for (const int other : known_) {
    const Unit& u = units_[static_cast<std::size_t>(other)];
    effort += own.rows * u.rows * std::min(own.columns, u.columns);
    if (own.rows == 1 && u.rows == 1)
      couple<1, 1>(own, u, M);
    else if (own.rows == 1 && u.rows == 3)
      couple<1, 3>(own, u, M);
    else if (own.rows == 3 && u.rows == 1)
      couple<3, 1>(own, u, M);
    else if (own.rows == 3 && u.rows == 3)
      couple<3, 3>(own, u, M);
    else
      couple<Eigen::Dynamic, Eigen::Dynamic>(own, u, M);
  }
  for (int i = 0; i < own.rows; ++i) M(own.row[i], own.row[i]) += R_.vector(size_)(own.row[i]);
}

void ConeGroup::set(const ConeProblem& problem, std::span<const int> group,
                    std::span<const double> diagonal, std::span<const double> free) {
  associated_ = problem.associated, unit_ = problem.is_unit();
  add_blocks(problem, group, diagonal);
  add_segments(problem, group);
  columns_.clear(), data_.clear();
  for (Unit& u : units_) add_columns(problem, group, u);
  Vector v = free_.vector(velocities_), b = b_.vector(size_), R = R_.vector(size_);
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    std::copy_n(free.data() + problem.segment_at(segments_[s]), sizes_[s], v.data() + starts_[s]);
    local_segment_[segments_[s]] = -1;
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Block& to = blocks_[i];
    for (int k = 0; k < to.rows; ++k) {
      const int from = problem.block(group[i]).row + k;
      b(to.row + k) = problem.offset[from] / to.root;
      R(to.row + k) = problem.compliance[from] / (to.root * to.root);
    }
  }
  offset_.vector(size_) = b;
  add_rates(v, b);
  begin(problem, group);
  analysed_ = false;
  known_.clear(), is_known_.assign(units_.size(), 0);
  places_.resize(static_cast<std::size_t>(size_));
  entries_ = 0.0;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const Unit& u = units_[i];
    for (int k = 0; k < u.rows; ++k)
      places_[static_cast<std::size_t>(u.row[k])] = static_cast<int>(i);
    entries_ += u.rows * u.columns * static_cast<double>(u.columns);
  }
  // of G, only what was asked for is ever written
  v_.vector(velocities_).setZero();
}

void ConeGroup::begin(const ConeProblem& problem, std::span<const int> group) {
  Vector l = lambda();
  for (std::size_t i = 0; i < group.size(); ++i)
    for (int k = 0; k < blocks_[i].rows; ++k)
      l(blocks_[i].row + k) = problem.lambda[problem.block(group[i]).row + k] * blocks_[i].root;
  exact_ = false;
}

void ConeGroup::by_rows() { exact_ = true; }

void ConeGroup::apply(ConeProblem& problem, std::span<const int> group) {
  const Vector l = lambda();
  Vector v = gradient_.vector(velocities_);
  v = free_.vector(velocities_);
  add_impulses(l, v);
  for (std::size_t i = 0; i < group.size(); ++i)
    for (int k = 0; k < blocks_[i].rows; ++k)
      problem.lambda[problem.block(group[i]).row + k] = l(blocks_[i].row + k) / blocks_[i].root;
  for (std::size_t s = 0; s < segments_.size(); ++s)
    std::copy_n(v.data() + starts_[s], sizes_[s],
                problem.velocity.data() + problem.segment_at(segments_[s]));
}

void ConeGroup::add_impulses(const Vector& lambda, Vector velocity) const {
  for (const Unit& u : units_) {
    const double* K = data_.data() + u.K;
    const int* const columns = columns_.data() + u.column;
    int i = 0;
    if (u.rows >= 3) {  // a contact's
      const double l[3] = {lambda(u.row[0]), lambda(u.row[1]), lambda(u.row[2])};
      const double *second = K + u.columns, *third = second + u.columns;
      if (l[0] != 0.0 || l[1] != 0.0 || l[2] != 0.0)
        for (int k = 0; k < u.columns; ++k)
          velocity(columns[k]) += l[0] * K[k] + l[1] * second[k] + l[2] * third[k];
      i = 3, K += 3 * u.columns;
    }
    for (; i < u.rows; ++i, K += u.columns) {
      const double l = lambda(u.row[i]);
      if (l == 0.0) continue;
      for (int k = 0; k < u.columns; ++k) velocity(columns[k]) += l * K[k];
    }
  }
}

void ConeGroup::add_rates(const Vector& velocity, Vector w) const {
  for (const Unit& u : units_) {
    const double* J = data_.data() + u.J;
    const int* const columns = columns_.data() + u.column;
    int i = 0;
    if (u.rows >= 3) {
      const double *second = J + u.columns, *third = second + u.columns;
      double sums[3] = {};
      for (int k = 0; k < u.columns; ++k) {
        const double v = velocity(columns[k]);
        sums[0] += J[k] * v, sums[1] += second[k] * v, sums[2] += third[k] * v;
      }
      for (; i < 3; ++i) w(u.row[i]) += sums[i];
      J += 3 * u.columns;
    }
    for (; i < u.rows; ++i, J += u.columns) {
      double sum = 0.0;
      for (int k = 0; k < u.columns; ++k) sum += J[k] * velocity(columns[k]);
      w(u.row[i]) += sum;
    }
  }
}

void ConeGroup::velocity_of(const Vector& lambda, Vector w) {
  effort += 2.0 * static_cast<double>(data_.size()) + 30.0 * size_;
  w = b_.vector(size_);
  Vector v = v_.vector(velocities_);
  add_impulses(lambda, v);
  add_rates(v, w);
  v.setZero();
  w += R_.vector(size_).cwiseProduct(lambda);
}

void ConeGroup::project(Vector y) {
  for (const Block& b : blocks_) {
    double* x = y.data() + b.row;
    if (b.kind == Kind::positive) *x = std::max(*x, 0.0);
    if (b.kind == Kind::box) *x = std::clamp(*x, b.lower, b.upper);
    if (b.kind == Kind::cone) project_on_cone(b.coefficient, x[0], x[1], x[2]);
    if (b.kind == Kind::disc)
      project_on_disc(b.coefficient * std::max(0.0, y(b.normal)), b.rows, x);
  }
}

double ConeGroup::residual() {
  Vector w = w_.vector(size_);
  velocity_of(lambda(), w);
  return residual_at(lambda(), w);
}

double ConeGroup::residual_at(const Vector& l, const Vector& w) {
  Vector y = trial_.vector(size_);
  y = l - w;
  for (const Block& b : blocks_)
    if (b.kind == Kind::cone && !associated_)
      y(b.row) -= b.coefficient * length(w(b.row + 1), w(b.row + 2));
  // a disc's radius is that of the present normal
  for (const Block& b : blocks_)
    if (b.kind == Kind::disc)
      project_on_disc(b.coefficient * std::max(0.0, l(b.normal)), b.rows, y.data() + b.row);
  double worst = 0.0;
  for (const Block& b : blocks_) {
    double* x = y.data() + b.row;
    if (b.kind == Kind::positive) *x = std::max(*x, 0.0);
    if (b.kind == Kind::box) *x = std::clamp(*x, b.lower, b.upper);
    if (b.kind == Kind::cone) project_on_cone(b.coefficient, x[0], x[1], x[2]);
    for (int k = 0; k < b.rows; ++k)
      worst = std::max(worst, b.root * std::abs(x[k] - l(b.row + k)));
  }
  return worst;
}

/// Whether the segments of a unit are of six numbers each, all of which it moves.
bool ConeGroup::is_of_bodies(const Unit& u) const {
  for (int i = 0; i < u.runs; ++i)
    if (u.run[i] != 6 * i || lu_.size(u.segment[i]) != 6) return false;
  return true;
}

/// K' (D J) of a unit, added to the blocks of its segments.
void ConeGroup::add_to_matrix(const Unit& u) {
  const double *J = data_.data() + u.J, *K = data_.data() + u.K;
  const int* columns = columns_.data() + u.column;
  if (u.rows == 3 && u.columns == 6 * u.runs && is_of_bodies(u)) {
    // contacts of loose bodies, 6 x 3 by 3 x 6
    using Rows = Eigen::Matrix<double, 3, 6, Eigen::RowMajor>;
    using Piece = Eigen::Map<const Rows, 0, Eigen::OuterStride<>>;
    const Eigen::Matrix3d D =
        Eigen::Map<const Eigen::Matrix<double, most_rows, most_rows, Eigen::RowMajor>>(u.D)
            .topLeftCorner<3, 3>();
    for (int right = 0; right < u.runs; ++right) {
      const Rows DJ = D.lazyProduct(Piece(J + 6 * right, Eigen::OuterStride<>(u.columns)));
      for (int left = 0; left < u.runs; ++left)
        Eigen::Map<Eigen::Matrix<double, 6, 6>>(lu_.block(u.segment[left], u.segment[right]))
            .noalias() +=
            Piece(K + 6 * left, Eigen::OuterStride<>(u.columns)).transpose().lazyProduct(DJ);
    }
    return;
  }
  double DJ[most_rows];
  for (int right = 0; right < u.runs; ++right)
    for (int c = u.run[right]; c < u.run[right + 1]; ++c) {
      for (int i = 0; i < u.rows; ++i) {
        DJ[i] = 0.0;
        for (int k = 0; k < u.rows; ++k) DJ[i] += u.D[i * most_rows + k] * J[k * u.columns + c];
      }
      const int column = columns[c] - lu_.start(u.segment[right]);
      for (int left = 0; left < u.runs; ++left) {
        const int begin = u.run[left], size = u.run[left + 1] - begin, segment = u.segment[left];
        double* to = lu_.block(segment, u.segment[right]) + column * lu_.size(segment);
        const int* rows = columns + begin;
        if (rows[size - 1] - rows[0] == size - 1) {  // without a gap
          Eigen::Map<Eigen::VectorXd> sum(to + rows[0] - lu_.start(segment), size);
          for (int i = 0; i < u.rows; ++i)
            sum += DJ[i] * Eigen::Map<const Eigen::VectorXd>(K + i * u.columns + begin, size);
        } else {
          const int start = lu_.start(segment);
          for (int i = 0; i < u.rows; ++i)
            for (int r = 0; r < size; ++r)
              to[rows[r] - start] += DJ[i] * K[i * u.columns + begin + r];
        }
      }
    }
}

bool ConeGroup::factor_velocities() {
  effort += velocity_cost();
  lu_.set_identity();
  for (const Unit& u : units_)
    if (!u.still && u.columns > 0) add_to_matrix(u);
  return lu_.factor();
}

void ConeGroup::solve_velocities(Vector x) {
  Vector z = rate_.vector(velocities_);
  for (const Unit& u : units_)
    for (int i = 0; i < u.rows; ++i) x(u.row[i]) = u.g[i];
  z.setZero();
  add_impulses(x, z);
  lu_.solve(z.data());
  for (const Unit& u : units_) {
    if (u.still) continue;
    const int* columns = columns_.data() + u.column;
    for (int i = 0; i < u.rows; ++i) {
      const double* J = data_.data() + u.J + i * u.columns;
      double rate = 0.0;
      for (int k = 0; k < u.columns; ++k) rate += J[k] * z(columns[k]);
      for (int r = 0; r < u.rows; ++r) x(u.row[r]) -= u.D[r * most_rows + i] * rate;
    }
  }
}

}  // namespace ulna::detail
