#include <array>
#include <filesystem>
#include <random>

#include "../plot/charts.hpp"
#include "report_page.hpp"
#include "states.hpp"
#include "ulna/classic/dominance.hpp"
#include "ulna/io/number.hpp"
#include "ulna/num/counted.hpp"

namespace ulna::cli {
namespace {

using namespace classic;

struct SimplifyOptions {
  RobotArgument robot;
  std::string trajectory, other = "quintic:2", tolerance = "1%", svg, html;
  bool force = false;
};

/// "1%" or "0.01".
double tolerance_of(const std::string& text) {
  const bool percent = text.ends_with("%");
  const auto x = parse_number(text.substr(0, text.size() - percent));
  const double share = x ? *x * (percent ? 0.01 : 1.0) : -1.0;
  if (!(share >= 0.0 && share < 1.0))
    throw UsageError("--tolerance: '{}' is not a share from 0 to below 100%, such as 1% or 0.01",
                     text);
  return share;
}

/// From rest to rest between two random configurations within the limits, by a polynomial of fifth
/// order: 31 set points in 3 s, as many as Fu 1987 has.
SetPoints quintic(const Model& model, std::uint64_t seed) {
  constexpr int count = 31;
  constexpr double seconds = 3.0;
  std::mt19937_64 random(seed);
  const auto configuration = [&] {
    Eigen::VectorXd q(model.nq());
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const double low = std::max(model.lower_limit()(i), -M_PI);
      const double high = std::max(low, std::min(model.upper_limit()(i), M_PI));
      q(i) = low + (high - low) * (double(random() >> 11) * 0x1p-53);
    }
    return q;
  };
  const Eigen::VectorXd from = configuration(), way = configuration() - from;
  SetPoints p;
  p.t.resize(count), p.q.resize(from.size(), count), p.v = p.q, p.a = p.q;
  for (int k = 0; k < count; ++k) {
    const double s = double(k) / (count - 1), r = 1.0 - s;
    p.t(k) = s * seconds;
    p.q.col(k) = from + way * (s * s * s * (10.0 - 15.0 * s + 6.0 * s * s));
    p.v.col(k) = way * (30.0 * s * s * r * r / seconds);
    p.a.col(k) = way * (60.0 * s * r * (r - s) / (seconds * seconds));
  }
  return p;
}

SetPoints read_table(InputFile in, const Model& model, const DAlembert<double>& arm) {
  CsvReader reader(in.stream(), in.name());
  const TrajectoryColumns columns = trajectory_columns(model, reader.names(), in.name());
  require_columns(model, "q", columns.q, in.name());
  require_columns(model, "qd", columns.qd, in.name());
  require_columns(model, "qdd", columns.qdd, in.name());
  const int n = model.nv(), most = 5'000'000 / std::max(1, n * n);
  std::vector<double> row(reader.names().size()), t, q, v, a;
  int count = 0;
  for (; reader.next(row); ++count) {
    if (count == most)
      throw Failure("{}: more than {} set points are too many for this robot; leave some out",
                    in.name(), most);
    t.push_back(columns.t >= 0 ? row[columns.t] : count);
    for (const int column : columns.q) q.push_back(row[column]);
    for (const int column : columns.qd) v.push_back(row[column]);
    for (const int column : columns.qdd) a.push_back(row[column]);
    const auto last = [&](const std::vector<double>& numbers) -> VecX<double> {
      return Eigen::Map<const Eigen::VectorXd>(numbers.data() + numbers.size() - n, n);
    };
    const VecX<double> torque = arm.inverse_dynamics(last(q), last(v), last(a));
    for (int i = 0; i < n; ++i)
      if (!std::isfinite(torque(i)))
        throw CsvError({in.name(), reader.line(), 0},
                       fmt::format("the torque of '{}' is not a finite number: values of this row "
                                   "are too large",
                                   model.velocity_names()[i]));
  }
  if (count == 0) refuse_no_rows(in.name());
  const auto matrix = [&](const std::vector<double>& numbers) {
    return Eigen::Map<const Eigen::MatrixXd>(numbers.data(), model.nv(), count);
  };
  return {Eigen::Map<const Eigen::VectorXd>(t.data(), count), matrix(q), matrix(v), matrix(a)};
}

SetPoints trajectory(const std::string& name, const Model& model, const DAlembert<double>& arm) {
  if (name == "quintic") return quintic(model, 1);
  if (!name.starts_with("quintic:")) {
    require_word_or_file("TRAJECTORY", name, {"quintic"});
    return read_table(InputFile(name), model, arm);
  }
  const std::string seed = name.substr(8);
  if (seed.empty() || seed.size() > 9 || seed.find_first_not_of("0123456789") != seed.npos)
    throw UsageError("'{}': a seed is a whole number from 0 to 999999999, as in quintic:2", name);
  return quintic(model, std::stoull(seed));
}

const char* part_of(TermKind kind) {
  const bool translation = kind == TermKind::D_tran || kind == TermKind::h_tran;
  return kind == TermKind::gravity ? "gravity" : translation ? "translation" : "rotation";
}

struct Analysis {
  std::string robot, trajectory, other;
  double tolerance = 0.0;
  Eigen::Index points = 0;
  std::vector<std::string> joints;
  Eigen::VectorXd peak, error = {}, other_error = {};
  std::vector<TermWeight> terms = {};
  int kept = 0;
  OperationCount full = {}, reduced = {};
  /// Elements by what dominates them: the other part is below a tenth all along.
  std::vector<std::string> by_translation = {}, by_rotation = {}, by_both = {};
};

std::vector<DynamicTerm> elements_of(int n) {
  std::vector<DynamicTerm> list;
  for (int i = 1; i <= n; ++i)
    for (int j = i; j <= n; ++j) list.push_back({TermKind::D_tran, i, j});
  for (int i = 1; i <= n; ++i) list.push_back({TermKind::h_tran, i, i});
  return list;
}

DynamicTerm by_rotation(DynamicTerm term) {
  term.kind = term.kind == TermKind::D_tran ? TermKind::D_rot : TermKind::h_rot;
  return term;
}

Analysis analyse(const SimplifyOptions& options, const Model& model, const Dominance& d,
                 const DAlembert<double>& arm) {
  Analysis a{
      model.name(),       options.trajectory,     options.other,  tolerance_of(options.tolerance),
      d.points().count(), model.velocity_names(), d.peak_torque()};
  a.terms = d.rank(a.tolerance);
  const int n = d.joint_count();
  const KeptTerms kept = kept_of(a.terms, n);
  a.kept = kept.count();
  a.error = relative_error(arm, kept, d.points());
  a.other_error = relative_error(arm, kept, trajectory(options.other, model, arm));
  require_finite("the torque", a.joints, a.peak);

  const DAlembert<Counted> counted{
      classic::Chain<Counted>{classic::Arm<Counted>{Plant<Counted>{model}}}};
  const VecX<Counted> q = d.points().q.col(a.points / 2).cast<Counted>();
  a.full = count_operations([&] { (void)counted.inverse_dynamics(q, q, q); });
  a.reduced =
      count_operations([&] { (void)reduced_inverse_dynamics<Counted>(counted, kept, q, q, q); });

  for (const DynamicTerm& term : elements_of(n)) {
    const double tran = d.value(term).cwiseAbs().maxCoeff(),
                 rot = d.value(by_rotation(term)).cwiseAbs().maxCoeff();
    const double nothing = 1e-12 * std::max(1.0, a.peak.maxCoeff());
    if (std::max(tran, rot) <= nothing) continue;
    (rot < 0.1 * tran   ? a.by_translation
     : tran < 0.1 * rot ? a.by_rotation
                        : a.by_both)
        .push_back(term.element());
  }
  return a;
}

/// Without what rounding leaves of nothing.
std::string share(double x) { return x < 1e-11 ? "0%" : fmt::format("{:.3g}%", 100.0 * x); }

std::string text_of(const Analysis& a, const Stream& out) {
  std::string text = fmt::format("{} along {}: {}, tolerance {} of each joint's peak torque\n\n",
                                 out.paint(Style::bold, visible(a.robot)), visible(a.trajectory),
                                 counted(a.points, "set point"), share(a.tolerance));
  Table joints(2, {">#", "joint", ">peak torque", ">error", ">on " + a.other});
  for (std::size_t i = 0; i < a.joints.size(); ++i)
    joints.row({i + 1, a.joints[i], figure(a.peak(i)), share(a.error(i)), share(a.other_error(i))});
  text += joints.str(out) + "\n";

  Table models(1, {"model", ">terms", ">multiplications", ">additions"});
  models.row({"full", a.terms.size(), a.full.multiplications, a.full.additions});
  models.row({"reduced", a.kept, a.reduced.multiplications, a.reduced.additions});
  text += models.str(out) + "\n";

  const auto paragraph = [&](const std::string& title, const std::vector<std::string>& words) {
    const std::string list = words.empty() ? "-" : fmt::format("{}", fmt::join(words, " "));
    text += title + "\n" + hanging("  ", 2, list, out.width() - 2);
  };
  paragraph("translation dominates (rotation is below a tenth)", a.by_translation);
  paragraph("rotation dominates", a.by_rotation);
  paragraph("both matter", a.by_both);

  std::vector<std::string> dropped;
  Table ranking(2, {"term", "by", ">share"});
  for (const TermWeight& w : a.terms) {
    const std::string element = w.term.element(), part = part_of(w.term.kind);
    if (!w.dropped)
      ranking.row({element, part, share(w.share)});
    else
      dropped.push_back(part == "gravity" ? element
                                          : element + (part == "rotation" ? ".rot" : ".tran"));
  }
  paragraph("dropped", dropped);
  return text + "\nkept, by the largest share of a joint's peak torque\n" + ranking.str(out);
}

Json json_of(const Analysis& a, const Json& about) {
  Json joints = Json::array(), terms = Json::array();
  for (std::size_t i = 0; i < a.joints.size(); ++i)
    joints.push_back({{"name", a.joints[i]},
                      {"peak_torque", a.peak(i)},
                      {"error", a.error(i)},
                      {"other_error", a.other_error(i)}});
  for (const TermWeight& w : a.terms)
    terms.push_back({{"element", w.term.element()},
                     {"part", part_of(w.term.kind)},
                     {"share", w.share},
                     {"dropped", w.dropped}});
  const auto cost = [](std::size_t count, const OperationCount& n) {
    return Json{
        {"terms", count}, {"multiplications", n.multiplications}, {"additions", n.additions}};
  };
  return merged(
      {{{"robot", about}},
       ULNA_FIELDS(a, trajectory, other, tolerance, points),
       {{"joints", joints},
        {"dominance",
         {{"translation", a.by_translation}, {"rotation", a.by_rotation}, {"both", a.by_both}}},
        {"terms", terms},
        {"full", cost(a.terms.size(), a.full)},
        {"reduced", cost(a.kept, a.reduced)}}});
}

/// Lines over the set points' times, in panels. What rounding left of zero is drawn as zero.
class Picture {
 public:
  Picture(const Dominance& d, std::string what, std::string units, std::vector<std::string> legend)
      : d_(d), what_(std::move(what)), units_(std::move(units)), legend_(std::move(legend)) {}

