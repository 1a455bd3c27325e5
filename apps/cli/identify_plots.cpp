#include "identify_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <random>

#include "../plot/svg.hpp"
#include "report.hpp"
#include "ulna/derivatives/regressor.hpp"
#include "ulna/model/configuration.hpp"

namespace ulna::cli {
namespace {

using namespace identify;

using Eigen::Index;
using Eigen::VectorXd;
using namespace plot;

/// Traces laid one behind the other on one axis of seconds.
struct Timeline {
  std::vector<double> begin;  ///< of each trace
  double end = 0.0;

  explicit Timeline(const std::vector<Trace>& traces) {
    double total = 0.0;
    for (const Trace& t : traces) total += length(t);
    for (std::size_t i = 0; i < traces.size(); ++i) {
      // a split log goes on where it was cut; other pieces stand a little apart
      if (i > 0) {
        const Trace &last = traces[i - 1], &next = traces[i];
        const double gap = next.t(0) - last.t(last.t.size() - 1);
        const bool goes_on = last.file == next.file && gap > 0.0 && gap < 1.5 / next.rate_hz;
        end += goes_on ? gap : 0.01 * total;
      }
      begin.push_back(end);
      end += length(traces[i]);
    }
  }
  static double length(const Trace& t) { return t.t(t.t.size() - 1) - t.t(0); }
};

std::string time_plot(const std::vector<Trace>& traces, int joint, const Area& top,
                      const Area& below) {
  constexpr Index buckets = 650;
  const Timeline timeline(traces);
  double low = 0.0, high = 0.0, off = 0.0;
  for (const Trace& t : traces) {
    const auto m = t.measured.row(joint), p = t.predicted.row(joint);
    low = std::min({low, m.minCoeff(), p.minCoeff()});
    high = std::max({high, m.maxCoeff(), p.maxCoeff()});
    off = std::max(off, (m - p).cwiseAbs().maxCoeff());
  }
  const double margin = 0.05 * (high - low);
  const Scale x = top.across(0.0, timeline.end), y = top.upward(low - margin, high + margin),
              r = below.upward(-1.1 * off, 1.1 * off);
  std::string s;
  for (std::size_t i = 0; i < traces.size(); ++i)
    if (traces[i].validation) {
      const double from = x(timeline.begin[i]),
                   to = x(timeline.begin[i] + Timeline::length(traces[i]));
      s += rect("held", {from, top.y, to - from, below.bottom() - top.y});
    }
  s += grid_y(top, y) + grid_y(below, r, 3) + labels_x(below, x, labelled(x.ticks(), " s"));
  std::string measured, predicted, residual;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const Trace& t = traces[i];
    const VectorXd m = t.measured.row(joint), p = t.predicted.row(joint);
    const auto share = Index(double(buckets) * Timeline::length(t) / std::max(timeline.end, 1e-9));
    const auto line = [&](const VectorXd& signal, const Scale& scale) {
      return polyline(envelope(t.t, timeline.begin[i], signal, x, scale, share));
    };
    measured += line(m, y);
    predicted += line(p, y);
    residual += line(m - p, r);
  }
  return s + path("line measured", measured) + path("line predicted", predicted) +
         path("line residual", residual) + frame(top) + frame(below);
}

/// Amplitude densities at even frequencies up to `highest`, of windows of 4 s that overlap by half
/// [Welch 1967].
class Spectrum {
 public:
  static constexpr int count = 120;

  Spectrum(double highest, double filter_hz) : highest_(highest), filter_(filter_hz) {}

  void add(const VectorXd& signal, double rate) {
    // eight samples a period of what the filter passes are enough
    const Index stride = std::max<Index>(1, Index(rate / (8.0 * filter_)));
    const double slow = rate / double(stride);
    const Index n = signal.size() / stride, length = std::min<Index>(n, std::lround(4.0 * slow));
    if (length < 8) return;
    for (Index from = 0; from + length <= n; from += std::max<Index>(1, length / 2)) {
      ++windows_;
      double mean = 0.0;
      for (Index k = 0; k < length; ++k) mean += signal((from + k) * stride);
      mean /= double(length);
      for (int f = 0; f < count; ++f) {
        const std::complex<double> turn = std::polar(1.0, -2.0 * M_PI * frequency(f) / slow);
        std::complex<double> phase = 1.0, sum = 0.0;
        for (Index k = 0; k < length; ++k, phase *= turn) {
          const double u = (double(k) + 0.5) / double(length);
          sum += (1.0 - std::cos(2.0 * M_PI * u)) * (signal((from + k) * stride) - mean) * phase;
        }
        // of Hann's window, the mean square is 3/2 where its mean is 1
        power_[f] += 2.0 * std::norm(sum) / (1.5 * double(length) * slow);
      }
    }
  }
  double frequency(int f) const { return highest_ * (f + 0.5) / count; }
  /// In the signal's unit per root Hz.
  double density(int f) const { return windows_ ? std::sqrt(power_[f] / windows_) : 0.0; }

