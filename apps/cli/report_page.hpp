#pragma once

#include "table.hpp"
#include "ulna/view/page/messages.hpp"

/// Reports (--report): data, which the viewer's page lays out. docs/stream.md has the fields of all blocks.
namespace ulna::cli {

std::string percent(double x);
std::string number(double x, int digits = 4);
/// A number that is drawn: five digits are more than is seen.
double drawn(double x);
Json curve_numbers(const Eigen::VectorXd& values);

/// A line over time.
struct TimedLine {
  std::string name;
  Eigen::VectorXd time, y;  ///< y may have NaN: no line there
  std::string_view colour;
  bool dashed = false;
};

/// Lines over time, all at the same moments: as many as are seen, with the extremes of what lies between them.
class TimedLines {
 public:
  /// A plot of these lines, a block's part to which limits and marks can be added.
  Json plot(std::string name, std::string unit, std::vector<TimedLine> lines);
  /// What the plots refer to.
  std::vector<view::Message> messages() const;

 private:
  std::vector<view::SeriesGroup> groups_;
  std::vector<TimedLine> lines_;
};

/// A table. Titles that begin with '>' are of columns of numbers, which stand right.
class ReportTable {
 public:
  explicit ReportTable(const std::vector<std::string>& titles, std::string_view title = "");
  /// Cells are texts, numbers, or objects of docs/stream.md.
  void row(std::vector<Json> cells, std::string_view tone = "");
  /// A title above the rows that follow.
  void group(std::string_view title);
  const Json& json() const { return block_; }

 private:
  Json block_;
};

class Report {
 public:
  Report(std::string title_, std::string subtitle_, std::string lead_ = "")
      : title(std::move(title_)), subtitle(std::move(subtitle_)), lead(std::move(lead_)) {}

  std::string title, subtitle, lead;
  view::Cast cast{};                    ///< of the scene, if it has one
  std::vector<view::Message> tracks{};  ///< of the cast
  TimedLines lines{};

  void add(Json block) { blocks_.push_back(std::move(block)); }
  void heading(std::string_view text) { add({{"kind", "heading"}, {"text", text}}); }
  void text(std::string_view text, std::string_view tone = "") {
    add({{"kind", "text"}, {"text", text}, {"tone", tone}});
  }
  /// Figures in large letters and what they are.
  void card(const std::string& value, const std::string& what, std::string_view tone = "");
  /// Side by side where there is room.
  void columns(std::initializer_list<Json> blocks) {
    add({{"kind", "columns"}, {"blocks", blocks}});
  }
  /// Size: wide, small or row. Nothing if there are none.
  void plots(std::string_view size, std::vector<Json> plots);

  /// A page of HTML that needs nothing else.
  std::string html() const;

 private:
  Json blocks_ = Json::array();
};

}  // namespace ulna::cli
