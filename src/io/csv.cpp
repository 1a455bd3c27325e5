#include "ulna/io/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "io/binary_table.hpp"
#include "io/reading.hpp"
#include "ulna/io/number.hpp"

namespace ulna {

using detail::is_control;
using detail::quoted;

CsvError::CsvError(Source where, const std::string& what)
    : std::runtime_error(where.str() + ": " + what), where_(std::move(where)) {}

namespace {

/// Both the longest line that is taken for a line, with its end, and what is written at once.
constexpr std::size_t block = std::size_t{1} << 20;

std::string counted(std::size_t n, std::string_view thing) {
  return std::to_string(n) + " " + std::string(thing) + (n == 1 ? "" : "s");
}

/// A name as the reader will read it back: quoted unless it is plain.
std::string header_cell(const std::string& name) {
  const auto plain = [](char c) {
    return c > 0x20 && c < 0x7f && std::string_view("\",;#").find(c) == std::string_view::npos;
  };
  if (std::ranges::all_of(name, plain) && !parse_number(name)) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

bool is_count(std::string_view s) {
  return !s.empty() && s.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<std::string> coordinates_of(const Model& model, std::string_view quantity) {
  return quantity == "q" ? model.configuration_names() : model.velocity_names();
}

/// Finds the columns of one quantity: q, qd, qdd, tau, or i, the current; loggers have `other` names.
class ColumnFinder {
 public:
  ColumnFinder(const Model& model, const std::string& quantity, const std::string& other,
               const std::string& file)
      : model_(model),
        quantity_(quantity),
        prefixes_{quantity, other},
        file_(file),
        coordinates_(coordinates_of(model, quantity)) {
    // q_1 counts, unless a coordinate is called 1
    for (const bool counts : {false, true})
      for (std::size_t i = 0; i < coordinates_.size(); ++i)
        for (const std::string& prefix : prefixes_) {
          const std::string number = std::to_string(i + 1);
          if (counts) expected_.emplace(prefix + number, Expected{i, true});
          expected_.emplace(prefix + "_" + (counts ? number : coordinates_[i]),
                            Expected{i, counts});
        }
  }

  std::vector<int> find(std::span<const std::string> names) const {
    std::vector<int> columns(coordinates_.size(), -1);
    std::string first[2];  // column that goes by name, and that goes by position
    for (std::size_t c = 0; c < names.size(); ++c) {
      const auto found = expected_.find(names[c]);
      if (found == expected_.end()) {
        require_other(names[c]);
        continue;
      }
      const auto& [i, counts] = found->second;
      if (first[counts].empty()) first[counts] = names[c];
      if (!first[!counts].empty()) continue;  // reported below
      if (columns[i] >= 0) refuse(quoted("column", names[c]) + " occurs twice");
      columns[i] = static_cast<int>(c);
    }
    if (first[false].empty() && first[true].empty()) return {};
    if (!first[false].empty() && !first[true].empty())
      refuse(quoted("columns", first[false]) + quoted(" and", first[true]) + " both give " +
             quantity_ + "; name its columns in one way");
    std::string missing;
    int count = 0;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i] < 0 && ++count <= 5)
        missing += (count > 1 ? ", '" : "'") + quantity_ +
                   (first[false].empty() ? std::to_string(i + 1) : "_" + coordinates_[i]) + "'";
    if (count)
      refuse(quantity_ + " is given in part: " + std::to_string(count) + " of " +
             std::to_string(columns.size()) + " columns are missing: " + missing +
             (count > 5 ? ", ..." : ""));
    return columns;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw CsvError({file_, 0, 0}, what); }

  /// Refuses a column that looks like the quantity's, unless its joint is fixed or a follower.
  void require_other(const std::string& name) const {
    const std::string subject = quoted("column", name) + ": ";
    const std::string robot = "robot '" + model_.name() + "' has ";
    for (const std::string& prefix : prefixes_) {
      if (!name.starts_with(prefix)) continue;
      std::string_view rest = std::string_view(name).substr(prefix.size());
      const bool named = rest.starts_with('_');
      if (named) rest.remove_prefix(1);
      if (is_count(rest))
        refuse(subject + robot + counted(coordinates_.size(), "coordinate") +
               (coordinates_.empty() ? ""
                                     : ", counted from " + quantity_ + "1 to " + quantity_ +
                                           std::to_string(coordinates_.size())));
      if (!named) continue;
      if (const auto body = model_.find_joint(rest); body && model_.joint(*body).mimics) {
        if (quantity_ != "tau" && quantity_ != "i") return;
        const std::string master(model_.joint_name(model_.joint(*body).mimics));
        refuse(subject + quoted("joint", rest) + " mimics '" + master +
               "' and has no torque of its own; give that of '" + master + "'");
      }
      for (const JointDescription& j : model_.description().joints)
        if (j.name == rest && j.type == JointType::fixed) return;
      if (quantity_ == "tau" && is_of_drives(rest)) return;
      const std::vector<std::string_view> known(coordinates_.begin(), coordinates_.end());
      refuse(subject + robot + quoted("no coordinate", rest) + did_you_mean(rest, known));
    }
  }

  /// tau_link_<coordinate>, behind the spring, and tau_<motor>, at the shaft.
  bool is_of_drives(std::string_view rest) const {
    const auto& motors = model_.drives().motor_names;
    if (std::find(motors.begin(), motors.end(), rest) != motors.end()) return true;
    constexpr std::string_view link = "link_";
    return rest.starts_with(link) && std::find(coordinates_.begin(), coordinates_.end(),
                                               rest.substr(link.size())) != coordinates_.end();
  }

  struct Expected {
    std::size_t coordinate;
    bool counts;  ///< the column goes by position
  };
  const Model& model_;
  std::string quantity_, prefixes_[2];
  const std::string& file_;
  std::vector<std::string> coordinates_;
  std::unordered_map<std::string, Expected> expected_;
};

}  // namespace

/// At a byte of the present line, or the line as a whole. A column is counted in characters from 1: the
/// bytes that continue a character of UTF-8 are not counted.
void CsvReader::refuse(const std::string& what, std::size_t byte) const {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  const auto before = text_.substr(0, byte);
  const auto column = 1 + std::ranges::count_if(before, begins);
  throw CsvError({file_, line_, byte == whole_line ? 0 : static_cast<int>(column)}, what);
}

void CsvReader::require_text() const {
  if (const auto nul = text_.find('\0'); nul != std::string_view::npos)
    refuse("a byte that is zero: this is not a text file", nul);
}

/// The next line that is neither blank nor a comment into `text_`; false at the end.
bool CsvReader::next_line() {
  for (;;) {
    in_.getline(buffer_.get(), block);
    const auto got = static_cast<std::size_t>(in_.gcount());
    if (got == 0 && in_.eof() && !in_.bad()) return false;
    ++line_;
    if (in_.bad()) refuse("reading failed");
    if (!in_.fail() && !in_.eof()) buffer_[got - 1] = '\n';  // which getline takes out
    if (line_ == 1 && detail::is_binary_table({buffer_.get(), got})) return read_binary(got), true;
    if (in_.fail())
      refuse("the line is longer than " + std::to_string(block) + " bytes: this is not a table");
    bytes_ += got;
    text_ = std::string_view(buffer_.get(), in_.eof() ? got : got - 1);
    if (text_.ends_with('\r')) text_.remove_suffix(1);
    if (line_ == 1 && (text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff")))
      refuse("the text is UTF-16; save it as UTF-8");
    if (line_ == 1 && text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
    const bool comment = text_.starts_with('#');
    if (!comment && text_.find_first_not_of(space_) != std::string_view::npos) return true;
    if (comment) require_text();
    comment_seen_ = comment_seen_ || comment;
  }
}

/// The whole stream, of whose first line so many bytes were taken.
void CsvReader::read_binary(std::size_t got) {
  std::string bytes(buffer_.get(), got);
  if (!in_.eof()) in_.clear();
  while (in_ && bytes.size() <= detail::most_table_bytes) {
    in_.read(buffer_.get(), block);
    bytes.append(buffer_.get(), static_cast<std::size_t>(in_.gcount()));
  }
  bytes_ = bytes.size();
  table_ = std::make_shared<const detail::BinaryTable>(
      detail::read_binary_table(std::move(bytes), file_));
  names_ = table_->names;
}

bool CsvReader::next_of_table(std::span<double> row) {
  if (row_ == table_->rows()) return false;
  const auto numbers = std::span(table_->numbers).subspan(row_++ * names_.size(), names_.size());
  row_line_ = line_ = static_cast<int>(row_);
  for (std::size_t i = 0; i < row.size(); ++i)
    if (!std::isfinite(numbers[i]))
      throw CsvError({file_, line_, 0},
                     quoted("column", names_[i]) +
                         (std::isnan(numbers[i]) ? " is not a number" : " is infinite"));
  std::ranges::copy(numbers, row.begin());
  return true;
}

const std::string& CsvReader::remark() const {
  static const std::string none;
  return table_ ? table_->remark : none;
}

/// Reads "a ""quoted"" name" and returns where the cell ends.
std::size_t CsvReader::read_quoted(std::size_t at, std::string& name) const {
  const std::size_t opening = at++;
  for (; at < text_.size() && (text_[at] != '"' || text_.substr(at + 1).starts_with('"')); ++at) {
    if (text_[at] == '"') ++at;
    name += text_[at];
  }
  if (at >= text_.size()) refuse("a quoted name is not closed", opening);
  const std::string_view behind = cell_at(++at);
  if (!detail::trimmed(behind, space_).empty())
    refuse(quoted("text follows the quoted name", name), at);
  return at + behind.size();
}

void CsvReader::read_header() {
  if (!next_line())
    throw CsvError({file_, 0, 0},
                   "the table is empty; a header line with a name for each column is needed");
  if (table_) return;
  const auto control =
      std::ranges::find_if(text_, [](char c) { return is_control(c) && c != '\t'; });
  if (control != text_.end())
    refuse(*control == '\r' ? "a carriage return inside the line; lines must end in LF or CRLF"
                            : "a control character in the header: this is not a text file",
           static_cast<std::size_t>(control - text_.begin()));

  // the first delimiter that is not inside quotes is the one
  bool inside = false;
  const auto found = std::ranges::find_if(text_, [&](char c) {
    if (c == '"') inside = !inside;
    return !inside && (c == ',' || c == ';' || c == '\t');
  });
  if (found != text_.end()) delimiter_ = *found;
  space_ = delimiter_ == '\t' ? " " : " \t";

  bool all_numbers = true;
  std::unordered_map<std::string, std::size_t> columns;
  for (std::size_t at = 0; at <= text_.size(); ++at) {
    at = std::min(text_.find_first_not_of(space_, at), text_.size());
    const std::size_t start = at;
    std::string name;
    if (at < text_.size() && text_[at] == '"') {
      at = read_quoted(at, name);
      all_numbers = false;
    } else {
      const std::string_view cell = cell_at(at);
      at += cell.size();
      name = detail::trimmed(cell, space_);
      all_numbers = all_numbers && parse_number(name);
    }
    const std::string number = std::to_string(names_.size() + 1);
    if (name.empty()) refuse("column " + number + " has no name", start);
    const auto [twin, is_new] = columns.emplace(name, names_.size() + 1);
    // two equal numbers are no names, which is reported below
    if (!is_new && !all_numbers)
      refuse("columns " + std::to_string(twin->second) + " and " + number +
                 quoted(" are both called", name),
             start);
    names_.push_back(std::move(name));
  }
  if (all_numbers)
    refuse(std::string("the first line holds numbers; a header line with a name for each column is "
                       "needed, such as t,q1,q2") +
           (comment_seen_ ? " (a line that begins with '#' is a comment, not a header)" : ""));
}

std::string_view CsvReader::cell_at(std::size_t from) const {
  return text_.substr(from, std::min(text_.find(delimiter_, from), text_.size()) - from);
}

CsvReader::CsvReader(std::istream& in, std::string file)
    : in_(in), file_(std::move(file)), buffer_(std::make_unique_for_overwrite<char[]>(block)) {
  if (!in)
    throw CsvError({file_, 0, 0}, "the file cannot be read; check the path and the permissions");
  read_header();
}

bool CsvReader::next(std::span<double> row) {
  if (row.size() != names_.size())
    throw std::invalid_argument("row has room for " + counted(row.size(), "number") +
                                ", the table has " + counted(names_.size(), "column"));
  if (table_) return next_of_table(row);
  if (!next_line()) return false;
  row_line_ = line_;
  require_text();
  const auto cells = static_cast<std::size_t>(std::ranges::count(text_, delimiter_)) + 1;
  if (cells != row.size())
    refuse(counted(cells, "cell") + ", the header has " + counted(row.size(), "column"));
  std::size_t at = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string_view cell = cell_at(at), bare = detail::trimmed(cell, space_);
    const auto number = parse_number(bare);
    if (!number)
      refuse(quoted("column", names_[i]) + ":" + (bare.empty() ? " the cell" : quoted("", bare)) +
                 " " + std::string(number_defect(bare)),
             bare.empty() ? at : static_cast<std::size_t>(bare.data() - text_.data()));
    row[i] = *number;
    at += cell.size() + 1;
  }
  return true;
}

CsvWriter::CsvWriter(std::ostream& out, std::span<const std::string> names)
    : out_(out), names_(names.begin(), names.end()) {
  if (names.empty()) throw std::invalid_argument("a table needs at least one column");
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names_) {
    if (name.empty())
      throw std::invalid_argument("column " + std::to_string(seen.size() + 1) + " has no name");
    if (std::ranges::any_of(name, is_control))
      throw std::invalid_argument(quoted("column", name) + ": the name has a control character");
    if (!seen.insert(name).second)
      throw std::invalid_argument(quoted("two columns are called", name));
    buffer_ += header_cell(name) + ",";
  }
  buffer_.back() = '\n';
}

CsvWriter::~CsvWriter() {
  try {
    flush();
  } catch (...) {  // flush reports it
  }
}

void CsvWriter::write(std::span<const double> row) {
  if (row.size() != names_.size())
    throw std::invalid_argument("row has " + counted(row.size(), "number") + ", the table has " +
                                counted(names_.size(), "column"));
  for (std::size_t i = 0; i < row.size(); ++i)
    if (!std::isfinite(row[i]))
      throw std::invalid_argument(quoted("column", names_[i]) + ": " +
                                  (std::isnan(row[i]) ? "not a number" : "an infinite number") +
                                  " cannot be written");
  char text[32];
  for (const double x : row)
    buffer_.append(text, std::to_chars(text, std::end(text), x).ptr).push_back(',');
  buffer_.back() = '\n';
  if (buffer_.size() >= block) empty_buffer();
}

void CsvWriter::empty_buffer() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  if (!out_) throw std::runtime_error("the table cannot be written: the stream failed");
}

void CsvWriter::flush() {
  empty_buffer();
  if (!out_.flush()) throw std::runtime_error("the table cannot be written: the stream failed");
}

TrajectoryColumns trajectory_columns(const Model& model, std::span<const std::string> names,
                                     const std::string& file) {
  TrajectoryColumns found;
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (names[c] != "t" && names[c] != "time") continue;
    if (found.t >= 0)
      throw CsvError({file, 0, 0}, quoted("columns", names[static_cast<std::size_t>(found.t)]) +
                                       quoted(" and", names[c]) + " both give the time");
    found.t = static_cast<int>(c);
  }
  const auto find = [&](const char* quantity, const char* other) {
    return ColumnFinder(model, quantity, other, file).find(names);
  };
  found.q = find("q", "q"), found.qd = find("qd", "dq"), found.qdd = find("qdd", "ddq");
  found.tau = find("tau", "tau");
  return found;
}

std::vector<int> current_columns(const Model& model, std::span<const std::string> names,
                                 const std::string& file) {
  return ColumnFinder(model, "i", "current", file).find(names);
}

std::vector<std::string> trajectory_names(const Model& model, std::string_view quantity) {
  if (quantity != "q" && quantity != "qd" && quantity != "qdd" && quantity != "tau")
    throw std::invalid_argument("quantity '" + std::string(quantity) +
                                "' is none of q, qd, qdd, tau");
  std::vector<std::string> names = coordinates_of(model, quantity);
  for (std::string& name : names) name = std::string(quantity) + "_" + name;
  return names;
}

}  // namespace ulna
