#include "identify_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <map>
#include <random>

#include "../plot/svg.hpp"
#include "page.hpp"
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
  std::string held, measured, predicted, residual;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const Trace& t = traces[i];
    const double begin = timeline.begin[i], length = Timeline::length(t);
    if (t.validation)
      held += rect("held", {x(begin), top.y, x(begin + length) - x(begin), below.bottom() - top.y});
    const VectorXd m = t.measured.row(joint), p = t.predicted.row(joint);
    const auto share = Index(double(buckets) * length / std::max(timeline.end, 1e-9));
    const auto line = [&](const VectorXd& signal, const Scale& scale) {
      return polyline(envelope(t.t, begin, signal, x, scale, share));
    };
    measured += line(m, y);
    predicted += line(p, y);
    residual += line(m - p, r);
  }
  return held + grid_y(top, y) + grid_y(below, r, 3) +
         labels_x(below, x, labelled(x.ticks(), " s")) + path("line measured", measured) +
         path("line predicted", predicted) + path("line residual", residual) + frame(top) +
         frame(below);
}

/// Amplitude densities at even frequencies, of windows of 4 s that overlap by half [Welch 1967].
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

/// Torques of a joint over time, measured and predicted; what is left, its spectrum and histogram.
std::string torque_plot(const Identification& result, int joint) {
  return plot::figure(1120, 208, "torques of joint " + std::to_string(joint + 1),
                      time_plot(result.traces, joint, {46, 8, 610, 118}, {46, 136, 610, 44}) +
                          spectrum_plot(result, joint, {712, 8, 180, 172}) +
                          histogram_plot(result, joint, {930, 8, 180, 172}));
}

/// Which torque depends on which parameter, and what becomes of each (Cărămizaru 2023, Figs. 4.3 and 4.5).
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
  return plot::figure(1120, below + 14, "structure of the torque regressor", s);
}

/// The singular values of the regressor's columns of base parameters, scaled to one length.
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
  return plot::figure(560, 186, "singular values", s + frame(box));
}

/// How far each body is from one that cannot exist, by plain least squares and by the estimate.
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
  return plot::figure(560, box.bottom() + 22, "margin of consistency", s + frame(box));
}

/// A number with its deviation beside the prior's, between low and high.
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

/// The main figures.
std::string cards(const Identification& r) {
  const Estimate& e = r.chosen.estimate;
  const std::string at = fmt::format(" at {:g} Hz", r.filter_hz);
  std::string s = card(percent(r.chosen.fit.total_percent), "torque error of the fit," + at);
  if (r.chosen.validation)
    s += card(percent(r.chosen.validation->total_percent), "on motion held out," + at);
  if (r.online)
    s += card(percent(r.online->second_half.total_percent), "predicted online, second half," + at);
  s += card(e.consistent ? "physical" : "not physical",
            e.consistent ? "every body can exist" : "bodies that cannot exist",
            e.consistent ? "good" : "bad");
  s += card(fmt::format("{} / {}", e.excitation.rank, r.base.size()),
            fmt::format("base parameters excited; {} of bodies", r.inertial_base()));
  return s + card(number(e.excitation.condition, 3), "condition of the regressor");
}

std::string comparison(const PageNames& names, const Identification& r) {
  HtmlTable table({"estimate", fmt::format(">fit, {:g} Hz", r.filter_hz),
                   fmt::format(">held out, {:g} Hz", r.filter_hz), ">bodies that cannot exist",
                   ">configurations with indefinite M(q)"});
  const auto one = [&](const std::string& name, const Assessment& j) {
    const auto bad = std::ranges::count_if(j.bodies, [](const Consistency& c) { return !c.ok(); });
    table.row({name, percent(j.fit.total_percent),
               j.validation ? percent(j.validation->total_percent) : "-",
               fmt::format("{} of {}", bad, j.bodies.size()), percent(j.indefinite_percent)});
  };
  if (r.plain) one("ordinary least squares", *r.plain);
  if (r.start) one("consistent, which refinement began with", *r.start);
  one(safe(names.method), r.chosen);
  return panel(table.str());
}

std::string joint_table(const Identification& r) {
  std::vector<std::string> titles{
      "joint", ">noise", ">error, rms",
      fmt::format(">{}, {:g} Hz", r.online ? "at the end" : "fit", r.filter_hz)};
  std::vector<const Fit*> fits{&r.chosen.fit};
  const auto add = [&](const std::string& title, const Fit& fit) {
    titles.push_back(title);
    fits.push_back(&fit);
  };
  if (r.chosen.validation)
    add(fmt::format(">held out, {:g} Hz", r.filter_hz), *r.chosen.validation);
  if (r.online)
    add(">predicted online", r.online->run), add(">its second half", r.online->second_half);
  HtmlTable table(titles);
  const std::vector<std::string> names = r.torques.model().velocity_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    Cells cells{safe(names[i]), number(r.chosen.estimate.noise(i), 3),
                number(r.chosen.fit.rms(i), 3)};
    for (const Fit* fit : fits) cells.push_back(percent(fit->per_joint_percent(i)));
    table.row(cells);
  }
  Cells total{"total", "", ""};
  for (const Fit* fit : fits) total.push_back(percent(fit->total_percent));
  table.row(total, "sum");
  return panel(table.str());
}