 private:
  double highest_, filter_;
  int windows_ = 0;
  std::array<double, count> power_{};
};

std::string spectrum_plot(const Identification& result, int joint, const Area& box) {
  const double highest = 2.0 * result.filter_hz;
  Spectrum torque(highest, result.filter_hz), residual(highest, result.filter_hz);
  for (const Trace& t : result.traces) {
    const VectorXd m = t.measured.row(joint), p = t.predicted.row(joint);
    torque.add(m, t.rate_hz);
    residual.add(m - p, t.rate_hz);
  }
  double most = 0.0;
  for (int f = 0; f < Spectrum::count; ++f)
    most = std::max({most, torque.density(f), residual.density(f)});
  const double top = most > 0.0 ? std::ceil(std::log10(most)) : 0.0, bottom = top - 5.0;
  const Scale x = box.across(0.0, highest), y = box.upward(bottom, top);
  std::vector<Tick> decades;
  for (double decade = bottom; decade <= top; decade += 1.0)
    decades.push_back({decade, fmt::format("1e{:g}", decade)});
  const auto line = [&](const Spectrum& spectrum, std::string_view kind) {
    std::vector<Point> points;
    for (int f = 0; f < Spectrum::count; ++f) {
      const double d = std::log10(std::max(spectrum.density(f), 1e-300));
      points.push_back({x(spectrum.frequency(f)), y(std::clamp(d, bottom, top))});
    }
    return path(kind, polyline(points));
  };
  return grid_x(box, x) + grid_y(box, y, decades) + line(torque, "line measured faint") +
         line(residual, "line residual") + vertical("cut", box, x(result.filter_hz)) +
         text(x(result.filter_hz) + 3, box.y + 11, fmt::format("{:g} Hz", result.filter_hz),
              "accent") +
         frame(box) + text(box.right(), box.bottom() + 25, "Hz", "e");
}

std::string histogram_plot(const Identification& result, int joint, const Area& box) {
  constexpr int bins = 41;
  double squares = 0.0, count = 0.0;
  for (const Trace& t : result.traces)
    if (!t.validation) {
      squares += (t.measured.row(joint) - t.predicted.row(joint)).squaredNorm();
      count += double(t.t.size());
    }
  const double deviation = std::sqrt(squares / std::max(count, 1.0));
  if (!(deviation > 0.0)) return frame(box) + text(box.x + 6, box.y + 14, "no residual");
  const double reach = 4.0 * deviation;
  std::array<double, bins> fitted{}, held{};
  double held_count = 0.0;
  for (const Trace& t : result.traces) {
    for (Index k = 0; k < t.t.size(); ++k) {
      const double r = t.measured(joint, k) - t.predicted(joint, k);
      const int bin = std::clamp(int((r + reach) / (2.0 * reach) * bins), 0, bins - 1);
      (t.validation ? held : fitted)[bin] += 1.0;
    }
    if (t.validation) held_count += double(t.t.size());
  }
  // densities per deviation, so that the normal curve has its place
  const double unit = bins / 8.0;
  double most = 0.4;
  for (double& h : fitted) most = std::max(most, h *= unit / count);
  for (double& h : held) most = std::max(most, h *= held_count > 0.0 ? unit / held_count : 0.0);
  const Scale x = box.across(-reach, reach), y = box.upward(0.0, 1.05 * most);
  const double step = box.width / bins;
  std::string bars, outline = fmt::format("M{:.1f} {:.1f}", box.x, box.bottom());
  for (int b = 0; b < bins; ++b) {
    bars += fmt::format("M{:.1f} {:.1f}V{:.1f}h{:.1f}V{:.1f}z", box.x + b * step, box.bottom(),
                        y(fitted[b]), step - 0.4, box.bottom());
    outline += fmt::format("V{:.1f}h{:.2f}", y(held[b]), step);
  }
  std::string s = grid_x(box, x) + path("bars", bars);
  if (held_count > 0.0) s += path("line heldline", outline + fmt::format("V{:.1f}", box.bottom()));
  std::vector<Point> normal;
  for (int k = 0; k <= 60; ++k) {
    const double u = -4.0 + 8.0 * k / 60.0;
    normal.push_back({x(u * deviation), y(std::exp(-0.5 * u * u) / std::sqrt(2.0 * M_PI))});
  }
  return s + path("line normal", polyline(normal)) + frame(box) +
         text(box.right(), box.bottom() + 25, torque_unit(result.torques.model(), joint), "e");
}

/// A name that fits beside a plot.
std::string shortened(std::string_view name, std::size_t most) {
  const std::string text = visible(name);
  return text.size() > most ? text.substr(0, most - 2) + ".." : text;
}

/// Where a number of either sign stands on a scale of decades around zero.
double signed_decades(double x) {
  constexpr double smallest = 1e-7;
  return std::copysign(std::log10(1.0 + std::abs(x) / smallest), x);
}

}  // namespace

