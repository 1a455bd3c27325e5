#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <random>

#include "../plot/charts.hpp"
#include "output_file.hpp"
#include "page.hpp"
#include "robot_argument.hpp"
#include "table.hpp"
#include "text.hpp"
#include "ulna/classic/dominance.hpp"
#include "ulna/num/counted.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

using classic::DAlembert;
using classic::Dominance;
using classic::DynamicTerm;
using classic::KeptTerms;
using classic::SetPoints;
using classic::TermKind;
using classic::TermWeight;

struct Options {
  RobotArgument robot;
  std::string trajectory, other = "quintic:2", tolerance = "1%", svg, html;
  bool force = false;
};

/// "1%" or "0.01".
double tolerance_of(const std::string& text) {
  std::string digits = text;
  const bool percent = digits.ends_with("%");
  if (percent) digits.pop_back();
  std::size_t used = 0;
  double x = -1.0;
  try {
    x = std::stod(digits, &used);
  } catch (const std::exception&) {
  }
  if (used != digits.size() || !(x >= 0.0) || !std::isfinite(x))
    throw UsageError(fmt::format("--tolerance: '{}' is no share such as 1% or 0.01", text));
  return percent ? 0.01 * x : x;
}

// --- trajectories ---------------------------------------------------------------------------------

/// From rest to rest between two random configurations within the limits, by a polynomial of fifth
/// order: 31 set points in 3 s, as many as 002 has.
SetPoints quintic(const Model& model, std::uint64_t seed) {
  constexpr int count = 31;
  constexpr double seconds = 3.0;
  std::mt19937_64 random(seed);
  const auto configuration = [&] {
    Eigen::VectorXd q(model.nq());
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const double low = std::max(model.lower_limit()(i), -M_PI);
      const double high = std::max(low, std::min(model.upper_limit()(i), M_PI));
      q(i) = low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
    }
    return q;
  };
  const Eigen::VectorXd from = configuration(), way = configuration() - from;
  SetPoints p;
  p.t.resize(count), p.q.resize(from.size(), count), p.v = p.q, p.a = p.q;
  for (int k = 0; k < count; ++k) {
    const double s = static_cast<double>(k) / (count - 1), r = 1.0 - s;
    p.t(k) = s * seconds;
    p.q.col(k) = from + way * (s * s * s * (10.0 - 15.0 * s + 6.0 * s * s));
    p.v.col(k) = way * (30.0 * s * s * r * r / seconds);
    p.a.col(k) = way * (60.0 * s * r * (r - s) / (seconds * seconds));
  }
  return p;
}

SetPoints read_table(std::istream& in, const std::string& file, const Model& model) {
  CsvReader reader(in, file);
  const TrajectoryColumns columns = trajectory_columns(model, reader.names(), file);
  for (const auto& [list, name] :
       {std::pair{&columns.q, "q"}, {&columns.qd, "qd"}, {&columns.qdd, "qdd"}})
    if (list->empty())
      throw std::runtime_error(
          fmt::format("{}: there are no columns {}_<joint> or {}1 ..; a trajectory has q, qd, qdd",
                      file, name, name));
  const std::size_t most =
      5'000'000 / static_cast<std::size_t>(std::max(1, model.nv() * model.nv()));
  std::vector<double> row(reader.names().size());
  std::vector<std::vector<double>> rows;
  while (reader.next(row)) {
    if (rows.size() == most)
      throw std::runtime_error(fmt::format(
          "{}: more than {} set points are too many for this robot; leave some out", file, most));
    rows.push_back(row);
  }
  if (rows.empty()) throw std::runtime_error(fmt::format("{}: there is no set point", file));
  SetPoints p;
  const auto count = static_cast<Eigen::Index>(rows.size());
  p.t.resize(count), p.q.resize(model.nv(), count), p.v = p.q, p.a = p.q;
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto number = [&](int column) {
      return rows[static_cast<std::size_t>(k)][static_cast<std::size_t>(column)];
    };
    p.t(k) = columns.t >= 0 ? number(columns.t) : static_cast<double>(k);
    for (Eigen::Index i = 0; i < model.nv(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      p.q(i, k) = number(columns.q[at]);
      p.v(i, k) = number(columns.qd[at]);
      p.a(i, k) = number(columns.qdd[at]);
    }
  }
  return p;
}