/// "mass", "viscous": what a parameter is of, so that those of a kind share a scale.
std::string kind_of(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  if (last.size() == 2 && last[0] == 'm') return "moment";
  if (last.size() == 3 && last[0] == 'I') return "inertia";
  return last;
}

std::string parameters(const Identification& r) {
  const Estimate& e = r.chosen.estimate;
  const std::vector<std::string> names = r.torques.names(), units = r.torques.units();
  std::map<std::string, std::pair<double, double>> range;
  for (int k = 0; k < r.torques.unknowns(); ++k) {
    auto& [low, high] = range[kind_of(names[k])];
    for (const double v : {e.z(k), e.prior(k)})
      if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  }
  HtmlTable table(
      {"parameter", ">prior", ">estimate", ">± deviation", "unit", "learned", "", "state"});
  std::string group;
  for (int k = 0; k < r.torques.unknowns(); ++k) {
    const std::string owner = names[k].substr(0, names[k].rfind('.'));
    if (owner != group) {
      group = owner;
      table.group(safe(owner));
    }
    const auto& [low, high] = range[kind_of(names[k])];
    const double margin = 0.05 * (high - low);
    const std::string_view state = r.state(k);
    const double learned = std::clamp(e.learned(k), 0.0, 1.0);
    table.row(
        {safe(names[k].substr(owner.size() + 1)), number(e.prior(k)), number(e.z(k)),
         number(e.deviation(k), 2), units[k],
         fmt::format("<span class='share'><i style='width:{:.0f}%'></i></span> {:.0f} %",
                     100.0 * learned, 100.0 * learned),
         interval_plot(e.z(k), e.deviation(k), e.prior(k), low - margin, high + margin), state},
        state == "estimated" ? "" : "prior");
  }
  return panel(table.str());
}

std::string base_parameters(const Identification& r) {
  const Estimate& e = r.chosen.estimate;
  const std::vector<std::string> names = r.torques.names(), units = r.torques.units();
  HtmlTable table({">#", "combination", ">value", ">± deviation", "unit"});
  for (int i = 0; i < r.base.size(); ++i)
    table.row({i + 1, "<code>" + safe(r.base.name(i, names)) + "</code>", number(e.base(i)),
               number(e.base_deviation(i), 2), units[r.base.independent[i]]});
  return panel(table.str());
}

std::string logs(const Identification& r) {
  HtmlTable table({"file", "use", ">rows", ">used", ">seconds", ">rate, Hz", ">jitter", ">dropped",
                   ">gaps", "clock"});
  for (const LogSummary& log : r.logs) {
    const LogFigures& f = log.figures;
    table.row({safe(log.file), log.use == "both" ? "fit, rest held out" : log.use, f.rows,
               f.samples, number(f.duration), number(f.rate_hz), percent(100.0 * f.jitter),
               fmt::format("{} corrupt, {} outliers, {} twice, {} held, {} out of time", f.corrupt,
                           f.outliers, f.duplicates, f.held, f.out_of_time),
               f.gaps,
               log.clock.repaired ? fmt::format("repaired: {:.4g} Hz", 1.0 / log.clock.period)
                                  : "as logged"});
  }
  std::string s = panel(table.str());
  if (r.delay.found)
    s += fmt::format(
        "<p>Torques seem to be measured {:.1f} ± {:.1f} ms after motion; this was not "
        "compensated.</p>\n",
        1e3 * r.delay.delay, 1e3 * r.delay.deviation);
  if (r.found.list().empty()) return s;
  HtmlTable screening;
  for (const Diagnostic& d : r.found.list())
    screening.row({to_string(d.severity), safe(d.source.str()),
                   safe((d.subject.empty() ? "" : d.subject + ": ") + d.seen +
                        (d.assumed.empty() ? "" : "; " + d.assumed)),
                   fmt::format("<code>{}</code>", d.rule->name)},
                  d.severity == Severity::note ? "prior" : "");
  return s + "<p>Findings of the screening:</p>\n" + panel(screening.str());
}

std::string online(const Identification& r) {
  if (!r.online) return "";
  const OnlineFigures& o = *r.online;
  return fmt::format(
      fmt::runtime(asset("identify_online.html")), o.updates(), o.rate_hz,
      percent(o.run.total_percent), percent(o.second_half.total_percent), percent(o.prior_percent),
      o.always_consistent ? "after every one" : "<b class='bad'>not after every one</b>", o.doubted,
      o.changed, o.ignored, o.median_us, o.percentile_99_us);
}

