#include "ulna/io/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "ulna/io/number.hpp"

namespace ulna {

CsvError::CsvError(Source where, const std::string& what)
    : std::runtime_error(where.str() + ": " + what), where_(std::move(where)) {}

namespace {

/// Both the block that is read at once and the longest line that is taken for a line.
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

std::string_view trimmed(std::string_view s, std::string_view space) {
  const auto first = s.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(space) - first + 1);
}

/// Where a byte stands, counted in characters from 1: the bytes that continue a character of UTF-8
/// are not counted.
int character_column(std::string_view line, std::size_t byte) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  return 1 + static_cast<int>(std::count_if(
                 line.begin(), line.begin() + static_cast<std::ptrdiff_t>(byte), begins));
}

}  // namespace

// --- reading ---

struct CsvReader::State {
  State(std::istream& stream, std::string name) : in(stream), file(std::move(name)) {}

  bool next_line();
  bool next_content();
  void read_header();
  bool read_row(double* row);

  std::istream& in;
  std::string file;
  std::unique_ptr<char[]> buffer = std::make_unique_for_overwrite<char[]>(block);
  std::size_t begin = 0, end = 0;  ///< what is read and not used yet
  std::size_t bytes = 0;
  bool ended = false;

  std::string_view text;  ///< the present line, without its end
  int line = 0;           ///< its number
  int row_line = 0;       ///< that of the last row
  bool comment_seen = false;
  char delimiter = ',';
  std::string_view space = " \t";  ///< what may stand around a cell
  std::vector<std::string> names;

 private:
  void refill();
  void pass_byte_order_mark();
  [[noreturn]] void refuse(int column, const std::string& what) const {
    throw CsvError({file, line, column}, what);
  }
  [[noreturn]] void refuse_row() const;
  std::string_view cell_at(std::size_t from) const;
  std::size_t quoted_name(std::size_t at, std::string& name) const;
};

void CsvReader::State::refill() {
  std::memmove(buffer.get(), buffer.get() + begin, end - begin);
  end -= begin, begin = 0;
  if (end == block)
    throw CsvError({file, line + 1, 0}, "the line is longer than " + std::to_string(block) +
                                            " bytes: this is not a table");
  in.read(buffer.get() + end, static_cast<std::streamsize>(block - end));
  if (in.bad()) throw CsvError({file, line + 1, 0}, "reading failed");
  const auto got = static_cast<std::size_t>(in.gcount());
  end += got, bytes += got;
  ended = got == 0;
}

/// The next line of any kind into `text`; false at the end.
bool CsvReader::State::next_line() {
  std::size_t searched = 0;
  for (;;) {
    const char* from = buffer.get() + begin + searched;
    const std::size_t left = end - begin - searched;
    const auto* stop = left ? static_cast<const char*>(std::memchr(from, '\n', left)) : nullptr;
    if (stop || (ended && end > begin)) {
      const char* first = buffer.get() + begin;
      const char* last = stop ? stop : buffer.get() + end;
      begin = stop ? static_cast<std::size_t>(stop + 1 - buffer.get()) : end;
      text = std::string_view(first, static_cast<std::size_t>(last - first));
      if (text.ends_with('\r')) text.remove_suffix(1);
      if (++line == 1) pass_byte_order_mark();
      return true;
    }
    if (ended) return false;
    searched = end - begin;
    refill();
  }
}

void CsvReader::State::pass_byte_order_mark() {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    refuse(0, "the text is UTF-16; save it as UTF-8");
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
}