  void panel(std::string title, const std::vector<Eigen::VectorXd>& lines) {
    panels_.push_back({std::move(title), {}});
    double& most = largest_.emplace_back(0.0);
    for (const Eigen::VectorXd& line : lines) {
      panels_.back().lines.emplace_back(line.begin(), line.end());
      most = std::max(most, line.cwiseAbs().maxCoeff());
    }
  }
  /// Of an element: by translation, by rotation, and together.
  void parts(const DynamicTerm& term, const std::vector<Eigen::VectorXd>& more = {}) {
    const Eigen::VectorXd tran = d_.value(term), rot = d_.value(by_rotation(term));
    std::vector<Eigen::VectorXd> lines{tran, rot, tran + rot};
    lines.insert(lines.end(), more.begin(), more.end());
    panel(term.element(), lines);
  }
  std::string svg(const Analysis& a) const {
    // as many points as can be seen, and few enough that the picture stays small
    const std::size_t most = std::clamp<std::size_t>(20'000 / panels_.size(), 40, 300),
                      stride = 1 + (d_.points().t.size() - 1) / most;
    const auto thinned = [&](const auto& line) {
      std::vector<double> some;
      for (std::size_t k = 0; k < std::size_t(line.size()); k += stride) some.push_back(line[k]);
      return some;
    };
    std::vector<plot::Panel> panels = rounded();
    for (plot::Panel& panel : panels)
      for (std::vector<double>& line : panel.lines) line = thinned(line);
    return plot::panel_plot(fmt::format("{}: {}", a.robot, what_),
                            fmt::format("along {}, {} over seconds", a.trajectory, units_),
                            thinned(d_.points().t), legend_, panels);
  }
  void add_to(Report& report) const {
    std::vector<Json> plots;
    for (const plot::Panel& panel : rounded()) {
      std::vector<TimedLine> lines;
      for (std::size_t i = 0; i < legend_.size(); ++i)
        lines.push_back({legend_[i], d_.points().t,
                         Eigen::Map<const Eigen::VectorXd>(panel.lines[i].data(),
                                                           Eigen::Index(panel.lines[i].size())),
                         colours[i]});
      plots.push_back(report.lines.plot(panel.title, "", std::move(lines)));
    }
    report.heading(what_);
    report.text(units_ + " over seconds", "soft");
    report.plots("small", std::move(plots));
  }

 private:
  static constexpr std::array<std::string_view, 4> colours{"series-1", "series-2", "ink",
                                                           "series-5"};

  std::vector<plot::Panel> rounded() const {
    std::vector<plot::Panel> panels = panels_;
    const double nothing = 1e-13 * std::ranges::max(largest_);
    for (std::size_t i = 0; i < panels.size(); ++i) {
      if (largest_[i] > nothing) continue;
      panels[i].title += " (zero)";
      for (std::vector<double>& line : panels[i].lines) std::ranges::fill(line, 0.0);
    }
    return panels;
  }

  const Dominance& d_;
  std::string what_, units_;
  std::vector<std::string> legend_;
  std::vector<plot::Panel> panels_;
  std::vector<double> largest_;  ///< of each panel
};

/// D_ij by translation, by rotation and together (Fu 1987, Fig. 3.10).
Picture inertia_elements(const Dominance& d) {
  Picture picture(d, "the acceleration-related elements", "SI units",
                  {"translational", "rotational", "combined"});
  for (const DynamicTerm& term : elements_of(d.joint_count()))
    if (term.kind == TermKind::D_tran) picture.parts(term);
  return picture;
}

/// The same for h_i, and what of it is centrifugal (Fu 1987, Fig. 3.11).
Picture velocity_terms(const Dominance& d) {
  Picture picture(d, "the Coriolis and centrifugal terms", "torques",
                  {"translational", "rotational", "combined", "of it centrifugal"});
  for (int i = 1; i <= d.joint_count(); ++i)
    picture.parts({TermKind::h_tran, i, i}, {d.centrifugal(i)});
  return picture;
}

Picture torques(const Dominance& d) {
  Picture picture(d, "torques", "torques", {"gravity", "velocities", "all"});
  for (int i = 1; i <= d.joint_count(); ++i)
    picture.panel("joint " + std::to_string(i),
                  {d.value({TermKind::gravity, i, i}), d.centrifugal(i) + d.coriolis(i),
                   d.torque().row(i - 1).transpose()});
  return picture;
}

std::string page(const Analysis& a, const Dominance& d) {
  Report report{
      a.robot + ": which terms matter",
      fmt::format("{} set points, tolerance {} of each joint's peak torque", a.points,
                  share(a.tolerance)),
      fmt::format(
          "{} of {} terms are kept, {} of {} multiplications. The largest error is {} here and {} "
          "on another trajectory.",
          a.kept, a.terms.size(), a.reduced.multiplications, a.full.multiplications,
          share(a.error.maxCoeff()), share(a.other_error.maxCoeff()))};
  for (const Picture& picture : {inertia_elements(d), velocity_terms(d), torques(d)})
    picture.add_to(report);
  report.heading("All terms");
  ReportTable terms({"term", "by", ">share", ""});
  for (const TermWeight& w : a.terms)
    terms.row(
        {w.term.element(), part_of(w.term.kind), share(w.share), w.dropped ? "dropped" : "kept"},
        w.dropped ? "soft" : "");
  report.add(terms.json());
  return report.html();
}

/// puma.svg, or puma -> puma-D.svg
std::string with_suffix(const std::string& path, const std::string& suffix) {
  if (path.empty()) return "";
  if (path.ends_with('/') || std::filesystem::is_directory(path))
    throw Failure("cannot write '{}': this is a folder", path);
  const std::size_t dot = path.ends_with(".svg") ? path.size() - 4 : path.size();
  return path.substr(0, dot) + "-" + suffix + ".svg";
}

int simplify_robot(const SimplifyOptions& options, Console& console) {
  (void)tolerance_of(options.tolerance);  // before any work
  require_one_stdin({options.robot.name, options.trajectory, options.other});
  const Imported imported = options.robot.load();
  const Model& model = imported.model;
  if (model.nv() > 30)
    throw Failure("robot '{}' has {} degrees of freedom; 30 are the most", model.name(),
                  model.nv());
  const DAlembert<double> arm{classic::Chain<double>{classic::Arm<double>{Plant<double>{model}}}};
  const std::string inertia_file = with_suffix(options.svg, "D"),
                    velocity_file = with_suffix(options.svg, "h");
  require_others({inertia_file, velocity_file, options.html}, {options.trajectory, options.other});
  require_writable({inertia_file, velocity_file, options.html}, options.force);

  const Dominance d(arm, trajectory(options.trajectory, model, arm));
  const Analysis a = analyse(options, model, d, arm);
  mention_warnings(console, options.robot, imported.diagnostics);
  ResultFiles files(console, options.force);
  if (!options.svg.empty()) {
    files.write(inertia_file, inertia_elements(d).svg(a));
    files.write(velocity_file, velocity_terms(d).svg(a));
  }
  if (!options.html.empty()) files.write(options.html, page(a, d));
  console.show(
      [&] {
        return merged({json_of(a, options.robot.json(model)), files.json()});
      },
      [&] { return text_of(a, console.out); });
  return files.finish(success);
}

}  // namespace

Action simplify(Parser& app, Console& console) {
  auto options = std::make_shared<SimplifyOptions>();
  options->robot.add_to(app);
  options->robot.add_gravity_to(app);
  app.add_option("TRAJECTORY", options->trajectory,
                 "a table with q, qd, qdd; -; or quintic:SEED, a generated motion")
      ->required();
  app.add_value("--tolerance", options->tolerance, "SHARE",
                "error of a torque, as a share of the joint's peak: 1%");
  app.add_value("--other", options->other, "TRAJECTORY",
                "test the reduced model on this trajectory too");
  app.add_output("--svg", options->svg, "draw D and h over time, into FILE-D.svg and FILE-h.svg");
  app.add_output("--html", options->html, "everything as one page");
  app.add_force(options->force);
  return [options, &console]() -> int { return simplify_robot(*options, console); };
}

}  // namespace ulna::cli