std::string torque_plot(const Identification& result, int joint) {
  return figure(1120, 208, "torques of joint " + std::to_string(joint + 1),
                time_plot(result.traces, joint, {46, 8, 610, 118}, {46, 136, 610, 44}) +
                    spectrum_plot(result, joint, {712, 8, 180, 172}) +
                    histogram_plot(result, joint, {930, 8, 180, 172}));
}

std::string structure_plot(const Identification& result) {
  const TorqueModel& torques = result.torques;
  const Model& model = torques.model();
  const int n = model.nv(), p = torques.unknowns(), features = torques.feature_count();
  enum Kind { base, dependent, idle, known };
  std::vector<Kind> kind(p, base);
  for (const int k : result.base.dependent) kind[k] = dependent;
  for (const int k : result.base.idle) kind[k] = idle;
  for (const int k : result.base.known) kind[k] = known;

  // what is zero at a few random states is zero everywhere
  Eigen::MatrixXd most = Eigen::MatrixXd::Zero(n, p);
  Kinematics<double> at(model);
  RegressorWorkspace<double> ws(model);
  RowMatX<double> Y(n, torques.inertial_size());
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int s = 0; s < 8; ++s) {
    VectorXd v(n), a(n);
    for (int i = 0; i < n; ++i) v(i) = normal(random), a(i) = normal(random);
    at.set(random_configuration(model, random), v, a);
    torque_regressor<double>(at, ws, Y);
    most.leftCols(torques.inertial_size()) =
        most.leftCols(torques.inertial_size()).cwiseMax(Y.cwiseAbs());
  }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < features; ++k) most(i, torques.at(i, k)) = 1.0;
  const double nothing = 1e-10 * most.maxCoeff();

  constexpr double left = 130, top = 66, gap = 3;
  const int bodies = model.joint_count();
  const double width = 980.0 - gap * (bodies + n);
  const double cell = std::min(14.0, width / p), high = std::clamp(1.6 * cell, 9.0, 18.0);
  const auto x_of = [&](int k) {
    const int group = k < torques.inertial_size()
                          ? k / 10
                          : bodies + (k - torques.inertial_size()) / std::max(1, features);
    return left + cell * k + gap * group;
  };
  std::array<std::string, 4> paths;
  std::string blank;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < p; ++k) {
      std::string& path = most(i, k) > nothing ? paths[kind[k]] : blank;
      path += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z", x_of(k) + 0.4,
                          top + high * i + 0.4, cell - 0.8, high - 0.8, cell - 0.8);
    }
  // parameters that no torque depends on have no cell of their own: a line of them below
  const double below = top + high * n + 5;
  for (int k = 0; k < p; ++k)
    paths[kind[k]] += fmt::format("M{:.1f} {:.1f}h{:.1f}v6h-{:.1f}z", x_of(k) + 0.4, below,
                                  cell - 0.8, cell - 0.8);
  std::string s = path("cell-zero", blank);
  constexpr std::array classes{"cell-base", "cell-dependent", "cell-idle", "cell-known"};
  for (std::size_t c = 0; c < 4; ++c) s += path(classes[c], paths[c]);
  const std::vector<std::string> joints = model.velocity_names();
  for (int i = 0; i < n; ++i)
    s += text(left - 8, top + high * (i + 0.5) + 4, shortened(joints[i], 20), "e");
  const auto slanted = [&](double x, std::string_view text) {
    s += fmt::format("<text transform='translate({:.1f} {:.1f}) rotate(-24)'>{}</text>\n", x,
                     top - 6, escaped(shortened(text, 20)));
  };
  for (int b = 0; b < bodies; ++b) slanted(x_of(10 * b) + 3, model.body_name(b + 1));
  if (features > 0) slanted(x_of(torques.inertial_size()) + 3, "friction, rotors");
  return figure(1120, below + 14, "structure of the torque regressor", s);
}