/// The next line that is neither blank nor a comment.
bool CsvReader::State::next_content() {
  while (next_line()) {
    if (text.starts_with('#')) {
      if (const auto nul = text.find('\0'); nul != std::string_view::npos)
        refuse(character_column(text, nul), "a byte that is zero: this is not a text file");
      comment_seen = true;
    } else if (text.find_first_not_of(space) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

/// Reads "a ""quoted"" name" and returns where it ends.
std::size_t CsvReader::State::quoted_name(std::size_t at, std::string& name) const {
  const std::size_t opening = at++;
  for (; at < text.size(); ++at) {
    if (text[at] != '"')
      name += text[at];
    else if (at + 1 < text.size() && text[at + 1] == '"')
      name += text[++at];
    else
      return at + 1;
  }
  refuse(character_column(text, opening), "a quoted name is not closed");
}

void CsvReader::State::read_header() {
  if (!next_content())
    throw CsvError({file, 0, 0},
                   "the table is empty; a header line with a name for each column is needed");
  const auto control =
      std::find_if(text.begin(), text.end(), [](char c) { return is_control(c) && c != '\t'; });
  if (control != text.end())
    refuse(character_column(text, static_cast<std::size_t>(control - text.begin())),
           *control == '\r' ? "a carriage return inside the line; lines must end in LF or CRLF"
                            : "a control character in the header: this is not a text file");

  // the first delimiter that is not inside quotes is the one
  bool inside = false;
  const auto found = std::find_if(text.begin(), text.end(), [&](char c) {
    if (c == '"') inside = !inside;
    return !inside && (c == ',' || c == ';' || c == '\t');
  });
  if (found != text.end()) delimiter = *found;
  space = delimiter == '\t' ? " " : " \t";

  bool all_numbers = true;
  std::unordered_map<std::string, std::size_t> columns;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    while (at < text.size() && space.find(text[at]) != std::string_view::npos) ++at;
    const std::size_t start = at;
    std::string name;
    if (at < text.size() && text[at] == '"') {
      at = quoted_name(at, name);
      const std::size_t stop = std::min(text.find(delimiter, at), text.size());
      if (!trimmed(text.substr(at, stop - at), space).empty())
        refuse(character_column(text, at),
               "something stands behind the quoted name " + shown(name));
      at = stop;
      all_numbers = false;
    } else {
      at = std::min(text.find(delimiter, at), text.size());
      name = trimmed(text.substr(start, at - start), space);
      all_numbers = all_numbers && parse_number(name);
    }
    if (name.empty())
      refuse(character_column(text, start),
             "column " + std::to_string(names.size() + 1) + " has no name");
    const auto [twin, is_new] = columns.emplace(name, names.size() + 1);
    // two equal numbers are no names: let that be the complaint
    if (!is_new && !all_numbers)
      refuse(character_column(text, start), "columns " + std::to_string(twin->second) + " and " +
                                                std::to_string(names.size() + 1) +
                                                " are both called " + shown(name));
    names.push_back(std::move(name));
  }
  if (all_numbers)
    refuse(0,
           std::string("the first line holds numbers; a header line with a name for each column is "
                       "needed, such as t,q1,q2") +
               (comment_seen ? " (a line that begins with '#' is a comment, not a header)" : ""));
}

std::string_view CsvReader::State::cell_at(std::size_t from) const {
  return text.substr(from, std::min(text.find(delimiter, from), text.size()) - from);
}

/// Says what is wrong with the present line, which is known to be wrong.
void CsvReader::State::refuse_row() const {
  const auto cells = static_cast<std::size_t>(std::count(text.begin(), text.end(), delimiter)) + 1;
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    refuse(character_column(text, nul), "a byte that is zero: this is not a text file");
  if (cells != names.size())
    refuse(0, counted(cells, "cell") + ", the header has " + counted(names.size(), "column"));
  std::size_t at = 0;
  for (const std::string& name : names) {
    const std::string_view cell = cell_at(at);
    if (!parse_number(cell)) {
      const std::string_view bare = trimmed(cell, space);
      const std::size_t start =
          bare.empty() ? at : static_cast<std::size_t>(bare.data() - text.data());
      refuse(character_column(text, start), "column " + shown(name) + ": " +
                                                (bare.empty() ? "the cell" : shown(bare)) + " " +
                                                std::string(number_defect(cell)));
    }
    at += cell.size() + 1;
  }
  refuse(0, "the line cannot be read");
}

bool CsvReader::State::read_row(double* row) {
  if (!next_content()) return false;
  row_line = line;
  const char* at = text.data();
  const char* const stop = at + text.size();
  const char tab_too = delimiter == '\t' ? ' ' : '\t';
  const auto skip_space = [&] {
    while (at != stop && (*at == ' ' || *at == tab_too)) ++at;
  };
  const std::size_t last = names.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    if (i) ++at;  // past the delimiter
    skip_space();
    const char* const start = at;
    const auto [after, error] = std::from_chars(at, stop, row[i]);
    at = after;
    skip_space();
    const bool ends_well = i == last ? at == stop : at != stop && *at == delimiter;
    if (error != std::errc() || !ends_well || !std::isfinite(row[i])) {
      // whatever is unusual about the cell is for parse_number to judge
      const std::string_view cell = cell_at(static_cast<std::size_t>(start - text.data()));
      const auto number = parse_number(cell);
      at = start + cell.size();
      if (!number || (at == stop) != (i == last)) refuse_row();
      row[i] = *number;
    }
  }
  return true;
}

CsvReader::CsvReader(std::istream& in, std::string file)
    : state_(std::make_unique<State>(in, std::move(file))) {
  if (!in)
    throw CsvError({state_->file, 0, 0},
                   "the file cannot be read; check the path and the permissions");
  state_->read_header();
}
CsvReader::~CsvReader() = default;

const std::vector<std::string>& CsvReader::names() const { return state_->names; }
int CsvReader::line() const { return state_->row_line; }
std::size_t CsvReader::bytes() const { return state_->bytes - (state_->end - state_->begin); }

bool CsvReader::next(std::span<double> row) {
  if (row.size() != state_->names.size())
    throw std::invalid_argument("row has room for " + counted(row.size(), "number") +
                                ", the table has " + counted(state_->names.size(), "column"));
  return state_->read_row(row.data());
}

// --- writing ---

struct CsvWriter::State {
  State(std::ostream& stream, std::span<const std::string> header)
      : out(stream), names(header.begin(), header.end()), buffer(block) {}

  /// -2.2250738585072014e-308 and the delimiter behind it
  static constexpr std::size_t longest_number = 25;

  void make_room(std::size_t wanted) {
    if (buffer.size() - used >= wanted) return;
    hand_over();
    if (buffer.size() < wanted) buffer.resize(wanted);
  }
  void append(std::string_view s) {
    make_room(s.size());
    std::memcpy(buffer.data() + used, s.data(), s.size());
    used += s.size();
  }
  void hand_over() {
    out.write(buffer.data(), static_cast<std::streamsize>(used));
    used = 0;
    if (!out) throw std::runtime_error("the table cannot be written: the stream failed");
  }

  std::ostream& out;
  std::vector<std::string> names;
  std::vector<char> buffer;
  std::size_t used = 0;
};

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
    : state_(std::make_unique<State>(out, names)) {
  if (names.empty()) throw std::invalid_argument("a table needs at least one column");
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    if (name.empty())
      throw std::invalid_argument("column " + std::to_string(i + 1) + " has no name");
    if (std::any_of(name.begin(), name.end(), is_control))
      throw std::invalid_argument("column " + shown(name) + ": the name has a control character");
    if (!seen.insert(name).second)
      throw std::invalid_argument("two columns are called " + shown(name));
    if (i) state_->append(",");
    state_->append(header_cell(name));
  }
  state_->append("\n");
}

