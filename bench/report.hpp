#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../apps/plot/charts.hpp"

/// The contents of bench.json, and how they are shown.
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
  std::vector<std::string> peers() const;  ///< libraries other than ulna
  /// The least of a figure among the peers.
  std::optional<double> best_peer(Figure figure, const std::string& robot,
                                  const std::string& algorithm,
                                  const std::string& variant = "") const;
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

/// One by one, in batches on one thread and on two, and what batches gain.
std::string batch_table(const Bench& bench, const std::vector<std::string>& algorithms);

/// The machine, and how much worse than the least the middle of all repeats was.
std::string setting(const Bench& bench);

// --- documents ---

using Sections = std::map<std::string, std::string>;
/// Replaces what stands between "<!-- bench: NAME -->" and "<!-- end -->".
void fill(const std::string& document, const Sections& sections);
void write(const std::string& path, const std::string& text);

// --- plots ---

std::string colour_of(const std::string& library);

using ulna::plot::Bar;
using ulna::plot::BarGroup;
using ulna::plot::Line;
using ulna::plot::Point;

struct Axes {
  std::string subtitle = "time per call over the number of joints of a chain", across = "joints";
  std::string unit = "";  ///< of what is not a time in ns
};
/// Both axes logarithmic; nothing of no lines.
std::string plot(const std::string& title, const std::vector<Line>& lines, const Axes& axes = {});
/// Of one variant of an algorithm over the lengths of chains.
Line growth_line(const Bench& bench, const std::string& name, const std::string& colour,
                 const std::string& library, const std::string& algorithm,
                 const std::string& variant = "");
/// Times on a logarithmic scale, each as a multiple of the first of its group.
std::string bar_plot(const std::string& title, const std::string& subtitle,
                     std::vector<BarGroup> groups);

// --- derivatives and generated code ---

void add_derivative_sections(const Bench& bench, Sections& sections);
/// By the ends of their names.
Sections derivative_plots(const Bench& bench);

}  // namespace report
