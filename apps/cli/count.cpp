#include <algorithm>
#include <charconv>
#include <map>

#include "../plot/charts.hpp"
#include "contenders.hpp"
#include "ulna/classic/polynomial.hpp"
#include "ulna/num/counted.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

using classic::BookCount;
using classic::Polynomial;

struct CountOptions {
  RobotArgument robot;
  std::string range, svg;
  bool force = false;
};

/// What one contender does for one robot.
struct Work {
  std::string name, source;
  std::optional<OperationCount> torque, mass_matrix, bias;
};

std::vector<Work> work_on(const Model& model) {
  std::mt19937_64 random(1);
  const VecX<Counted> q = random_configuration(model, random).cast<Counted>();
  const VecX<Counted> some = VecX<Counted>::Constant(model.nv(), Counted(0.5));
  std::vector<Work> all;
  for (const auto& contender : contenders<Counted>(model)) {
    contender.set(q, some, some);
    Work& work = all.emplace_back();
    work.name = contender.name, work.source = contender.source;
    work.torque = count_operations(contender.run);
    if (!contender.bias) continue;
    work.mass_matrix = count_operations([&] { (void)contender.mass_matrix(); });
    work.bias = count_operations([&] { (void)contender.bias(); });
  }
  return all;
}

Json count_json(const std::optional<OperationCount>& n) {
  return n ? ULNA_FIELDS(*n, multiplications, additions, divisions, square_roots, trigonometric)
           : Json();
}

void print_robot(Console& console, const CountOptions& options, const Model& model) {
  const std::vector<Work> all = work_on(model);
  const int n = model.nv();
  if (console.json()) {
    Json formulations = Json::array(), book = formulations;
    for (const Work& w : all)
      formulations.push_back(merged({ULNA_FIELDS(w, name, source),
                                     {{"inverse_dynamics", count_json(w.torque)},
                                      {"mass_matrix", count_json(w.mass_matrix)},
                                      {"bias", count_json(w.bias)}}}));
    for (const BookCount& b : classic::book_counts())
      book.push_back({{"name", b.formulation},
                      {"source", b.source},
                      {"multiplications", b.multiplications.at(n)},
                      {"additions", b.additions.at(n)}});
    return console.print(
        {{"robot", options.robot.json(model)}, {"formulations", formulations}, {"book", book}});
  }
  Table ours(1, {"formulation"});
  for (const char* what : {"torque", "M", "bias"}) {
    ours.column(fmt::format(">{} [mul]", what));
    ours.column(" > [add]");
  }
  ours.column(">sin, cos");
  for (const Work& w : all) {
    Cells cells{w.name};
    for (const auto* c : {&w.torque, &w.mass_matrix, &w.bias}) {
      cells.push_back(*c ? std::to_string((*c)->multiplications) : "-");
      cells.push_back(*c ? std::to_string((*c)->additions) : "-");
    }
    cells.push_back(w.torque->trigonometric);
    ours.row(cells);
  }
  Table book(1, {"in the book", "source", ">torque [mul]", " > [add]"});
  for (const BookCount& b : classic::book_counts())
    book.row({b.formulation, b.source, fmt::format("{:.0f}", b.multiplications.at(n)),
              fmt::format("{:.0f}", b.additions.at(n))});
  console.out.print(fmt::format("{}: operations for {}\n\n{}\n{}", visible(model.name()),
                                counted(n, "joint"), ours.str(console.out), book.str(console.out)));
}

/// How one line of the table grows.
struct Growth {
  std::string name, source;
  std::vector<std::int64_t> multiplications, additions;
  std::optional<Polynomial> of_multiplications, of_additions;
  bool book = false;
};

std::pair<int, int> range_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  const std::string low = text.substr(0, dots),
                    high = dots == text.npos ? low : text.substr(dots + 2);
  const auto number = [&](const std::string& s) {
    int n = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
    if (s.empty() || error != std::errc() || end != s.data() + s.size() || n < 1 || n > most_joints)
      throw UsageError("--n: '{}' is not a range such as 2..20, of 1 to {} joints", text,
                       most_joints);
    return n;
  };
  const std::pair<int, int> range{number(low), number(high)};
  if (range.first > range.second)
    throw UsageError("--n: '{}' runs backwards; write the smaller number first", text);
  return range;
}

std::vector<Growth> growth_of_chains(Console& console, int first, int last) {
  std::vector<Growth> all;
  Progress progress(console.err, last - first + 1);
  for (int n = first; n <= last; ++n) {
    progress.at(n - first, fmt::format("chain:{}", n));
    const std::vector<Work> work = work_on(chain(n));
    all.resize(work.size());
    for (std::size_t i = 0; i < work.size(); ++i) {
      all[i].name = work[i].name, all[i].source = work[i].source;
      all[i].multiplications.push_back(work[i].torque->multiplications);
      all[i].additions.push_back(work[i].torque->additions);
    }
  }
  for (Growth& g : all) {
    g.of_multiplications = Polynomial::through(first, g.multiplications);
    g.of_additions = Polynomial::through(first, g.additions);
  }
  for (const BookCount& b : classic::book_counts()) {
    Growth g{std::string(b.formulation), std::string(b.source), {},  {},
             b.multiplications,          b.additions,           true};
    for (int n = first; n <= last; ++n) {
      g.multiplications.push_back(std::llround(b.multiplications.at(n)));
      g.additions.push_back(std::llround(b.additions.at(n)));
    }
    all.push_back(std::move(g));
  }
  return all;
}