std::string singular_value_plot(const Identification& result) {
  const VectorXd& values = result.chosen.estimate.excitation.singular_values;
  const Area box{46, 8, 490, 150};
  const double most = values.size() ? values(0) : 1.0;
  double least = most;
  for (const double v : values)
    if (v > 1e-9 * most) least = std::min(least, v);
  const double top = std::ceil(std::log10(std::max(most, 1e-300)) * 2.0 + 0.01) / 2.0,
               bottom = std::floor(std::log10(std::max(least, 1e-300)) * 2.0 - 0.01) / 2.0;
  const Scale x = box.across(0.0, double(values.size()) + 1.0), y = box.upward(bottom, top);
  std::vector<Tick> ticks;
  for (const double tick : y.ticks())
    ticks.push_back({tick, fmt::format("{:.2g}", std::pow(10.0, tick))});
  std::string s = grid_x(box, x) + grid_y(box, y, ticks);
  for (Index k = 0; k < values.size(); ++k) {
    const bool lost = k >= result.chosen.estimate.excitation.rank;
    const double at = y(std::log10(std::max(values(k), 1e-300)));
    s += circle(lost ? "dot-bad" : "dot", x(double(k + 1)), std::clamp(at, box.y, box.bottom()), 3);
  }
  return figure(560, 186, "singular values", s + frame(box));
}

std::string margin_plot(const Identification& result) {
  const int bodies = result.torques.model().joint_count();
  constexpr double line = 22.0;
  const Area box{150, 8, 380, line * bodies};
  const Scale x = box.across(-7.5, 7.5);
  std::vector<Tick> ticks;
  for (const double tick : {-1.0, -1e-2, -1e-4, -1e-6, 1e-6, 1e-4, 1e-2, 1.0})
    ticks.push_back({signed_decades(tick), fmt::format("{:g}", tick)});
  std::string s = rect("forbidden", {box.x, box.y, x(0.0) - box.x, box.height}) +
                  grid_x(box, x, ticks) + vertical("cut", box, x(0.0));
  for (int b = 0; b < bodies; ++b) {
    const double y = box.y + line * (b + 0.5);
    s += text(box.x - 8, y + 4, shortened(result.torques.model().body_name(b + 1), 22), "e");
    const auto place = [&](const Assessment& assessment) {
      const double margin = assessment.bodies[b].margin;
      return x(std::clamp(signed_decades(std::isfinite(margin) ? margin : -1.0), -7.5, 7.5));
    };
    const double after = place(result.chosen);
    if (result.plain)
      s += path("lane", polyline({{place(*result.plain), y}, {after, y}})) +
           circle("dot-plain", place(*result.plain), y, 4.5);
    s += circle(result.chosen.bodies[b].ok() ? "dot-good" : "dot-bad", after, y, 4.5);
  }
  return figure(560, box.bottom() + 22, "margin of consistency", s + frame(box));
}

std::string interval_plot(double value, double deviation, double prior, double low, double high) {
  const Area box{4, 2, 172, 12};
  const Scale x = box.across(low, high);
  const auto at = [&](double v) { return std::clamp(x(v), 1.0, 179.0); };
  std::string s = path("grid", "M4 8h172");
  if (low < 0.0 && high > 0.0) s += vertical("cut", box, x(0.0));
  if (std::isfinite(deviation))
    s += path("whisker",
              polyline({{at(value - 2.0 * deviation), 8.0}, {at(value + 2.0 * deviation), 8.0}}));
  if (std::isfinite(prior)) s += circle("dot-prior", at(prior), 8, 3.4);
  if (std::isfinite(value)) s += circle("dot", at(value), 8, 3.4);
  return "<svg class='interval' viewBox='0 0 180 16'>" + s + "</svg>";
}

}  // namespace ulna::cli