SetPoints trajectory(const std::string& name, const Model& model) {
  if (name == "quintic") return quintic(model, 1);
  if (name.starts_with("quintic:")) {
    const std::string seed = name.substr(8);
    if (seed.empty() || seed.size() > 9 || seed.find_first_not_of("0123456789") != seed.npos)
      throw UsageError(fmt::format("'{}': a seed is a number, as in quintic:2", name));
    return quintic(model, std::stoull(seed));
  }
  if (name == "-") return read_table(std::cin, "<stdin>", model);
  std::ifstream in(name, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("{}: cannot be read", name));
  return read_table(in, name, model);
}

// --- what was found -------------------------------------------------------------------------------

bool is_translation(TermKind kind) { return kind == TermKind::D_tran || kind == TermKind::h_tran; }

const char* part_of(TermKind kind) {
  return kind == TermKind::gravity ? "gravity" : is_translation(kind) ? "translation" : "rotation";
}

struct Analysis {
  std::string robot, trajectory, other;
  double tolerance = 0.0;
  Eigen::Index points = 0;
  std::vector<std::string> joints;
  Eigen::VectorXd peak, error, other_error;
  std::vector<TermWeight> terms;
  int kept = 0;
  OperationCount full, reduced;
  /// Elements by what dominates them: the other part is below a tenth all along.
  std::vector<std::string> by_translation, by_rotation, by_both;
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

Analysis analyse(const Options& options, const Model& model, const Dominance& d,
                 const DAlembert<double>& arm) {
  Analysis a;
  const int n = d.joint_count();
  a.robot = model.name(), a.trajectory = options.trajectory, a.other = options.other;
  a.tolerance = tolerance_of(options.tolerance);
  a.points = d.points().count();
  a.joints = model.velocity_names();
  a.peak = d.peak_torque();
  a.terms = d.rank(a.tolerance);
  const KeptTerms kept = kept_of(a.terms, n);
  a.kept = kept.count();
  a.error = relative_error(arm, kept, d.points());
  a.other_error = relative_error(arm, kept, trajectory(options.other, model));

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
  std::string text =
      fmt::format("{} along {}: {}, tolerance {} of each joint's peak torque\n\n",
                  out.paint(Style::bold, visible(a.robot)), visible(a.trajectory),
                  counted(static_cast<std::size_t>(a.points), "set point"), share(a.tolerance));
  Table joints(2, {{"#", "", true, 0},
                   {"joint"},
                   {"peak torque", "", true},
                   {"error", "", true},
                   {"on " + a.other, "", true}});
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    joints.row({std::to_string(i + 1), a.joints[i], figure(a.peak(at)), share(a.error(at)),
                share(a.other_error(at))});
  }
  text += joints.str(out) + "\n";

  Table models(1, {{"model", "", false, 0},
                   {"terms", "", true},
                   {"multiplications", "", true},
                   {"additions", "", true}});
  const auto model = [&](const char* name, std::size_t terms, const OperationCount& n) {
    models.row({name, std::to_string(terms), std::to_string(n.multiplications),
                std::to_string(n.additions)});
  };
  model("full", a.terms.size(), a.full);
  model("reduced", static_cast<std::size_t>(a.kept), a.reduced);
  text += models.str(out) + "\n";

  const auto paragraph = [&](const std::string& title, const std::vector<std::string>& words) {
    const std::string list = words.empty() ? "-" : fmt::format("{}", fmt::join(words, " "));
    text += title + "\n" + hanging("  ", 2, list, out.width() - 2);
  };
  paragraph("translation dominates (rotation is below a tenth)", a.by_translation);
  paragraph("rotation dominates", a.by_rotation);
  paragraph("both matter", a.by_both);

  std::vector<std::string> dropped;
  for (const TermWeight& w : a.terms)
    if (w.dropped)
      dropped.push_back(w.term.element() + (w.term.kind == TermKind::gravity ? ""
                                            : is_translation(w.term.kind)    ? ".tran"
                                                                             : ".rot"));
  paragraph("dropped", dropped);
  Table ranking(2, {{"term", "", false, 0}, {"by"}, {"share", "", true}});
  for (const TermWeight& w : a.terms)
    if (!w.dropped) ranking.row({w.term.element(), part_of(w.term.kind), share(w.share)});
  return text + "\nkept, by the largest share of a joint's peak torque\n" + ranking.str(out);
}

