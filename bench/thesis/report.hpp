#pragma once

#include <fmt/format.h>

#include "../report.hpp"

/// The contents of thesis.json, beside the findings of the thesis.
namespace thesis {

using report::Bench;
using report::Entry;
using report::Figure;
using report::Point;
using report::Row;

// --- words ---

/// "a, b and c"
std::string joined(const std::vector<std::string>& words);

// --- laws of growth ---

struct Fit {
  double exponent = 0.0;
  double off = 0.0;  ///< root mean square of what is left of logarithms, as a factor less 1
};
/// y = c x^exponent, by least squares of the logarithms.
Fit power_law(const std::vector<Point>& points);
/// y = c e^(exponent x).
Fit exponential(const std::vector<Point>& points);

// --- figures ---

inline const std::string interpreted = "interpreted", by_columns = "interpreted, columns",
                         generated = "generated", differences = "finite differences", exact = "";

std::optional<double> ns(const Bench& bench, const std::string& library, const std::string& robot,
                         const std::string& algorithm, const std::string& variant = "");
/// ulna's; NaN if there is none.
double own(const Bench& bench, const std::string& robot, const std::string& algorithm,
           const std::string& variant, Figure figure = &Entry::ns);
/// The fastest peer's time.
double best_peer(const Bench& bench, const std::string& robot, const std::string& algorithm,
                 const std::string& variant = "");

/// Robots of Figures 6.1 to 6.3 and their names in words.
std::vector<std::pair<std::string, std::string>> robots(const Bench& bench);
/// Sizes of chains that were measured.
std::vector<int> joints(const Bench& bench);
inline std::string chain(int n) { return "chain:" + std::to_string(n); }
inline std::string slope_of(const std::string& algorithm) { return algorithm + "_derivatives"; }

/// A way to compute something, as it is shown.
struct Way {
  std::string name, library, variant, colour;
  bool strong = false, dashed = false;
};
std::vector<Way> ways(const Bench& bench, const std::string& peers_variant);

// --- the page ---

struct Page {
  report::Sections sections, plots;  ///< by their marks, and by the ends of their names
  std::vector<Row> summary;

  /// A sentence of the thesis, in how many of the cases asked for it holds, our figure in short, and in
  /// words: section "finding <name>" and a row of the summary.
  void finding(const std::string& name, const std::string& sentence, const std::string& where,
               int holding, int asked, const std::string& figure, const std::string& words);
};

/// Table 6.1 and Figures 6.1 to 6.3.
void add_robots(const Bench& bench, Page& page);
/// Figures 6.4 to 6.7.
void add_growth(const Bench& bench, Page& page);
/// Figure 6.8.
void add_identification(const Bench& bench, Page& page);

}  // namespace thesis