CsvWriter::~CsvWriter() {
  try {
    flush();
  } catch (...) {  // who wants to know calls flush
  }
}

void CsvWriter::write(std::span<const double> row) {
  State& s = *state_;
  if (row.size() != s.names.size())
    throw std::invalid_argument("row has " + counted(row.size(), "number") + ", the table has " +
                                counted(s.names.size(), "column"));
  for (std::size_t i = 0; i < row.size(); ++i)
    if (!std::isfinite(row[i]))
      throw std::invalid_argument("column " + shown(s.names[i]) + ": " +
                                  (std::isnan(row[i]) ? "not a number" : "an infinite number") +
                                  " cannot be written");
  s.make_room(row.size() * State::longest_number);
  char* at = s.buffer.data() + s.used;
  for (const double x : row) {
    at = std::to_chars(at, at + State::longest_number, x).ptr;
    *at++ = ',';
  }
  at[-1] = '\n';
  s.used = static_cast<std::size_t>(at - s.buffer.data());
}

void CsvWriter::flush() {
  state_->hand_over();
  if (!state_->out.flush())
    throw std::runtime_error("the table cannot be written: the stream failed");
}

// --- the columns of a robot ---

namespace {

/// What a column's name says, if it speaks of a quantity of the robot at all.
struct Spoken {
  bool by_position = false;
  std::string_view rest;  ///< the coordinate's name, or its number
};

bool is_count(std::string_view s) {
  return !s.empty() && s.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<Spoken> spoken(std::string_view column, std::string_view quantity) {
  if (!column.starts_with(quantity)) return {};
  column.remove_prefix(quantity.size());
  if (column.starts_with('_')) return Spoken{false, column.substr(1)};
  if (is_count(column)) return Spoken{true, column};
  return {};
}

/// What else loggers call a quantity.
std::string_view other_name(std::string_view quantity) {
  if (quantity == "qd") return "dq";
  if (quantity == "qdd") return "ddq";
  if (quantity == "i") return "current";
  return {};
}

/// Finds the columns of one quantity.
class Finder {
 public:
  Finder(const Model& model, std::string_view quantity, std::vector<std::string> coordinates,
         const std::string& file)
      : model_(model),
        quantity_(quantity),
        coordinates_(std::move(coordinates)),
        file_(file),
        column_(coordinates_.size(), -1) {
    for (std::size_t i = 0; i < coordinates_.size(); ++i) index_.emplace(coordinates_[i], i);
  }

  void look_at(int column, const std::string& name) {
    auto said = spoken(name, quantity_);
    const std::string_view other = other_name(quantity_);
    if (!said && !other.empty()) said = spoken(name, other);
    if (!said) return;
    // q_1 counts, unless a coordinate is called 1
    if (is_count(said->rest) && !index_.contains(said->rest)) said->by_position = true;
    const auto i = said->by_position ? by_position(name, said->rest) : by_name(name, said->rest);
    if (!i) return;
    std::string& first = said->by_position ? first_position_ : first_name_;
    // named in both ways: columns() will say so
    if (!(said->by_position ? first_name_ : first_position_).empty()) {
      if (first.empty()) first = name;
      return;
    }
    if (!first.empty() && column_[*i] >= 0) refuse("column " + shown(name) + " stands twice");
    if (first.empty()) first = name;
    column_[*i] = column;
  }

  std::vector<int> columns() const {
    if (first_name_.empty() && first_position_.empty()) return {};
    if (!first_name_.empty() && !first_position_.empty())
      refuse("columns " + shown(first_name_) + " and " + shown(first_position_) + " both give " +
             std::string(quantity_) + "; name its columns in one way");
    std::string missing;
    std::size_t count = 0;
    for (std::size_t i = 0; i < column_.size(); ++i) {
      if (column_[i] >= 0) continue;
      if (++count > 5) continue;
      const std::string wanted =
          std::string(quantity_) +
          (first_name_.empty() ? std::to_string(i + 1) : "_" + coordinates_[i]);
      missing += (count > 1 ? ", '" : "'") + wanted + "'";
    }
    if (count)
      refuse(std::string(quantity_) + " is given in part: " + std::to_string(count) + " of " +
             std::to_string(column_.size()) + " columns are missing: " + missing +
             (count > 5 ? ", ..." : ""));
    return column_;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw CsvError({file_, 0, 0}, what); }

  std::optional<std::size_t> by_position(const std::string& name, std::string_view digits) const {
    std::size_t position = 0;
    const auto error = std::from_chars(digits.data(), digits.data() + digits.size(), position).ec;
    if (error != std::errc() || digits[0] == '0' || position > column_.size())
      refuse("column " + shown(name) + ": robot '" + model_.name() + "' has " +
             counted(column_.size(), "coordinate") +
             (column_.empty() ? ""
                              : ", counted from " + std::string(quantity_) + "1 to " +
                                    std::string(quantity_) + std::to_string(column_.size())));
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
  std::string_view quantity_;
  std::vector<std::string> coordinates_;
  const std::string& file_;
  std::unordered_map<std::string_view, std::size_t> index_;
  std::vector<int> column_;
  std::string first_name_, first_position_;
};

std::vector<std::string> coordinates_of(const Model& model, std::string_view quantity) {
  return quantity == "q" ? model.configuration_names() : model.velocity_names();
}

std::vector<int> columns_of(const Model& model, std::string_view quantity,
                            std::span<const std::string> names, const std::string& file) {
  Finder finder(model, quantity, coordinates_of(model, quantity), file);
  for (std::size_t c = 0; c < names.size(); ++c) finder.look_at(static_cast<int>(c), names[c]);
  return finder.columns();
}

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
    *columns = columns_of(model, quantity, names, file);
  return found;
}

std::vector<int> current_columns(const Model& model, std::span<const std::string> names,
                                 const std::string& file) {
  return columns_of(model, "i", names, file);
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