Json json_of(Console& console, const Analysis& a) {
  Json d = console.document();
  d["robot"] = a.robot;
  d["trajectory"] = a.trajectory;
  d["other"] = a.other;
  d["tolerance"] = a.tolerance;
  d["points"] = a.points;
  d["joints"] = Json::array();
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    d["joints"].push_back({{"name", a.joints[i]},
                           {"peak_torque", a.peak(at)},
                           {"error", a.error(at)},
                           {"other_error", a.other_error(at)}});
  }
  d["dominance"] = {
      {"translation", a.by_translation}, {"rotation", a.by_rotation}, {"both", a.by_both}};
  d["terms"] = Json::array();
  for (const TermWeight& w : a.terms)
    d["terms"].push_back({{"element", w.term.element()},
                          {"part", part_of(w.term.kind)},
                          {"share", w.share},
                          {"dropped", w.dropped}});
  const auto cost = [](int terms, const OperationCount& n) {
    return Json{
        {"terms", terms}, {"multiplications", n.multiplications}, {"additions", n.additions}};
  };
  d["full"] = cost(static_cast<int>(a.terms.size()), a.full);
  d["reduced"] = cost(a.kept, a.reduced);
  return d;
}

// --- pictures -------------------------------------------------------------------------------------

/// Lines over the set points' times under one legend. What rounding left of zero beside the largest of
/// all panels is drawn as zero.
class Picture {
 public:
  Picture(const Analysis& a, const Dominance& d) : robot_(a.robot), along_(a.trajectory), d_(d) {}

  void panel(std::string title, const std::vector<Eigen::VectorXd>& lines) {
    panels_.push_back({std::move(title), {}});
    double most = 0.0;
    for (const Eigen::VectorXd& line : lines) {
      most = std::max(most, line.cwiseAbs().maxCoeff());
      panels_.back().lines.emplace_back(line.begin(), line.end());
    }
    largest_.push_back(most);
  }
  std::string str(std::string_view what, std::string_view units,
                  const std::vector<std::string>& legend) {
    const double nothing = 1e-13 * *std::max_element(largest_.begin(), largest_.end());
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      if (largest_[i] > nothing) continue;
      panels_[i].title += " (zero)";
      for (std::vector<double>& line : panels_[i].lines) std::fill(line.begin(), line.end(), 0.0);
    }
    const Eigen::VectorXd& t = d_.points().t;
    return plot::panel_plot(fmt::format("{}: {}", robot_, what),
                            fmt::format("along {}, {} over seconds", along_, units),
                            {t.begin(), t.end()}, legend, panels_);
  }

 private:
  const std::string &robot_, &along_;
  const Dominance& d_;
  std::vector<plot::Panel> panels_;
  std::vector<double> largest_;
};

/// D_ij by translation, by rotation and together (002, Fig. 3.10).
std::string inertia_plot(const Analysis& a, const Dominance& d) {
  Picture picture(a, d);
  for (int i = 1; i <= d.joint_count(); ++i)
    for (int j = i; j <= d.joint_count(); ++j) {
      const DynamicTerm term{TermKind::D_tran, i, j};
      const Eigen::VectorXd tran = d.value(term), rot = d.value(by_rotation(term));
      picture.panel(term.element(), {tran, rot, tran + rot});
    }
  return picture.str("the acceleration-related elements", "SI units",
                     {"translational", "rotational", "combined"});
}

/// The same for h_i, and what of it is centrifugal (002, Fig. 3.11).
std::string velocity_plot(const Analysis& a, const Dominance& d) {
  Picture picture(a, d);
  for (int i = 1; i <= d.joint_count(); ++i) {
    const DynamicTerm term{TermKind::h_tran, i, i};
    const Eigen::VectorXd tran = d.value(term), rot = d.value(by_rotation(term));
    picture.panel(term.element(), {tran, rot, tran + rot, d.centrifugal(i)});
  }
  return picture.str("the Coriolis and centrifugal terms", "torques",
                     {"translational", "rotational", "combined", "of it centrifugal"});
}

