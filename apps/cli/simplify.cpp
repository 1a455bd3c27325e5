#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <random>

#include "output_file.hpp"
#include "panels.hpp"
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
    const std::vector<double>& numbers = rows[static_cast<std::size_t>(k)];
    p.t(k) = columns.t >= 0 ? numbers[static_cast<std::size_t>(columns.t)] : static_cast<double>(k);
    for (Eigen::Index i = 0; i < model.nv(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      p.q(i, k) = numbers[static_cast<std::size_t>(columns.q[at])];
      p.v(i, k) = numbers[static_cast<std::size_t>(columns.qd[at])];
      p.a(i, k) = numbers[static_cast<std::size_t>(columns.qdd[at])];
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

const char* part_of(TermKind kind) {
  switch (kind) {
    case TermKind::D_tran:
    case TermKind::h_tran:
      return "translation";
    case TermKind::D_rot:
    case TermKind::h_rot:
      return "rotation";
    case TermKind::gravity:
      break;
  }
  return "gravity";
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

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text.empty() ? "-" : text;
}

/// Without what rounding leaves of nothing.
std::string percent(double x) { return x < 1e-11 ? "0%" : fmt::format("{:.3g}%", 100.0 * x); }

std::string text_of(const Analysis& a, const Stream& out) {
  std::string text =
      fmt::format("{} along {}: {}, tolerance {} of each joint's peak torque\n\n",
                  out.paint(Style::bold, visible(a.robot)), visible(a.trajectory),
                  counted(static_cast<std::size_t>(a.points), "set point"), percent(a.tolerance));
  Table joints(2);
  joints.column({"#", "", true, 0});
  joints.column({"joint", ""});
  joints.column({"peak torque", "", true});
  joints.column({"error", "", true});
  joints.column({"on " + a.other, "", true});
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    joints.row({std::to_string(i + 1), a.joints[i], figure(a.peak(at)), percent(a.error(at)),
                percent(a.other_error(at))});
  }
  text += joints.str(out) + "\n";

  Table models(1);
  models.column({"model", "", false, 0});
  models.column({"terms", "", true});
  models.column({"multiplications", "", true});
  models.column({"additions", "", true});
  models.row({"full", std::to_string(a.terms.size()), std::to_string(a.full.multiplications),
              std::to_string(a.full.additions)});
  models.row({"reduced", std::to_string(a.kept), std::to_string(a.reduced.multiplications),
              std::to_string(a.reduced.additions)});
  text += models.str(out) + "\n";

  const auto paragraph = [&](const std::string& title, const std::vector<std::string>& words) {
    text += title + "\n";
    for (const std::string& line : wrap(joined(words), out.width() - 2)) text += "  " + line + "\n";
  };
  paragraph("translation dominates (rotation is below a tenth)", a.by_translation);
  paragraph("rotation dominates", a.by_rotation);
  paragraph("both matter", a.by_both);

  std::vector<std::string> dropped;
  for (const TermWeight& w : a.terms)
    if (w.dropped)
      dropped.push_back(w.term.element() +
                        (w.term.kind == TermKind::gravity ? ""
                         : w.term.kind == TermKind::D_tran || w.term.kind == TermKind::h_tran
                             ? ".tran"
                             : ".rot"));
  paragraph("dropped", dropped);
  Table ranking(2);
  ranking.column({"term", "", false, 0});
  ranking.column({"by", ""});
  ranking.column({"share", "", true});
  for (const TermWeight& w : a.terms)
    if (!w.dropped) ranking.row({w.term.element(), part_of(w.term.kind), percent(w.share)});
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

std::vector<double> list_of(const Eigen::VectorXd& v) { return {v.data(), v.data() + v.size()}; }

/// Draws as zero what rounding left of it beside the largest of all panels.
std::vector<Panel> without_noise(std::vector<Panel> panels) {
  const auto largest = [](const Panel& p) {
    double most = 0.0;
    for (const std::vector<double>& line : p.lines)
      for (const double y : line) most = std::max(most, std::abs(y));
    return most;
  };
  double most = 0.0;
  for (const Panel& p : panels) most = std::max(most, largest(p));
  for (Panel& p : panels) {
    if (largest(p) > 1e-13 * most) continue;
    p.title += " (zero)";
    for (std::vector<double>& line : p.lines) std::fill(line.begin(), line.end(), 0.0);
  }
  return panels;
}

/// D_ij and h_i by translation, by rotation and together (002, Figs. 3.10 and 3.11); for h_i also
/// what is centrifugal.
std::string inertia_plot(const Analysis& a, const Dominance& d) {
  std::vector<Panel> panels;
  for (int i = 1; i <= d.joint_count(); ++i)
    for (int j = i; j <= d.joint_count(); ++j) {
      const Eigen::VectorXd tran = d.value({TermKind::D_tran, i, j}),
                            rot = d.value({TermKind::D_rot, i, j});
      panels.push_back({DynamicTerm{TermKind::D_tran, i, j}.element(),
                        {list_of(tran), list_of(rot), list_of(tran + rot)}});
    }
  return panel_plot(a.robot + ": the acceleration-related elements",
                    "along " + a.trajectory + ", SI units over seconds", list_of(d.points().t),
                    {"translational", "rotational", "combined"}, without_noise(panels));
}

std::string velocity_plot(const Analysis& a, const Dominance& d) {
  std::vector<Panel> panels;
  for (int i = 1; i <= d.joint_count(); ++i) {
    const Eigen::VectorXd tran = d.value({TermKind::h_tran, i, i}),
                          rot = d.value({TermKind::h_rot, i, i});
    panels.push_back(
        {DynamicTerm{TermKind::h_tran, i, i}.element(),
         {list_of(tran), list_of(rot), list_of(tran + rot), list_of(d.centrifugal(i))}});
  }
  return panel_plot(a.robot + ": the Coriolis and centrifugal terms",
                    "along " + a.trajectory + ", torques over seconds", list_of(d.points().t),
                    {"translational", "rotational", "combined", "of it centrifugal"},
                    without_noise(panels));
}

std::string gravity_plot(const Analysis& a, const Dominance& d) {
  std::vector<Panel> panels;
  for (int i = 1; i <= d.joint_count(); ++i)
    panels.push_back(
        {"joint " + std::to_string(i),
         {list_of(d.value({TermKind::gravity, i, i})), list_of(d.centrifugal(i) + d.coriolis(i)),
          list_of(d.torque().row(i - 1).transpose())}});
  return panel_plot(a.robot + ": torques", "along " + a.trajectory + ", over seconds",
                    list_of(d.points().t), {"gravity", "velocities", "all"}, without_noise(panels));
}

std::string page(const Analysis& a, const Dominance& d) {
  std::string rows;
  for (const TermWeight& w : a.terms)
    rows += fmt::format("<tr{}><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        w.dropped ? " class=d" : "", w.term.element(), part_of(w.term.kind),
                        percent(w.share), w.dropped ? "dropped" : "kept");
  std::string name;
  for (const char c : a.robot) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return fmt::format(
      "<!doctype html>\n<html lang=en><meta charset=utf-8><title>{0}: dominance</title>\n"
      "<style>body{{font:15px Helvetica,Arial,sans-serif;margin:2em;max-width:70em}}"
      "td,th{{padding:.1em 1em .1em 0;text-align:left}}.d{{color:#999}}svg{{max-width:100%;"
      "height:auto}}</style>\n<h1>{0}: which terms matter</h1>\n"
      "<p>{1} set points, tolerance {2} of each joint's peak torque: {3} of {4} terms are kept, "
      "{5} "
      "of {6} multiplications. The largest error is {7} here and {8} on another trajectory.</p>\n"
      "{9}{10}{11}<h2>All terms</h2>\n<table><tr><th>term<th>by<th>share<th></tr>\n{12}</table>\n"
      "</html>\n",
      name, a.points, percent(a.tolerance), a.kept, a.terms.size(), a.reduced.multiplications,
      a.full.multiplications, percent(a.error.maxCoeff()), percent(a.other_error.maxCoeff()),
      inertia_plot(a, d), velocity_plot(a, d), gravity_plot(a, d), rows);
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
  app.add_option("--tolerance", options->tolerance,
                 "error of a torque, as a share of the joint's peak: 1%")
      ->option_text("SHARE");
  app.add_option("--other", options->other, "try the reduced model on this trajectory too")
      ->option_text("TRAJECTORY");
  app.add_option("--svg", options->svg, "draw D and h over time, into FILE-D.svg and FILE-h.svg")
      ->option_text("FILE");
  app.add_option("--html", options->html, "all of it as one page")->option_text("FILE");
  app.add_flag("-f,--force", options->force, "overwrite files");
  app.footer(
      "  ulna simplify puma560 quintic:1 --tolerance 1%\n"
      "  ulna simplify puma560 motion.csv --other test.csv --html puma.html\n");
  return [options, &console]() -> int { return simplify_robot(*options, console); };
}

}  // namespace ulna::cli
