#include "ulna/identify/data/screen.hpp"

#include <algorithm>
#include <cmath>

#include "identify/data/screen_parts.hpp"
#include "identify/messages.hpp"
#include "ulna/identify/data/log_rules.hpp"

namespace ulna::identify {

using Eigen::Index;

double quantile(const double* x, Index stride, Index count, double p) {
  constexpr Index most = 50'000;
  const Index step = std::max<Index>(1, count / most);
  std::vector<double> some;
  for (Index k = 0; k < count; k += step) some.push_back(x[k * stride]);
  if (some.empty()) return 0.0;
  const auto at = static_cast<std::ptrdiff_t>(std::lround(p * double(some.size() - 1)));
  std::nth_element(some.begin(), some.begin() + at, some.end());
  return some[at];
}

namespace {

/// The samples of a longest strictly increasing subsequence: the fewest others are left out.
/// [Fredman 1975, in O(N log N)]
std::vector<char> longest_increasing(const Eigen::VectorXd& t) {
  const auto n = std::size_t(t.size());
  std::vector<std::size_t> ends, before(n);  // ends[l]: smallest end of a sequence of length l + 1
  for (std::size_t k = 0; k < n; ++k) {
    const double now = t[Index(k)];
    const auto at = std::lower_bound(ends.begin(), ends.end(), now,
                                     [&](std::size_t e, double x) { return t[Index(e)] < x; });
    before[k] = at == ends.begin() ? n : *std::prev(at);
    // of equal times the first is kept
    if (at == ends.end())
      ends.push_back(k);
    else if (now < t[Index(*at)])
      *at = k;
  }
  std::vector<char> kept(n, 0);
  for (std::size_t k = ends.empty() ? n : ends.back(); k != n; k = before[k]) kept[k] = 1;
  return kept;
}

bool same_measurements(Log& log, Index a, Index b) {
  const auto parts = log.measurements();
  return std::all_of(parts.begin(), parts.end(),
                     [&](const auto* m) { return (m->col(a).array() == m->col(b).array()).all(); });
}

bool share_exceeded(Index part, Index whole, double share) {
  return double(part) > share * double(whole);
}

}  // namespace

void screen_clock(Log& log, LogFigures& figures, Diagnostics& found) {
  const std::vector<char> kept = longest_increasing(log.t);
  AffectedRows duplicates, standing, backwards;
  std::string first_step;
  Index last = 0;  // the last kept before k
  for (Index k = 0; k < log.size(); ++k) {
    const int line = log.line[k];
    if (k > 0 && log.t[k] < log.t[k - 1] && first_step.empty())
      first_step = "from " + number(log.t[k - 1], 9) + " to " + number(log.t[k], 9) +
                   " s at line " + std::to_string(line);
    if (kept[k])
      last = k;
    else if (log.t[k] != log.t[last])
      backwards.add(line);
    else
      (same_measurements(log, k, last) ? duplicates : standing).add(line);
  }
  const Index all = log.size();
  log.keep(kept);
  figures.duplicates = duplicates.count();
  figures.out_of_time = standing.count() + backwards.count();

  if (duplicates)
    found.add(log_rules::row_duplicate, {log.file, duplicates.first(), 0}, "",
              duplicates.rows() + " repeat the row before them, time included", "dropped");
  // a clock that is often wrong is not known to be right elsewhere
  const auto report = [&](const Rule& rule, const AffectedRows& rows, const std::string& seen,
                          const std::string& advice) {
    if (share_exceeded(rows.count(), all, 0.02))
      found.add(log_rules::mostly_lost, {log.file, rows.first(), 0}, "time",
                seen + ": too many to go on", "", advice);
    else if (rows)
      found.add(rule, {log.file, rows.first(), 0}, "time", seen, "these rows are dropped");
  };
  report(log_rules::time_backwards, backwards,
         "it goes backwards, " + first_step + "; to make it increase, " + backwards.rows() +
             " of " + std::to_string(all) + " must go",
         "if the file holds several recordings, give each as a file of its own");
  report(log_rules::time_stands, standing,
         "it stands still at " + standing.rows() + " of " + std::to_string(all) +
             " while the measurements change",
         "log the time with more digits, or leave the column out and give the rate");
}

void screen_outliers(Log& log, LogFigures& figures, Diagnostics& found) {
  // what no joint reaches in radians, metres, seconds, newtons and amperes
  constexpr double absurd = 1e6;
  constexpr Index half = 3, width = 2 * half + 1;
  const Index count = log.size();
  if (count < width) return;
  std::vector<char> kept(std::size_t(count), 1);
  std::string worst;
  double worst_ratio = 0.0;
  const auto blame = [&](const Eigen::MatrixXd& m, const char* name, Index i, Index k, double usual,
                         double ratio) {
    kept[k] = 0;
    if (ratio <= worst_ratio) return;
    worst_ratio = ratio;
    worst = std::string(name) + " of " + joint_subject(log, i) + " is " + number(m(i, k)) +
            " at line " + std::to_string(log.line[k]) + ", its neighbours " + number(usual);
  };
  const std::pair<const Eigen::MatrixXd*, const char*> parts[] = {{&log.q, "position"},
                                                                  {&log.v, "velocity"},
                                                                  {&log.a, "acceleration"},
                                                                  {&log.tau, "torque"},
                                                                  {&log.current, "current"}};
  for (const auto& [m, name] : parts) {
    if (m->size() == 0) continue;
    for (Index i = 0; i < m->rows(); ++i) {
      const auto x = m->row(i);
      const auto usual = [&](Index k) {
        const Index from = std::clamp<Index>(k - half, 0, count - width);
        double window[width];
        for (Index j = 0; j < width; ++j) window[j] = x[from + j];
        std::nth_element(window, window + half, window + width);
        return window[half];
      };
      // how far a number may be from the median of its neighbours: farther than the channel goes
      // altogether, and much farther than its numbers usually are
      const Index sparse = std::max<Index>(1, count / 20'000);
      std::vector<double> far;
      for (Index k = 0; k < count; k += sparse) far.push_back(std::abs(x[k] - usual(k)));
      const double most = quantile(m->data() + i, m->rows(), count, 0.99) -
                          quantile(m->data() + i, m->rows(), count, 0.01) +
                          10.0 * quantile(far.data(), 1, Index(far.size()), 0.99) + 1e-6;
      // far from the median means a long step nearby; most samples have none
      const double step = most / double(width);
      Index near_until = -1;
      for (Index k = 0; k < count; ++k) {
        const Index ahead = std::min(k + width, count - 1);
        if (std::abs(x[ahead] - x[ahead - 1]) > step) near_until = k + 2 * width;
        const bool large = std::abs(x[k]) > absurd;
        if (!large && k > near_until && k > width) continue;
        const double median = usual(k), deviation = std::abs(x[k] - median);
        if (large || deviation > most)
          blame(*m, name, i, k, median, std::max(deviation, std::abs(x[k])) / most);
      }
    }
  }
  AffectedRows outliers;
  for (Index k = 0; k < count; ++k)
    if (!kept[k]) outliers.add(log.line[k]);
  figures.outliers = outliers.count();
  if (!outliers) return;
  log.keep(kept);
  found.add(log_rules::outlier, {log.file, outliers.first(), 0}, "",
            "absurd numbers in " + outliers.rows() + "; the worst: " + worst,
            "these rows are dropped");
}

void screen_held(Log& log, LogFigures& figures, Diagnostics& found) {
  std::vector<char> kept(std::size_t(log.size()), 1);
  AffectedRows held;
  Index last = 0;
  for (Index k = 1; k < log.size(); ++k) {
    if (!same_measurements(log, k, last)) {
      last = k;
      continue;
    }
    kept[k] = 0;
    held.add(log.line[k]);
  }
  // a log without noise, of a robot at rest, repeats itself rightly
  if (!held || share_exceeded(held.count(), log.size(), 0.5)) return;
  const Index all = log.size();
  figures.held = held.count();
  log.keep(kept);
  found.add(log_rules::row_held, {log.file, held.first(), 0}, "",
            held.rows() + " of " + std::to_string(all) +
                " repeat the measurements before them at a later time",
            "dropped: what is measured belongs to the first of them");
}

LogFigures screen(Log& log, const Model& model, const ScreenOptions& options, Diagnostics& found) {
  LogFigures figures;
  figures.rows = log.rows;
  if (log.empty()) return figures;
  if (log.q.rows() != model.nv())
    throw std::invalid_argument("screen: the log has " + counted(log.q.rows(), "joint") +
                                ", robot '" + model.name() + "' has " + std::to_string(model.nv()));
  const std::size_t errors_before = found.count(Severity::error);
  const auto refused = [&] { return found.count(Severity::error) > errors_before; };
  const auto too_few = [&] {
    if (log.size() >= options.fewest) return false;
    found.add(log_rules::too_short, {log.file, 0, 0}, "",
              counted(log.size(), "usable row") + " of " + std::to_string(log.rows) +
                  ", at least " + std::to_string(options.fewest) + " are needed");
    return true;
  };

  figures.corrupt = log.rows - log.size();
  if (!too_few()) {
    screen_clock(log, figures, found);
    if (!refused()) screen_outliers(log, figures, found);
    const Index lost = figures.corrupt + figures.outliers + figures.out_of_time;
    if (!refused() && share_exceeded(lost, log.rows, options.most_lost))
      found.add(log_rules::mostly_lost, {log.file, 0, 0}, "",
                counted(lost, "row") + " of " + std::to_string(log.rows) +
                    " are corrupt, absurd or out of time");
    if (!refused()) screen_held(log, figures, found);
    if (!refused() && !too_few()) {
      screen_steps(log, figures, options, found);
      screen_joints(log, model, found);
      screen_velocities(log, figures, found);
      // what the velocities contradict needs no limits to be found
      if (options.limits_known && !refused()) screen_limits(log, model, found);
    }
  }
  if (refused()) log = Log{};
  std::sort(log.breaks.begin(), log.breaks.end());
  log.breaks.erase(std::unique(log.breaks.begin(), log.breaks.end()), log.breaks.end());
  figures.samples = log.size();
  figures.pieces = 1 + Index(log.breaks.size());
  return figures;
}

void screen_torques(const Log& log, const Eigen::MatrixXd& predicted,
                    const Eigen::MatrixXd& measured, Diagnostics& found) {
  if (predicted.rows() != measured.rows() || predicted.cols() != measured.cols())
    throw std::invalid_argument("screen_torques: predicted and measured differ in size");
  if (predicted.cols() == 0) return;
  const auto normalised = [](Eigen::MatrixXd x) {
    x.colwise() -= x.rowwise().mean().eval();
    for (Index i = 0; i < x.rows(); ++i) {
      const double norm = x.row(i).norm();
      if (norm > 0.0) x.row(i) /= norm;
    }
    return x;
  };
  const Eigen::MatrixXd like = normalised(measured) * normalised(predicted).transpose();
  for (Index i = 0; i < like.rows(); ++i) {
    Index best = 0;
    like.row(i).maxCoeff(&best);
    if (best == i || like(i, best) < 0.8 || like(i, i) > 0.5) continue;
    found.add(log_rules::torque_swapped, {log.file, 0, 0}, joint_subject(log, i),
              "its torque correlates with the one predicted for it by " + number(like(i, i), 2) +
                  ", with that for " + joint_subject(log, best) + " by " + number(like(i, best), 2),
              "used as it is");
  }
}

}  // namespace ulna::identify