std::string refinement(const Identification& r) {
  if (!r.refined) return "";
  const Refinement& f = *r.refined;
  std::string s = fmt::format(
      "<h2>Refinement</h2>\n<p>Multiple shooting on positions and velocities: {}. The solver's "
      "message: {}</p>\n",
      safe(f.str()), safe(f.reason));
  if (f.delay_deviation != 0.0)
    s += fmt::format(
        "<p>Torques are measured {:.2f}{} ms after motion; all figures allow for it.</p>\n",
        1e3 * f.delay, f.has_deviations ? fmt::format(" ± {:.2f}", 1e3 * f.delay_deviation) : "");
  const bool stribeck = f.stribeck_level.size() > 0;
  std::vector<std::string> titles{"joint", ">position, before", ">after", ">velocity, before",
                                  ">after"};
  if (stribeck) titles.insert(titles.end(), {">Stribeck level", ">±", ">Stribeck velocity", ">±"});
  s += "<p>Simulated less measured, root mean squares, from measured states with the numbers "
       "before, and in the end:</p>\n";
  HtmlTable table(titles);
  const std::vector<std::string> names = r.torques.model().velocity_names();
  std::vector<const VectorXd*> columns{&f.position_before, &f.position_after, &f.velocity_before,
                                       &f.velocity_after};
  if (stribeck)
    columns.insert(columns.end(), {&f.stribeck_level, &f.stribeck_level_deviation,
                                   &f.stribeck_velocity, &f.stribeck_velocity_deviation});
  for (Index i = 0; i < f.position_after.size(); ++i) {
    Cells cells{safe(names[i])};
    for (const VectorXd* column : columns) cells.push_back(number((*column)(i), 3));
    table.row(cells);
  }
  return s + panel(table.str());
}

}  // namespace

std::string identify_page(const PageNames& names, const Identification& r) {
  const Model& model = r.torques.model();
  const Excitation& excitation = r.chosen.estimate.excitation;
  std::string remarks, plots;
  for (const Remark& remark : r.remarks)
    remarks += fmt::format("<div class='remark{}'>{}</div>\n", remark.finding ? " finding" : "",
                           safe(remark.text));
  const std::vector<std::string> joints = model.velocity_names();
  for (int i = 0; i < model.nv(); ++i)
    plots += fmt::format("<h3>{}</h3>\n", safe(joints[i])) + torque_plot(r, i);
  const std::string torque_keys =
      line_key("measured", "measured") +
      line_key("predicted", r.online ? "predicted before learning" : "predicted", true) +
      line_key("residual", "residual") +
      (r.validation_samples > 0 ? box_key("held", "held out") : "") +
      line_key("bad", fmt::format("cut-off, {:g} Hz", r.filter_hz), true);
  const bool none_known = r.base.known.empty();
  const std::string structure_keys =
      box_key("base", "base parameter") + box_key("dependent", "dependent") +
      box_key("idle", "without effect") + (none_known ? "" : box_key("known", "known")) +
      box_key("zero", "zero by structure");
  const std::string body = fmt::format(
      fmt::runtime(asset("identify.html")), fmt::arg("name", safe(model.name())),
      fmt::arg("log_count", counted(r.logs.size(), "log")), fmt::arg("robot", safe(names.robot)),
      fmt::arg("prior", safe(names.prior)), fmt::arg("method", safe(names.method)),
      fmt::arg("filter", safe(r.filter)), fmt::arg("hz", r.filter_hz), fmt::arg("cards", cards(r)),
      fmt::arg("remarks", remarks), fmt::arg("comparison", comparison(names, r)),
      fmt::arg("online", online(r)), fmt::arg("refinement", refinement(r)),
      fmt::arg("late", r.online ? fmt::format(" (causal while learning, {:.3g} ms late)",
                                              1e3 * r.online->delay)
                                : ""),
      fmt::arg("joints", joint_table(r)), fmt::arg("torque_keys", torque_keys),
      fmt::arg("torque_plots", plots), fmt::arg("unknowns", r.torques.unknowns()),
      fmt::arg("base_size", r.base.size()), fmt::arg("dependent", r.base.dependent.size()),
      fmt::arg("idle", r.base.idle.size()),
      fmt::arg("known", none_known ? "" : fmt::format(", and {} were known", r.base.known.size())),
      fmt::arg("structure_keys", structure_keys), fmt::arg("structure_plot", structure_plot(r)),
      fmt::arg("rank", excitation.rank), fmt::arg("condition", number(excitation.condition, 3)),
      fmt::arg("singular_value_plot", singular_value_plot(r)),
      fmt::arg("plain_key", r.plain ? "<span class='bad'>○</span> ordinary least squares, " : ""),
      fmt::arg("margin_plot", margin_plot(r)), fmt::arg("learned_enough", 100.0 * learned_enough),
      fmt::arg("parameters", parameters(r)), fmt::arg("base_parameters", base_parameters(r)),
      fmt::arg("logs", logs(r)), fmt::arg("version", ULNA_VERSION));
  return html_page(model.name() + ": identification", {"identify.css"}, body);
}

}  // namespace ulna::cli
