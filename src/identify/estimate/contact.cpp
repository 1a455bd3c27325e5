#include "ulna/identify/estimate/contact.hpp"

#include <algorithm>

#include "identify/data/ranges.hpp"
#include "identify/data/screen_parts.hpp"
#include "identify/estimate/measurements.hpp"

namespace ulna::identify {
namespace {

constexpr double far_off = 8.0;       ///< usual errors, where a contact is
constexpr double nearly_usual = 3.0;  ///< and where it begins and ends
constexpr double least_torque = 0.1;  ///< of the joint's usual torque
constexpr double most_of_log = 0.3;   ///< of all samples; more is no exception
constexpr double much_better = 0.5;   ///< of the error that is left without it

/// The samples that no range has.
std::vector<Range> others_of(const std::vector<Range>& ranges, const std::vector<Index>& breaks,
                             Index size) {
  std::vector<Range> others;
  auto next = ranges.begin();
  for (const Range& piece : pieces_of(breaks, size)) {
    Index begin = piece.begin;
    for (; next != ranges.end() && next->begin < piece.end; ++next) {
      if (begin < next->begin) others.push_back({begin, next->begin});
      begin = next->end;
    }
    if (begin < piece.end) others.push_back({begin, piece.end});
  }
  return others;
}

/// What counts as one error of each joint: that of most samples in `ranges`, and at least `least`.
Vector usual_errors(const Matrix& errors, const Vector& least, const std::vector<Range>& ranges) {
  constexpr double deviations_per_median = 1.4826;
  Vector usual(errors.rows());
  for (Index i = 0; i < errors.rows(); ++i) {
    Vector size(errors.cols());
    Index count = 0;
    for (const Range& range : ranges) {
      size.segment(count, range.size()) =
          errors.row(i).segment(range.begin, range.size()).cwiseAbs().transpose();
      count += range.size();
    }
    usual(i) = std::max(deviations_per_median * quantile(size.head(count), 0.5), least(i));
  }
  return usual;
}

/// Friction has no direction where a joint rests: that of its velocity is noise, or what a filter makes of motion nearby.
void without_direction_at_rest(Prepared& samples) {
  constexpr double slow = 0.01;  // of the fastest motion
  Vector fastest = Vector::Zero(samples.pieces.empty() ? 0 : samples.pieces.front().v.rows());
  for (const Piece& piece : samples.pieces)
    fastest = fastest.cwiseMax(piece.v.cwiseAbs().rowwise().maxCoeff());
  for (Piece& piece : samples.pieces)
    for (Index k = 0; k < piece.size(); ++k)
      for (Index i = 0; i < fastest.size(); ++i)
        if (std::abs(piece.v(i, k)) < slow * fastest(i)) piece.direction(i, k) = 0.0;
}

/// By how much torques can be off where a joint begins to move, or nearly rests: there dry friction is anything up to its level, either way.
Vector friction_at_rest(const TorqueModel& model, const Vector& z) {
  Vector friction = Vector::Zero(model.model().nv());
  for (int i = 0; i < model.model().nv(); ++i)
    for (int k = 0; k < model.feature_count(); ++k)
      if (terms_of(model.features()[std::size_t(k)]).direction != 0.0)
        friction(i) += 2.0 * std::abs(z(model.at(i, k)));
  return friction;
}

/// Ranges in which one joint at least is far off for as long as the filter remembers; `off` is in usual errors. They do not overlap.
std::vector<Range> far_ranges(const Matrix& off, const std::vector<Index>& breaks, Index memory) {
  std::vector<Range> found;
  const Vector most = off.colwise().maxCoeff();
  for (const Range& piece : pieces_of(breaks, off.cols())) {
    const std::size_t first = found.size();
    for (Index begin = piece.begin; begin < piece.end; ++begin) {
      Index end = begin, far = 0;
      while (end < piece.end && most(end) > nearly_usual) far += most(end++) > far_off;
      if (far >= memory) {
        const Range wide{std::max(piece.begin, begin - memory), std::min(piece.end, end + memory)};
        if (found.size() > first && wide.begin <= found.back().end)
          found.back().end = wide.end;
        else
          found.push_back(wide);
      }
      begin = std::max(begin, end);
    }
  }
  return found;
}

/// Of one range of the samples of a piece that begins at `first`.
Contact contact_of(const Piece& piece, Index first, const Range& range, const Matrix& errors,
                   const Vector& torque) {
  const Matrix off = errors.middleCols(range.begin, range.size()).cwiseAbs();
  Index joint = 0;
  off.rowwise().maxCoeff().cwiseQuotient(torque).maxCoeff(&joint);
  return {piece.log, piece.t(range.begin - first), piece.t(range.end - 1 - first), int(joint),
          off.row(joint).maxCoeff()};
}

}  // namespace

std::vector<Contact> find_contacts(const TorqueModel& model, const BaseParameters& base,
                                   const Prepared& samples) {
  constexpr Index enough = 4000;
  constexpr int passes = 5;
  // fewer samples find the same
  const Index stride = std::max<Index>(1, samples.size() / enough);
  Prepared thin = samples;
  std::erase_if(thin.pieces, [](const Piece& piece) { return piece.size() == 0; });
  for (Piece& piece : thin.pieces) piece = piece.part(0, piece.size(), stride);
  without_direction_at_rest(thin);
  const TorqueData data = gather(model, thin);
  const int n = model.model().nv();
  if (data.size() * n < 2 * base.size()) return {};
  const auto memory = std::max<Index>(3, std::lround(data.correlated));

  const auto fitted_by = [&](Method method, const TorqueData& some) {
    return estimate(model, base, some, {.method = method}).z;
  };
  const Matrix of_all = errors_of(model, fitted_by(Method::ols, data), data);
  const Vector torque = rms(data.tau).cwiseMax(1e-12), least = least_torque / far_off * torque;
  const auto in_errors = [](const Matrix& errors, const Vector& usual) -> Matrix {
    return usual.cwiseInverse().asDiagonal() * errors.cwiseAbs();
  };
  // most logs end here
  if (far_ranges(in_errors(of_all, least), data.breaks, memory).empty()) return {};
  Matrix errors;
  std::vector<Range> left_out;
  double before = 0.0, after = 0.0;
  for (int pass = 0; pass < passes; ++pass) {
    const std::vector<Range> kept = others_of(left_out, data.breaks, data.size());
    const TorqueData rest = taken(data, kept);
    if (double(rest.size()) < (1.0 - most_of_log) * double(data.size()) ||
        rest.size() * n < 2 * base.size())
      return {};
    const Vector z = fitted_by(Method::irls, rest);
    errors = errors_of(model, z, data);
    double square = 0.0;
    for (const Range& range : kept)
      square += errors.middleCols(range.begin, range.size()).squaredNorm();
    after = std::sqrt(square) / rest.tau.norm();
    if (pass == 0) before = after;
    const Vector usual =
        usual_errors(errors, least, kept).cwiseMax(friction_at_rest(model, z) / far_off);
    const Matrix off = in_errors(errors, usual).cwiseMin(in_errors(of_all, usual));
    std::vector<Range> now = far_ranges(off, data.breaks, memory);
    const bool same = std::ranges::equal(now, left_out, [](const Range& a, const Range& b) {
      return a.begin == b.begin && a.end == b.end;
    });
    if (same) break;
    left_out = std::move(now);
  }
  if (!(after < much_better * before)) return {};

  std::vector<Contact> contacts;
  const std::vector<Range> pieces = pieces_of(data.breaks, data.size());
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (const Range& range : left_out)
      if (range.begin >= pieces[i].begin && range.end <= pieces[i].end)
        contacts.push_back(contact_of(thin.pieces[i], pieces[i].begin, range, errors, torque));
  return contacts;
}

Prepared without(const Prepared& samples, const std::vector<Contact>& contacts) {
  Prepared result = samples;
  result.pieces.clear();
  for (const Piece& piece : samples.pieces) {
    const auto touched = [&](Index k) {
      return std::ranges::any_of(contacts, [&](const Contact& c) {
        return c.log == piece.log && c.begin <= piece.t(k) && piece.t(k) <= c.end;
      });
    };
    for (Index begin = 0; begin < piece.size(); ++begin) {
      Index end = begin;
      while (end < piece.size() && !touched(end)) ++end;
      if (end > begin) result.pieces.push_back(piece.part(begin, end));
      begin = end;
    }
  }
  return result;
}

}  // namespace ulna::identify
