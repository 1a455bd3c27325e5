// Turns bench.json into the tables and plots of docs/performance.md.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Entry {
  std::string library, version, robot, algorithm, variant;
  int nv = 0;
  std::optional<double> ns, median, difference, bytes, instructions;
};

struct Bench {
  std::map<std::string, std::string> context;
  std::vector<Entry> entries;

  const Entry* find(const std::string& library, const std::string& robot,
                    const std::string& algorithm, const std::string& variant = "") const {
    for (const Entry& e : entries)
      if (e.library == library && e.robot == robot && e.algorithm == algorithm &&
          e.variant == variant)
        return &e;
    return nullptr;
  }
  /// Values of a field in the order of their first appearance.
  std::vector<std::string> distinct(std::string Entry::*field,
                                    const std::string& variant = "") const {
    std::vector<std::string> values;
    for (const Entry& e : entries)
      if (e.variant == variant && e.algorithm != "load" &&
          std::find(values.begin(), values.end(), e.*field) == values.end())
        values.push_back(e.*field);
    return values;
  }
  std::vector<std::string> libraries() const { return distinct(&Entry::library); }
  std::vector<std::string> robots() const { return distinct(&Entry::robot); }
};

Bench read(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path + " cannot be read");
  const nlohmann::json json = nlohmann::json::parse(in);
  Bench bench;
  json.at("context").get_to(bench.context);
  for (const nlohmann::json& e : json.at("entries")) {
    const auto number = [&](const char* key) {
      return e.contains(key) ? std::optional(e.at(key).get<double>()) : std::nullopt;
    };
    bench.entries.push_back({e.at("library"), e.at("version"), e.at("robot"), e.at("algorithm"),
                             e.value("variant", ""), e.at("nv"), number("ns_min"),
                             number("ns_median"), number("difference"), number("bytes"),
                             number("instructions")});
  }
  return bench;
}

// --- words ---

/// 12345.6 as "12,346"; small numbers keep a digit behind the point.
std::string grouped(double x) {
  char text[32];
  std::snprintf(text, sizeof text, x < 10 ? "%.1f" : "%.0f", x);
  std::string s = text;
  if (s.find('.') != std::string::npos) return s;
  for (int i = static_cast<int>(s.size()) - 3; i > 0; i -= 3)
    s.insert(static_cast<std::size_t>(i), ",");
  return s;
}

std::string grouped(const std::optional<double>& x) { return x ? grouped(*x) : "-"; }

std::string ratio(double x) {
  char text[32];
  std::snprintf(text, sizeof text, x < 9.95 ? "%.1f" : "%.0f", x);
  return text;
}

std::string spelled(const std::string& algorithm) {
  static const std::map<std::string, std::string> names{{"inverse_dynamics", "inverse dynamics"},
                                                        {"bias_torque", "bias torque"},
                                                        {"mass_matrix", "mass matrix"},
                                                        {"forward_dynamics", "forward dynamics"},
                                                        {"inverse_mass", "inverse mass matrix"},
                                                        {"jacobian", "Jacobian of the tip"},
                                                        {"kinematics", "kinematics"}};
  const auto name = names.find(algorithm);
  return name == names.end() ? algorithm : name->second;
}

using Row = std::vector<std::string>;

/// A table whose first column is words and whose others are numbers.
std::string table(const Row& head, const std::vector<Row>& rows) {
  const auto line = [](const Row& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + cell + " |";
    return text + "\n";
  };
  std::string text = line(head) + "|---|";
  for (std::size_t i = 1; i < head.size(); ++i) text += "---:|";
  text += "\n";
  for (const Row& row : rows) text += line(row);
  return text;
}

const std::vector<std::string> algorithms{"inverse_dynamics", "bias_torque",  "mass_matrix",
                                          "forward_dynamics", "inverse_mass", "jacobian",
                                          "kinematics"};