/// The order of growth; a few lengths do not determine it.
std::optional<int> order(const Growth& g) {
  if (!g.of_multiplications || !g.of_additions) return std::nullopt;
  return std::max(g.of_multiplications->degree(), g.of_additions->degree());
}

std::string order_text(const Growth& g) {
  const std::optional<int> o = order(g);
  if (!o) return "order not determined by so few lengths";
  return *o == 1 ? "O(n)" : fmt::format("O(n^{})", *o);
}

Json growth_json(const Growth& g) {
  const auto text = [](const std::optional<Polynomial>& p) { return p ? Json(p->text()) : Json(); };
  const std::optional<int> o = order(g);
  return merged(
      {ULNA_FIELDS(g, name, source, multiplications, additions),
       {{"order", o ? Json(*o) : Json()},
        {"polynomial",
         {{"multiplications", text(g.of_multiplications)}, {"additions", text(g.of_additions)}}}}});
}

std::string label(const Growth& g) { return g.book ? g.name + ", " + g.source.substr(5) : g.name; }

/// A few lengths that show the growth and fit on a line.
std::vector<int> some_lengths(int first, int last) {
  std::vector<int> list;
  for (const int n : {1, 2, 3, 4, 6, 10, 20, 40, 64})
    if (n >= first && n <= last) list.push_back(n);
  if (list.empty() || list.back() != last) list.push_back(last);
  return list;
}

std::string counts_table(const Stream& out, const std::vector<Growth>& all, int first, int last,
                         const char* what, std::vector<std::int64_t> Growth::*counts) {
  Table table(1, {fmt::format("{} [n =]", what)});
  const std::vector<int> lengths = some_lengths(first, last);
  for (const int n : lengths) table.column(fmt::format("> [{}]", n));
  for (const Growth& g : all) {
    Cells cells{label(g)};
    for (const int n : lengths) cells.push_back((g.*counts)[n - first]);
    table.row(cells);
  }
  return table.str(out);
}

std::string growth_plot(const std::vector<Growth>& all, int first) {
  std::vector<plot::Line> lines;
  std::map<std::string, std::size_t> colours;
  for (const Growth& g : all) {
    const std::size_t colour = colours.try_emplace(g.name, colours.size()).first->second;
    plot::Line line{label(g), std::string(plot::colour(colour)), {}, false, g.book};
    for (std::size_t i = 0; i < g.multiplications.size(); ++i)
      line.points.push_back({first + double(i), double(g.multiplications[i])});
    lines.push_back(std::move(line));
  }
  return plot::log_plot(
      "Multiplications of inverse dynamics",
      "measured with counting numbers on a chain of revolute joints; dashed: the book", "joints",
      plot::grouped, lines, false);
}

int print_chains(Console& console, const CountOptions& options) {
  const auto [first, last] = range_of(options.range.empty() ? "2..20" : options.range);
  if (!options.svg.empty() && first == last)
    throw UsageError("--svg: a plot needs a range of lengths, such as --n 2..20");
  require_writable({options.svg}, options.force);
  const std::vector<Growth> all = growth_of_chains(console, first, last);
  ResultFiles files(console, options.force);
  if (!options.svg.empty()) files.write(options.svg, growth_plot(all, first));
  if (console.json()) {
    Json lengths = Json::array(), formulations = lengths, book = lengths;
    for (int n = first; n <= last; ++n) lengths.push_back(n);
    for (const Growth& g : all) (g.book ? book : formulations).push_back(growth_json(g));
    console.print(
        merged({{{"n", lengths}, {"book", book}, {"formulations", formulations}}, files.json()}));
    return files.finish(success);
  }
  const Stream& out = console.out;
  std::string report =
      fmt::format("Operations of inverse dynamics on chains of {} to {} joints\n\n", first, last);
  report += counts_table(out, all, first, last, "multiplications", &Growth::multiplications) + "\n";
  report += counts_table(out, all, first, last, "additions", &Growth::additions) + "\n";
  const auto text = [](const std::optional<Polynomial>& p) { return p ? p->text() : "?"; };
  for (const Growth& g : all)
    report += fmt::format("{}: {}\n  mul  {}\n  add  {}\n", label(g), order_text(g),
                          text(g.of_multiplications), text(g.of_additions));
  console.out.print(report);
  return files.finish(success);
}

int show(const CountOptions& options, const Parser& app, Console& console) {
  if (options.robot.name == "chain") {
    for (const char* option :
         {"--arg", "--package", "--floating-base", "--independent-mimics", "--strict"})
      if (app.count(option)) throw UsageError("{} has no effect on chains", option);
    return print_chains(console, options);
  }
  if (!options.range.empty() || !options.svg.empty())
    throw UsageError("--n and --svg are for chains of many lengths: ulna count chain --n 2..20");
  const Imported robot = options.robot.load();
  print_robot(console, options, robot.model);
  mention_warnings(console, options.robot, robot.diagnostics);
  return success;
}

}  // namespace

Action count(Parser& app, Console& console) {
  auto options = std::make_shared<CountOptions>();
  options->robot.add_to(app);
  app.add_value("--n", options->range, "A..B",
                "for ROBOT chain: range of the number of joints (2..20)");
  app.add_output("--svg", options->svg, "for ROBOT chain: also draw a plot");
  app.add_force(options->force);
  return [options, &app, &console] { return show(*options, app, console); };
}

}  // namespace ulna::cli
