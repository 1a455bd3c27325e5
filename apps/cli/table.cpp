#include "table.hpp"

#include <algorithm>
#include <cmath>

namespace ulna::cli {

void Column::parse(std::string_view heading) {
  const std::size_t begin = std::min(heading.find_first_not_of(' '), heading.size());
  if (begin > 0) gap = int(begin);
  heading.remove_prefix(begin);
  right = heading.starts_with('>');
  heading.remove_prefix(right);
  const std::size_t bracket = heading.ends_with(']') ? heading.rfind(" [") : heading.npos;
  title = heading.substr(0, bracket);
  if (bracket != heading.npos) unit = heading.substr(bracket + 2, heading.size() - bracket - 3);
}

void Table::row(const Cells& cells, Style style) {
  Row& row = rows_.emplace_back(Row{std::vector<std::string>(columns_.size()), style});
  for (std::size_t c = 0; c < std::min(cells.size(), columns_.size()); ++c)
    row.cells[c] = visible(cells[c].text);
}

std::string Table::str(const Stream& stream) const {
  std::vector<int> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    int width = std::max(columns(columns_[c].title), columns(columns_[c].unit));
    for (const Row& row : rows_) width = std::max(width, columns(row.cells[c]));
    widths.push_back(width);
  }
  std::vector<std::size_t> which;
  int used = 0;
  const auto take = [&](std::size_t c) {
    used += widths[c] + gap(c);
    which.push_back(c);
  };
  const auto start = [&] {
    which.clear();
    used = 0;
    for (std::size_t k = 0; k < keys_; ++k) take(k);
  };
  std::string text;
  start();
  for (std::size_t c = keys_; c < columns_.size(); ++c) {
    if (which.size() > keys_ && used + widths[c] + gap(c) > stream.width()) {
      text += block(stream, which, widths) + "\n";
      start();
    }
    take(c);
  }
  return text + block(stream, which, widths);
}

std::string Table::block(const Stream& stream, std::span<const std::size_t> which,
                         std::span<const int> widths) const {
  const auto line = [&](Style style, auto cell) {
    std::string s;
    for (const std::size_t c : which) {
      const std::string& text = cell(c);
      const std::string space(widths[c] - columns(text), ' ');
      s.append(gap(c), ' ');
      s += columns_[c].right ? space + text : text + space;
    }
    s.erase(s.find_last_not_of(' ') + 1);
    return stream.paint(style, s) + "\n";
  };
  std::string text =
      line(Style::bold, [&](std::size_t c) -> const std::string& { return columns_[c].title; });
  if (std::ranges::any_of(which, [&](std::size_t c) { return !columns_[c].unit.empty(); }))
    text += line(Style::dim, [&](std::size_t c) -> const std::string& { return columns_[c].unit; });
  for (const Row& row : rows_)
    text += line(row.style, [&](std::size_t c) -> const std::string& { return row.cells[c]; });
  return text;
}

Figures::Figures(std::vector<double> values, double relative, double absolute) {
  std::erase_if(values, [](double x) { return !std::isfinite(x); });
  double largest = 0.0;
  for (const double x : values) largest = std::max(largest, std::abs(x));
  nothing_ = 1e-12 * largest;
  if (largest >= 1e6) return;
  for (int d = 0; d <= 5 && decimals_ < 0; ++d) {
    const double unit = std::pow(10.0, -d);
    const bool enough = std::ranges::all_of(values, [&](double x) {
      const double miss = std::abs(std::round(x / unit) * unit - x);
      return miss <= std::max(relative * std::abs(x), absolute * largest);
    });
    if (enough) decimals_ = d;
  }
}

std::string Figures::operator()(double x, const Stream& stream) const {
  if (std::isinf(x)) return fmt::format("{}{}", x < 0.0 ? "-" : "", stream.either("∞", "inf"));
  if (std::abs(x) <= nothing_) x = 0.0;
  if (decimals_ < 0) return fmt::format("{:.3g}", x);
  // a plain 0 stands where the others have their units
  if (x == 0.0) return "0" + std::string(decimals_ > 0 ? decimals_ + 1 : 0, ' ');
  return fixed(x, decimals_);
}

std::string fixed(double x, int digits) {
  constexpr double longest = 1e12;  // beyond, digits are no longer read one by one
  if (std::abs(x) >= longest) return fmt::format("{:.{}g}", x, std::max(digits + 1, 6));
  const std::string text = fmt::format("{:.{}f}", x, digits);
  return text[0] == '-' && text.find_first_of("123456789") == text.npos ? text.substr(1) : text;
}

std::string figure(double x, int digits) {
  return fmt::format("{:.{}g}", x == 0.0 ? 0.0 : x, digits);
}

std::string matrix_text(const Stream& out, const Column& title,
                        const std::vector<std::string>& rows, const std::vector<Column>& columns,
                        const Eigen::MatrixXd& m) {
  const double largest = m.size() ? m.cwiseAbs().maxCoeff() : 0.0;
  constexpr double smallest = 1e-9;  // below it, zeros behind the point would be all that is seen
  const int decimals =
      largest > 0.0 ? std::clamp(5 - static_cast<int>(std::floor(std::log10(largest))), 0, 15) : 0;
  Table table(1, {title});
  for (const Column& c : columns) table.column(c);
  for (Eigen::Index r = 0; r < m.rows(); ++r) {
    Cells cells{rows[r]};
    for (const double x : m.row(r))
      cells.push_back(largest > 0.0 && largest < smallest ? figure(x, 6) : fixed(x, decimals));
    table.row(cells);
  }
  return table.str(out);
}

}  // namespace ulna::cli
