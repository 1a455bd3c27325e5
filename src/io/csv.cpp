#include "ulna/io/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "io/text.hpp"
#include "ulna/io/number.hpp"

namespace ulna {

CsvError::CsvError(Source where, const std::string& what)
    : std::runtime_error(where.str() + ": " + what), where_(std::move(where)) {}

namespace {

/// Both the longest line that is taken for a line, with its end, and what is written at once.
constexpr std::size_t block = std::size_t{1} << 20;

std::string counted(std::size_t n, std::string_view thing) {
  return std::to_string(n) + " " + std::string(thing) + (n == 1 ? "" : "s");
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Something from a file that is fit to be printed: short, and without control characters.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string s(text.substr(0, most));
  std::replace_if(s.begin(), s.end(), is_control, '?');
  return "'" + s + (text.size() > most ? "..." : "") + "'";
}

}  // namespace

// --- reading ---

/// At a byte of the present line. Its column is counted in characters from 1: the bytes that continue
/// a character of UTF-8 are not counted.
void CsvReader::refuse(std::size_t byte, const std::string& what) const {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  const auto before = text_.substr(0, byte);
  const auto column = 1 + std::count_if(before.begin(), before.end(), begins);
  throw CsvError({file_, line_, static_cast<int>(column)}, what);
}

void CsvReader::refuse_line(const std::string& what) const {
  throw CsvError({file_, line_, 0}, what);
}

void CsvReader::require_text() const {
  if (const auto nul = text_.find('\0'); nul != std::string_view::npos)
    refuse(nul, "a byte that is zero: this is not a text file");
}

/// The next line of any kind into `text_`; false at the end.
bool CsvReader::next_line() {
  in_.getline(buffer_.get(), block);
  const auto got = static_cast<std::size_t>(in_.gcount());
  if (got == 0 && in_.eof() && !in_.bad()) return false;
  ++line_;
  if (in_.bad()) refuse_line("reading failed");
  if (in_.fail())
    refuse_line("the line is longer than " + std::to_string(block) + " bytes: this is not a table");
  bytes_ += got;
  text_ = std::string_view(buffer_.get(), in_.eof() ? got : got - 1);
  if (text_.ends_with('\r')) text_.remove_suffix(1);
  if (line_ > 1) return true;
  if (text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff"))
    refuse_line("the text is UTF-16; save it as UTF-8");
  if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  return true;
}

/// The next line that is neither blank nor a comment.
bool CsvReader::next_content() {
  while (next_line()) {
    if (text_.starts_with('#')) {
      require_text();
      comment_seen_ = true;
    } else if (text_.find_first_not_of(space_) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

/// Reads "a ""quoted"" name" and returns where the cell ends.
std::size_t CsvReader::read_quoted(std::size_t at, std::string& name) const {
  const std::size_t opening = at++;
  for (; at < text_.size() && (text_[at] != '"' || text_.substr(at + 1).starts_with('"')); ++at) {
    if (text_[at] == '"') ++at;
    name += text_[at];
  }
  if (at >= text_.size()) refuse(opening, "a quoted name is not closed");
  const std::string_view behind = cell_at(++at);
  if (!detail::trimmed(behind, space_).empty())
    refuse(at, "text follows the quoted name " + shown(name));
  return at + behind.size();
}

void CsvReader::read_header() {
  if (!next_content())
    throw CsvError({file_, 0, 0},
                   "the table is empty; a header line with a name for each column is needed");
  const auto control =
      std::find_if(text_.begin(), text_.end(), [](char c) { return is_control(c) && c != '\t'; });
  if (control != text_.end())
    refuse(static_cast<std::size_t>(control - text_.begin()),
           *control == '\r' ? "a carriage return inside the line; lines must end in LF or CRLF"
                            : "a control character in the header: this is not a text file");

  // the first delimiter that is not inside quotes is the one
  bool inside = false;
  const auto found = std::find_if(text_.begin(), text_.end(), [&](char c) {
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
    if (name.empty()) refuse(start, "column " + number + " has no name");
    const auto [twin, is_new] = columns.emplace(name, names_.size() + 1);
    // two equal numbers are no names, which is reported below
    if (!is_new && !all_numbers)
      refuse(start, "columns " + std::to_string(twin->second) + " and " + number +
                        " are both called " + shown(name));
    names_.push_back(std::move(name));
  }
  if (all_numbers)
    refuse_line(
        std::string("the first line holds numbers; a header line with a name for each column is "
                    "needed, such as t,q1,q2") +
        (comment_seen_ ? " (a line that begins with '#' is a comment, not a header)" : ""));
}

std::string_view CsvReader::cell_at(std::size_t from) const {
  return text_.substr(from, std::min(text_.find(delimiter_, from), text_.size()) - from);
}

void CsvReader::read_row(std::span<double> row) const {
  require_text();
  const auto cells =
      static_cast<std::size_t>(std::count(text_.begin(), text_.end(), delimiter_)) + 1;
  if (cells != row.size())
    refuse_line(counted(cells, "cell") + ", the header has " + counted(row.size(), "column"));
  std::size_t at = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string_view cell = cell_at(at), bare = detail::trimmed(cell, space_);
    const auto number = parse_number(bare);
    if (!number)
      refuse(bare.empty() ? at : static_cast<std::size_t>(bare.data() - text_.data()),
             "column " + shown(names_[i]) + ": " + (bare.empty() ? "the cell" : shown(bare)) + " " +
                 std::string(number_defect(bare)));
    row[i] = *number;
    at += cell.size() + 1;
  }
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
  if (!next_content()) return false;
  row_line_ = line_;
  read_row(row);
  return true;
}

// --- writing ---

namespace {

/// A name as the reader will read it back: quoted unless it is plain.
std::string header_cell(const std::string& name) {
  const auto plain = [](char c) {
    return c > 0x20 && c < 0x7f && std::string_view("\",;#").find(c) == std::string_view::npos;
  };
  if (std::all_of(name.begin(), name.end(), plain) && !parse_number(name)) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace

CsvWriter::CsvWriter(std::ostream& out, std::span<const std::string> names)
    : out_(out), names_(names.begin(), names.end()) {
  if (names.empty()) throw std::invalid_argument("a table needs at least one column");
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names_) {
    if (name.empty())
      throw std::invalid_argument("column " + std::to_string(seen.size() + 1) + " has no name");
    if (std::any_of(name.begin(), name.end(), is_control))
      throw std::invalid_argument("column " + shown(name) + ": the name has a control character");
    if (!seen.insert(name).second)
      throw std::invalid_argument("two columns are called " + shown(name));
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
      throw std::invalid_argument("column " + shown(names_[i]) + ": " +
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

// --- the columns of a robot ---

namespace {

bool is_count(std::string_view s) {
  return !s.empty() && s.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<std::string> coordinates_of(const Model& model, std::string_view quantity) {
  return quantity == "q" ? model.configuration_names() : model.velocity_names();
}

/// Finds the columns of one quantity: q, qd, qdd, tau, or i, the current.
class ColumnFinder {
 public:
  ColumnFinder(const Model& model, std::string_view quantity, const std::string& file)
      : model_(model),
        quantity_(quantity),
        coordinates_(coordinates_of(model, quantity)),
        file_(file),
        columns_(coordinates_.size(), -1) {
    for (std::size_t i = 0; i < coordinates_.size(); ++i) index_.emplace(coordinates_[i], i);
  }

  std::vector<int> find(std::span<const std::string> names) {
    for (std::size_t c = 0; c < names.size(); ++c) look_at(static_cast<int>(c), names[c]);
    if (first_name_.empty() && first_position_.empty()) return {};
    if (!first_name_.empty() && !first_position_.empty())
      refuse("columns " + shown(first_name_) + " and " + shown(first_position_) + " both give " +
             quantity_ + "; name its columns in one way");
    std::string missing;
    int count = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i] < 0 && ++count <= 5)
        missing += (count > 1 ? ", '" : "'") + quantity_ +
                   (first_name_.empty() ? std::to_string(i + 1) : "_" + coordinates_[i]) + "'";
    if (count)
      refuse(quantity_ + " is given in part: " + std::to_string(count) + " of " +
             std::to_string(columns_.size()) + " columns are missing: " + missing +
             (count > 5 ? ", ..." : ""));
    return columns_;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw CsvError({file_, 0, 0}, what); }

  void look_at(int column, const std::string& name) {
    // what else loggers call a quantity
    const std::string other = quantity_ == "qd"    ? "dq"
                              : quantity_ == "qdd" ? "ddq"
                              : quantity_ == "i"   ? "current"
                                                   : quantity_;
    std::string_view rest = name;
    for (const std::string& prefix : {quantity_, other}) {
      if (!name.starts_with(prefix)) continue;
      rest = std::string_view(name).substr(prefix.size());
      if (rest.starts_with('_') || is_count(rest)) break;
      rest = name;
    }
    if (rest.size() == name.size()) return;
    const bool named = rest.starts_with('_');
    if (named) rest.remove_prefix(1);
    // q_1 counts, unless a coordinate is called 1
    const bool is_position = is_count(rest) && !(named && index_.contains(rest));
    const auto i = is_position ? by_position(name, rest) : by_name(name, rest);
    if (!i) return;
    std::string& first = is_position ? first_position_ : first_name_;
    // named in both ways: find() will report it
    const bool mixed = !(is_position ? first_name_ : first_position_).empty();
    if (!mixed && columns_[*i] >= 0) refuse("column " + shown(name) + " occurs twice");
    if (first.empty()) first = name;
    if (!mixed) columns_[*i] = column;
  }

  std::optional<std::size_t> by_position(const std::string& name, std::string_view digits) const {
    std::size_t position = 0;
    const auto error = std::from_chars(digits.data(), digits.data() + digits.size(), position).ec;
    if (error != std::errc() || digits[0] == '0' || position > columns_.size())
      refuse("column " + shown(name) + ": robot '" + model_.name() + "' has " +
             counted(columns_.size(), "coordinate") +
             (columns_.empty() ? ""
                               : ", counted from " + quantity_ + "1 to " + quantity_ +
                                     std::to_string(columns_.size())));
    return position - 1;
  }

  /// The coordinate, or nothing if it needs no column: one that is fixed, or that follows from
  /// another.
  std::optional<std::size_t> by_name(const std::string& name, std::string_view coordinate) const {
    if (const auto found = index_.find(coordinate); found != index_.end()) return found->second;
    if (const auto body = model_.find_joint(coordinate); body && model_.joint(*body).mimics) {
      if (quantity_ != "tau" && quantity_ != "i") return {};
      const std::string master(model_.joint_name(model_.joint(*body).mimics));
      refuse("column " + shown(name) + ": joint '" + std::string(coordinate) + "' mimics '" +
             master + "' and has no torque of its own; give that of '" + master + "'");
    }
    for (const JointDescription& j : model_.description().joints)
      if (j.name == coordinate && j.type == JointType::fixed) return {};
    const std::vector<std::string_view> names(coordinates_.begin(), coordinates_.end());
    refuse("column " + shown(name) + ": robot '" + model_.name() + "' has no coordinate '" +
           std::string(coordinate) + "'" + did_you_mean(coordinate, names));
  }

  const Model& model_;
  std::string quantity_;
  std::vector<std::string> coordinates_;
  const std::string& file_;
  std::unordered_map<std::string_view, std::size_t> index_;
  std::vector<int> columns_;
  std::string first_name_, first_position_;
};

}  // namespace

TrajectoryColumns trajectory_columns(const Model& model, std::span<const std::string> names,
                                     const std::string& file) {
  TrajectoryColumns found;
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (names[c] != "t" && names[c] != "time") continue;
    if (found.t >= 0)
      throw CsvError({file, 0, 0}, "columns " + shown(names[static_cast<std::size_t>(found.t)]) +
                                       " and " + shown(names[c]) + " both give the time");
    found.t = static_cast<int>(c);
  }
  for (const auto& [quantity, columns] :
       {std::pair{"q", &found.q}, {"qd", &found.qd}, {"qdd", &found.qdd}, {"tau", &found.tau}})
    *columns = ColumnFinder(model, quantity, file).find(names);
  return found;
}

std::vector<int> current_columns(const Model& model, std::span<const std::string> names,
                                 const std::string& file) {
  return ColumnFinder(model, "i", file).find(names);
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