/// Those that are shown for all robots, and drawn.
const std::vector<std::string> foremost{"inverse_dynamics", "mass_matrix", "forward_dynamics"};

/// The least of a figure among ulna's peers, or nothing.
std::optional<double> best_peer(const Bench& bench, const std::string& robot,
                                const std::string& algorithm,
                                std::optional<double> Entry::*figure) {
  std::optional<double> best;
  for (const std::string& library : bench.libraries()) {
    const Entry* e = bench.find(library, robot, algorithm);
    if (library != "ulna" && e && e->*figure)
      best = std::min(best.value_or(INFINITY), *(e->*figure));
  }
  return best;
}

// --- tables ---

/// All algorithms of one robot, one figure of each library, and how far the next best is away.
std::string robot_table(const Bench& bench, const std::string& robot,
                        std::optional<double> Entry::*figure) {
  Row head{""};
  for (const std::string& library : bench.libraries()) head.push_back(library);
  head.push_back("best peer / ulna");
  std::vector<Row> rows;
  for (const std::string& algorithm : algorithms) {
    Row row{spelled(algorithm)};
    for (const std::string& library : bench.libraries()) {
      const Entry* e = bench.find(library, robot, algorithm);
      row.push_back(e ? grouped(e->*figure) : "-");
    }
    const Entry* own = bench.find("ulna", robot, algorithm);
    const std::optional<double> best = best_peer(bench, robot, algorithm, figure);
    row.push_back(own && own->*figure && best ? ratio(*best / *(own->*figure)) : "-");
    rows.push_back(row);
  }
  return table(head, rows);
}

/// One algorithm on all robots.
std::string algorithm_table(const Bench& bench, const std::string& algorithm) {
  Row head{spelled(algorithm) + ", ns", "DOF"};
  for (const std::string& library : bench.libraries()) head.push_back(library);
  head.push_back("best peer / ulna");
  std::vector<Row> rows;
  for (const std::string& robot : bench.robots()) {
    const Entry* own = bench.find("ulna", robot, algorithm);
    if (!own || !own->ns) continue;
    Row row{robot, std::to_string(own->nv)};
    for (const std::string& library : bench.libraries()) {
      const Entry* e = bench.find(library, robot, algorithm);
      row.push_back(e ? grouped(e->ns) : "-");
    }
    const std::optional<double> best = best_peer(bench, robot, algorithm, &Entry::ns);
    row.push_back(best ? ratio(*best / *own->ns) : "-");
    rows.push_back(row);
  }
  return table(head, rows);
}

std::string batch_table(const Bench& bench) {
  const std::string one = "batch, 1 thread", two = "batch, 2 threads";
  std::vector<Row> rows;
  for (const std::string& robot : bench.distinct(&Entry::robot, one))
    for (const std::string& algorithm : bench.distinct(&Entry::algorithm, one)) {
      const Entry* single = bench.find("ulna", robot, algorithm, "one by one");
      const Entry* b1 = bench.find("ulna", robot, algorithm, one);
      const Entry* b2 = bench.find("ulna", robot, algorithm, two);
      if (!single || !b1) continue;
      rows.push_back({robot + ", " + spelled(algorithm), grouped(single->ns), grouped(b1->ns),
                      b2 ? grouped(b2->ns) : "-", ratio(*single->ns / *b1->ns),
                      b2 ? ratio(*single->ns / *b2->ns) : "-"});
    }
  return table({"ns per state", "one by one", "batch, 1 thread", "batch, 2 threads",
                "gain, 1 thread", "gain, 2 threads"},
               rows);
}

std::string scalar_table(const Bench& bench) {
  const std::vector<std::string> variants{"", "float", "dual, 1 direction", "dual, 4 directions"};
  std::vector<Row> rows;
  for (const std::string& algorithm : foremost) {
    Row row{spelled(algorithm)};
    for (const std::string& variant : variants) {
      const Entry* e = bench.find("ulna", "panda", algorithm, variant);
      row.push_back(e ? grouped(e->ns) : "-");
    }
    rows.push_back(row);
  }
  return table({"Panda, ns", "double", "float", "dual, 1 direction", "dual, 4 directions"}, rows);
}

