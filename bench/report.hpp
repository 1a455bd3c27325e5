#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What bench.json says, and how it is shown.
namespace report {

struct Entry {
  std::string library, version, robot, algorithm, variant;
  int nv = 0;
  std::optional<double> ns, median, difference, bytes, instructions, operations, compile_seconds;
  std::map<std::string, double> more;  ///< all numbers by their names
};
using Figure = std::optional<double> Entry::*;

struct Bench {
  std::map<std::string, std::string> context;
  std::vector<Entry> entries;

  const Entry* find(const std::string& library, const std::string& robot,
                    const std::string& algorithm, const std::string& variant = "") const;
  std::optional<double> figure(Figure figure, const std::string& library, const std::string& robot,
                               const std::string& algorithm, const std::string& variant = "") const;
  /// Values of a field in the order of their first appearance.
  std::vector<std::string> distinct(std::string Entry::*field,
                                    const std::string& variant = "") const;
  std::vector<std::string> libraries() const { return distinct(&Entry::library); }
  std::vector<std::string> robots() const { return distinct(&Entry::robot); }
  bool counted() const;  ///< whether there are instructions
};

Bench read(const std::string& path);

// --- words ---

/// 12345.6 as "12,346"; small numbers keep a digit behind the point.
std::string grouped(double x);
std::string grouped(const std::optional<double>& x);
std::string ratio(double x);
/// of / by, or "-" if one is not there.
std::string ratio(const std::optional<double>& of, const std::optional<double>& by);
/// 12345.6 ns as "12.3 µs".
std::string duration(double ns);
std::string spelled(const std::string& algorithm);
std::string capitalised(std::string text);

using Row = std::vector<std::string>;
/// A table whose first column is words and whose others are numbers.
std::string table(const Row& head, const std::vector<Row>& rows);

/// The machine, and how much worse than the least the middle of all repeats was.
std::string setting(const Bench& bench);

// --- documents ---

using Sections = std::map<std::string, std::string>;
/// Replaces what stands between "<!-- bench: NAME -->" and "<!-- end -->".
void fill(const std::string& document, const Sections& sections);
void write(const std::string& path, const std::string& text);

// --- plots ---

std::string colour_of(const std::string& library);

struct Point {
  double n, ns;
};
struct Line {
  std::string name, colour;
  std::vector<Point> points;
  bool strong = false, dashed = false;
};
struct Axes {
  std::string subtitle = "time per call over the number of joints of a chain", across = "joints";
  std::string unit = "";  ///< of what is not a time in ns
};
/// Both axes logarithmic, each line named at its end.
std::string plot(const std::string& title, const std::vector<Line>& lines, const Axes& axes = {});

struct Bar {
  std::string name, colour;
  double ns;
  bool strong = false;
};
struct BarGroup {
  std::string name;
  std::vector<Bar> bars;  ///< the first is what the others are compared with
};
/// Times on a logarithmic scale.
std::string bar_plot(const std::string& title, const std::string& subtitle,
                     const std::vector<BarGroup>& groups);

// --- derivatives and generated code ---

void add_derivative_sections(const Bench& bench, Sections& sections);
/// By the ends of their names.
Sections derivative_plots(const Bench& bench);

}  // namespace report