std::string gravity_plot(const Analysis& a, const Dominance& d) {
  Picture picture(a, d);
  for (int i = 1; i <= d.joint_count(); ++i)
    picture.panel("joint " + std::to_string(i),
                  {d.value({TermKind::gravity, i, i}), d.centrifugal(i) + d.coriolis(i),
                   d.torque().row(i - 1).transpose()});
  return picture.str("torques", "torques", {"gravity", "velocities", "all"});
}

std::string page(const Analysis& a, const Dominance& d) {
  HtmlTable terms({"term", "by", ">share", ""});
  for (const TermWeight& w : a.terms)
    terms.row(
        {w.term.element(), part_of(w.term.kind), share(w.share), w.dropped ? "dropped" : "kept"},
        w.dropped ? "soft" : "");
  const std::string text = fmt::format(
      "<h1>{}: which terms matter</h1>\n<p>{} set points, tolerance {} of each joint's peak "
      "torque: "
      "{} of {} terms are kept, {} of {} multiplications. The largest error is {} here and {} on "
      "another trajectory.</p>\n",
      safe(a.robot), a.points, share(a.tolerance), a.kept, a.terms.size(),
      a.reduced.multiplications, a.full.multiplications, share(a.error.maxCoeff()),
      share(a.other_error.maxCoeff()));
  return html_page(a.robot + ": dominance", {"simplify.css"},
                   text + panel(inertia_plot(a, d)) + panel(velocity_plot(a, d)) +
                       panel(gravity_plot(a, d)) + "<h2>All terms</h2>\n" + panel(terms.str()));
}

/// puma.svg -> puma-D.svg
std::string with_suffix(const std::string& path, const std::string& suffix) {
  const std::size_t dot = path.ends_with(".svg") ? path.size() - 4 : path.size();
  return path.substr(0, dot) + "-" + suffix + path.substr(dot);
}

int simplify_robot(const Options& options, Console& console) {
  (void)tolerance_of(options.tolerance);  // before any work
  const Imported imported = options.robot.load();
  const Model& model = imported.model;
  if (model.nv() > 30)
    throw std::runtime_error(fmt::format("robot '{}' has {} degrees of freedom; 30 are the most",
                                         model.name(), model.nv()));
  const DAlembert<double> arm{classic::Chain<double>{classic::Arm<double>{Plant<double>{model}}}};
  std::vector<std::string> files;
  if (!options.svg.empty()) files = {with_suffix(options.svg, "D"), with_suffix(options.svg, "h")};
  if (!options.html.empty()) files.push_back(options.html);
  for (const std::string& file : files) refuse_overwriting(file, options.force);

  const Dominance d(arm, trajectory(options.trajectory, model));
  const Analysis a = analyse(options, model, d, arm);
  mention_warnings(console, options.robot, imported.diagnostics);
  if (!options.svg.empty()) {
    write_file(with_suffix(options.svg, "D"), inertia_plot(a, d), options.force);
    write_file(with_suffix(options.svg, "h"), velocity_plot(a, d), options.force);
  }
  if (!options.html.empty()) write_file(options.html, page(a, d), options.force);
  if (console.json())
    console.print(json_of(console, a));
  else
    console.out.print(text_of(a, console.out));
  return success;
}

}  // namespace

Action simplify(CLI::App& app, Console& console) {
  auto options = std::make_shared<Options>();
  options->robot.add_to(app);
  app.add_option("TRAJECTORY", options->trajectory,
                 "a table with q, qd, qdd; -; or quintic:SEED, a generated motion")
      ->required();
  const OptionAdder add{app};
  add("--tolerance", options->tolerance, "SHARE",
      "error of a torque, as a share of the joint's peak: 1%");
  add("--other", options->other, "TRAJECTORY", "test the reduced model on this trajectory too");
  add("--svg", options->svg, "FILE", "draw D and h over time, into FILE-D.svg and FILE-h.svg");
  add("--html", options->html, "FILE", "everything as one page");
  app.add_flag("-f,--force", options->force, "overwrite files");
  app.footer(
      "  ulna simplify puma560 quintic:1 --tolerance 1%\n"
      "  ulna simplify puma560 motion.csv --other test.csv --html puma.html\n");
  return [options, &console]() -> int { return simplify_robot(*options, console); };
}

}  // namespace ulna::cli