std::string other_table(const Bench& bench) {
  std::vector<Row> rows;
  const auto load = [&](const std::string& robot, const std::string& words, double goal_ms) {
    const Entry* e = bench.find("ulna", robot, "load");
    if (!e) return;
    char text[64], goal[64];
    std::snprintf(text, sizeof text, "%.3g ms", *e->ns / 1e6);
    std::snprintf(goal, sizeof goal, "< %.0f ms, %s", goal_ms,
                  *e->ns / 1e6 < goal_ms ? "met" : "missed");
    rows.push_back({words, text, goal});
  };
  load("panda", "load the embedded Panda", 1.0);
  load("chain:5000", "load a chain of 5,000 links from URDF", 200.0);
  for (const auto& [algorithm, words] : {std::pair{"csv_read", "read CSV, 22 columns"},
                                         std::pair{"csv_write", "write CSV, 22 columns"}}) {
    const Entry* e = bench.find("ulna", "panda", algorithm);
    if (e) rows.push_back({words, grouped(1e3 * *e->bytes / *e->ns) + " MB/s", "-"});
  }
  return table({"", "best of all repeats", "goal"}, rows);
}

std::string agreement_table(const Bench& bench) {
  std::vector<Row> rows;
  for (const std::string& library : bench.libraries()) {
    if (library == "ulna") continue;
    double worst = 0.0;
    std::string version, left_out;
    for (const Entry& e : bench.entries) {
      if (e.library != library || !e.difference) continue;
      version = e.version;
      if (e.ns)
        worst = std::max(worst, *e.difference);
      else
        left_out += (left_out.empty() ? "" : "; ") + e.robot + ", " + spelled(e.algorithm);
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.0e", worst);
    rows.push_back({library + " " + version, text, left_out.empty() ? "none" : left_out});
  }
  return table({"", "largest difference from ulna", "left out for more than 1e-9"}, rows);
}

/// How much worse than the least the middle of all repeats was: what the machine was like.
std::string setting(const Bench& bench) {
  std::vector<double> noise;
  for (const Entry& e : bench.entries)
    if (e.ns && e.median) noise.push_back(*e.median / *e.ns - 1.0);
  std::sort(noise.begin(), noise.end());
  const double typical = noise.empty() ? 0.0 : noise[noise.size() / 2];
  const auto context = [&](const char* key) {
    const auto at = bench.context.find(key);
    return at == bench.context.end() ? std::string("?") : at->second;
  };
  return table({"", ""}, {{"processor", context("processor") + ", " + context("cores") + " cores"},
                          {"compiler", context("compiler")},
                          {"flags", "`" + context("flags") + "`"},
                          {"noise", "typically, the median of the repeats is " +
                                        grouped(100.0 * typical) + " % above the minimum"}});
}

// --- plots ---

struct Point {
  double n, ns;
};
struct Line {
  std::string name, colour;
  std::vector<Point> points;
};

/// Time over the number of joints, both logarithmic, each line named at its end.
std::string plot(const std::string& title, const std::vector<Line>& lines) {
  constexpr double width = 720, height = 440, left = 76, right = 118, top = 56, bottom = 58;
  double n_min = INFINITY, n_max = 0, ns_min = INFINITY, ns_max = 0;
  for (const Line& line : lines)
    for (const Point& p : line.points) {
      n_min = std::min(n_min, p.n), n_max = std::max(n_max, p.n);
      ns_min = std::min(ns_min, p.ns), ns_max = std::max(ns_max, p.ns);
    }
  const double low = std::floor(std::log10(ns_min)), high = std::ceil(std::log10(ns_max));
  const auto x_at = [&](double n) {
    return left + (width - left - right) * std::log(n / n_min) / std::log(n_max / n_min);
  };
  const auto y_at = [&](double ns) {
    return height - bottom - (height - top - bottom) * (std::log10(ns) - low) / (high - low);
  };

  std::string svg;
  char text[512];
  const auto put = [&](const char* format, auto... values) {
    std::snprintf(text, sizeof text, format, values...);
    svg += text;
  };
  put("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %g %g' width='%g' height='%g' "
      "font-family='Helvetica, Arial, sans-serif' font-size='13' fill='#333'>\n",
      width, height, width, height);
  put("<rect width='%g' height='%g' fill='#fff'/>\n", width, height);
  put("<text x='%g' y='28' font-size='16' font-weight='bold' fill='#111'>%s</text>\n", left,
      title.c_str());
  put("<text x='%g' y='46' fill='#666'>time per call over the number of joints of a chain</text>\n",
      left);

  for (double decade = low; decade <= high; ++decade) {
    const double y = y_at(std::pow(10.0, decade));
    put("<line x1='%g' x2='%g' y1='%.1f' y2='%.1f' stroke='#ccc'/>\n", left, width - right, y, y);
    static const std::array<const char*, 10> names{"1 ns",   "10 ns", "100 ns", "1 µs",  "10 µs",
                                                   "100 µs", "1 ms",  "10 ms",  "0.1 s", "1 s"};
    put("<text x='%g' y='%.1f' text-anchor='end'>%s</text>\n", left - 8, y + 4.5,
        names.at(static_cast<std::size_t>(decade)));
    for (int k = 2; k < 10 && decade < high; ++k) {
      const double minor = y_at(k * std::pow(10.0, decade));
      put("<line x1='%g' x2='%g' y1='%.1f' y2='%.1f' stroke='#eee'/>\n", left, width - right, minor,
          minor);
    }
  }
  for (const Point& p : lines.front().points) {
    const double x = x_at(p.n);
    put("<line x1='%.1f' x2='%.1f' y1='%g' y2='%g' stroke='#eee'/>\n", x, x, top, height - bottom);
    put("<text x='%.1f' y='%g' text-anchor='middle'>%g</text>\n", x, height - bottom + 20, p.n);
  }
  put("<text x='%g' y='%g' text-anchor='middle' fill='#666'>joints</text>\n",
      (left + width - right) / 2, height - 16);

  for (const Line& line : lines) {
    const bool own = line.name == "ulna";
    std::string path;
    for (const Point& p : line.points) {
      std::snprintf(text, sizeof text, "%s%.1f %.1f", path.empty() ? "M" : " L", x_at(p.n),
                    y_at(p.ns));
      path += text;
    }
    svg += "<path d='" + path + "' fill='none' stroke='" + line.colour + "' stroke-width='" +
           (own ? "3" : "1.8") + "'/>\n";
    for (const Point& p : line.points)
      put("<circle cx='%.1f' cy='%.1f' r='%g' fill='%s'/>\n", x_at(p.n), y_at(p.ns),
          own ? 4.0 : 3.0, line.colour.c_str());
  }

  // names at the ends, pushed apart where they would overlap
  std::vector<std::pair<double, const Line*>> labels;
  for (const Line& line : lines) labels.emplace_back(y_at(line.points.back().ns) + 4.5, &line);
  std::sort(labels.begin(), labels.end());
  for (std::size_t i = 1; i < labels.size(); ++i)
    labels[i].first = std::max(labels[i].first, labels[i - 1].first + 17.0);
  for (const auto& [y, line] : labels)
    put("<text x='%.1f' y='%.1f' fill='%s'%s>%s</text>\n", x_at(line->points.back().n) + 12, y,
        line->colour.c_str(), line->name == "ulna" ? " font-weight='bold'" : "",
        line->name.c_str());
  return svg + "</svg>\n";
}

std::string growth_plot(const Bench& bench, const std::string& algorithm) {
  static const std::map<std::string, std::string> colours{
      {"ulna", "#c2410c"}, {"KDL", "#2563a8"},    {"MuJoCo", "#2e7d32"},
      {"DART", "#7b3fa0"}, {"Bullet", "#8a6d00"}, {"Simbody", "#5f6b76"}};
  std::vector<Line> lines;
  for (const std::string& library : bench.libraries()) {
    const auto colour = colours.find(library);
    Line line{library, colour == colours.end() ? "#000" : colour->second, {}};
    for (const Entry& e : bench.entries)
      if (e.library == library && e.algorithm == algorithm && e.variant.empty() && e.ns &&
          e.robot.starts_with("chain:"))
        line.points.push_back({static_cast<double>(e.nv), *e.ns});
    if (line.points.size() > 1) lines.push_back(line);
  }
  if (lines.empty()) return "";
  std::string title = spelled(algorithm);
  title[0] = static_cast<char>(std::toupper(title[0]));
  return plot(title, lines);
}

// --- documents ---

std::map<std::string, std::string> sections(const Bench& bench) {
  std::map<std::string, std::string> all{
      {"setting", setting(bench)},     {"panda times", robot_table(bench, "panda", &Entry::ns)},
      {"batches", batch_table(bench)}, {"scalars", scalar_table(bench)},
      {"loading", other_table(bench)}, {"agreement", agreement_table(bench)}};
  const bool counted = std::any_of(bench.entries.begin(), bench.entries.end(),
                                   [](const Entry& e) { return e.instructions.has_value(); });
  if (counted) all["panda instructions"] = robot_table(bench, "panda", &Entry::instructions);
  for (const std::string& algorithm : foremost)
    all["robots " + algorithm] = algorithm_table(bench, algorithm);
  return all;
}

/// Replaces what stands between "<!-- bench: NAME -->" and "<!-- end -->".
std::string filled(const std::string& document,
                   const std::map<std::string, std::string>& sections) {
  const std::string begin = "<!-- bench: ", close = " -->", end = "<!-- end -->";
  std::string out;
  std::size_t at = 0;
  for (std::size_t mark; (mark = document.find(begin, at)) != std::string::npos;) {
    const std::size_t name_end = document.find(close, mark);
    const std::size_t block_end = document.find(end, mark);
    if (name_end == std::string::npos || block_end == std::string::npos)
      throw std::runtime_error("a mark is not closed");
    const auto section =
        sections.find(document.substr(mark + begin.size(), name_end - mark - begin.size()));
    const std::size_t text_begin = name_end + close.size();
    out += document.substr(at, text_begin - at);
    out += section == sections.end() ? document.substr(text_begin, block_end - text_begin)
                                     : "\n\n" + section->second + "\n";
    at = block_end;
  }
  return out + document.substr(at);
}

void write(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  if (!out.flush()) throw std::runtime_error(path + " cannot be written");
}

void run(const std::string& json, const std::string& document) {
  const Bench bench = read(json);
  if (document.empty()) {
    for (const auto& [name, text] : sections(bench)) std::cout << "\n" << name << "\n\n" << text;
    return;
  }
  std::ifstream in(document);
  if (!in) throw std::runtime_error(document + " cannot be read");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  write(document, filled(text, sections(bench)));
  const std::string stem = document.substr(0, document.rfind('.'));
  for (const std::string& algorithm : foremost) {
    const std::string svg = growth_plot(bench, algorithm);
    if (!svg.empty()) write(stem + "-" + algorithm + ".svg", svg);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::cerr << "ulna_bench_report <bench.json> [document.md]\n\n"
                 "Prints the tables; with a document, fills in its tables and draws its plots "
                 "beside it.\n";
    return 2;
  }
  try {
    run(argv[1], argc == 3 ? argv[2] : "");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
