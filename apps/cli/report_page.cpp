#include "report_page.hpp"

#include <algorithm>
#include <cmath>

namespace ulna::cli {
namespace {

constexpr double most_numbers = 20e3;                          // of all lines: 0.1 MB of the page
constexpr std::size_t most_mesh_bytes = std::size_t(2) << 20;  // more is left out

/// A line at the moments of others. Two moments that follow each other are a bucket and get the extremes within it, in their
/// order, so that nothing is lost that would be seen.
class Resampled {
 public:
  Resampled(const TimedLine& line, const Eigen::VectorXd& moments) : line_(line), at_(moments) {
    const Eigen::Index n = at_.size();
    y = Eigen::VectorXd::Constant(n, std::nan(""));
    for (Eigen::Index k = 0; k < n; k += 2) fill(k, std::min(k + 1, n - 1));
  }
  Eigen::VectorXd y;

 private:
  void fill(Eigen::Index first, Eigen::Index second) {
    const Eigen::VectorXd& time = line_.time;
    const double half = at_.size() > 1 ? 0.5 * (at_(1) - at_(0)) : 0.0;
    const Eigen::Index begin = next_;
    while (next_ < time.size() && time(next_) <= at_(second) + half) ++next_;
    if (begin == next_) {
      // between samples
      if (begin > 0 && begin < time.size()) y(first) = y(second) = line_.y(begin - 1);
      return;
    }
    Eigen::Index low = -1, high = -1, last = -1;
    for (Eigen::Index i = begin; i < next_; ++i) {
      if (!std::isfinite(line_.y(i))) continue;
      if (low < 0 || line_.y(i) < line_.y(low)) low = i;
      if (high < 0 || line_.y(i) > line_.y(high)) high = i;
      last = i;
    }
    if (low < 0) return;
    // where the line ends or begins, one of the moments has nothing
    if (!std::isfinite(line_.y(next_ - 1)))
      y(first) = line_.y(last);
    else if (!std::isfinite(line_.y(begin)))
      y(second) = line_.y(last);
    else
      y(first) = line_.y(std::min(low, high)), y(second) = line_.y(std::max(low, high));
  }

  const TimedLine& line_;
  const Eigen::VectorXd& at_;
  Eigen::Index next_ = 0;
};

}  // namespace

std::string percent(double x) { return std::isfinite(x) ? fmt::format("{:.2f} %", x) : "-"; }
std::string number(double x, int digits) {
  return std::isfinite(x) ? fmt::format("{:.{}g}", x, digits) : "-";
}

double drawn(double x) { return std::strtod(fmt::format("{:.5g}", x).c_str(), nullptr); }

Json curve_numbers(const Eigen::VectorXd& values) {
  Json list = Json::array();
  for (const double x : values) list.push_back(drawn(x));
  return list;
}

Json TimedLines::plot(std::string name, std::string unit, std::vector<TimedLine> lines) {
  view::SeriesGroup group{std::move(name), std::move(unit), {}};
  Json styles = Json::array();
  for (TimedLine& line : lines) {
    group.series.push_back({line.name});
    styles.push_back({{"color", line.colour}});
    if (line.dashed) styles.back()["dashed"] = true;
    lines_.push_back(std::move(line));
  }
  groups_.push_back(std::move(group));
  return {{"group", groups_.size() - 1}, {"styles", std::move(styles)}};
}

std::vector<view::Message> TimedLines::messages() const {
  double begin = infinity, end = -infinity;
  Eigen::Index longest = 0;
  for (const TimedLine& line : lines_) {
    if (line.time.size() == 0) continue;
    begin = std::min(begin, line.time(0)), end = std::max(end, line.time(line.time.size() - 1));
    longest = std::max(longest, line.time.size());
  }
  std::vector<view::Message> out{view::text(view::channels_message(groups_))};
  if (longest == 0) return out;
  const auto most = Eigen::Index(std::clamp(most_numbers / double(lines_.size()), 100.0, 1200.0));
  const Eigen::VectorXd moments = Eigen::VectorXd::LinSpaced(std::min(longest, most), begin, end);
  Eigen::MatrixXd values(Eigen::Index(lines_.size()), moments.size());
  for (std::size_t i = 0; i < lines_.size(); ++i)
    values.row(Eigen::Index(i)) = Resampled(lines_[i], moments).y;
  for (view::Message& message : view::value_track_messages(moments, values))
    out.push_back(std::move(message));
  return out;
}

ReportTable::ReportTable(const std::vector<std::string>& titles, std::string_view title)
    : block_{{"kind", "table"},
             {"title", title},
             {"columns", Json::array()},
             {"rows", Json::array()}} {
  for (const std::string& name : titles) {
    const bool is_number = name.starts_with('>');
    block_["columns"].push_back({{"name", name.substr(is_number ? 1 : 0)}, {"number", is_number}});
  }
}

void ReportTable::row(std::vector<Json> cells, std::string_view tone) {
  for (Json& cell : cells)
    if (cell.is_number()) cell = cell.dump();
  Json row{{"cells", std::move(cells)}};
  if (!tone.empty()) row["tone"] = tone;
  block_["rows"].push_back(std::move(row));
}

void ReportTable::group(std::string_view title) { block_["rows"].push_back({{"group", title}}); }

void Report::card(const std::string& value, const std::string& what, std::string_view tone) {
  if (blocks_.empty() || blocks_.back()["kind"] != "cards")
    add({{"kind", "cards"}, {"cards", Json::array()}});
  blocks_.back()["cards"].push_back({{"value", value}, {"text", what}, {"tone", tone}});
}

void Report::plots(std::string_view size, std::vector<Json> plots) {
  if (!plots.empty()) add({{"kind", "plots"}, {"size", size}, {"plots", std::move(plots)}});
}

std::string Report::html() const {
  view::Meshes meshes({.most_bytes = most_mesh_bytes});
  Diagnostics found;
  const std::string scene = view::scene_message(cast, meshes, found);
  std::string note = "ulna " ULNA_VERSION ".";
  if (!found.list().empty())
    note += fmt::format(" {} of meshes: see ulna view, which shows all that there are.",
                        counted(found.list().size(), "finding"));
  const Json report{{"type", "report"}, {"title", visible(title)}, {"subtitle", visible(subtitle)},
                    {"lead", lead},     {"blocks", blocks_},       {"note", note}};
  std::vector<view::Message> messages{
      view::text(view::hello_message({"ulna " ULNA_VERSION, "report", visible(title), {}, {}})),
      view::text(scene)};
  for (const auto& more : {lines.messages(), tracks})
    messages.insert(messages.end(), more.begin(), more.end());
  messages.push_back(view::text(report.dump(-1, ' ', false, Json::error_handler_t::replace)));
  return view::page_with(view::page(), messages, meshes);
}

}  // namespace ulna::cli
