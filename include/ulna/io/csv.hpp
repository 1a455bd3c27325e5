#pragma once

#include <istream>
#include <memory>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ulna/model/diagnostic.hpp"
#include "ulna/model/model.hpp"

/// Tables of numbers as CSV, read and written row by row in constant memory: logs of hours pass
/// through without being held.
namespace ulna {

namespace detail {
struct BinaryTable;
}

/// What is wrong with a table and where: "log.csv:7:3: ...".
class CsvError : public std::runtime_error {
 public:
  CsvError(Source where, const std::string& what);
  const Source& where() const { return where_; }

 private:
  Source where_;
};

/// Reads a header line of names and rows of finite numbers, each as parse_number takes them.
/// Accepts commas, semicolons or tabs (the first in the header decides), CRLF, a byte order mark,
/// quoted names, blank lines and lines that begin with '#'. A line has at most 1 MiB.
///
/// A stream that holds arrays of NumPy (.npz, .npy) or HDF5, or a bag of ROS (.bag, .mcap, .db3) with joint states, is read as
/// the table that docs/formats.md says it is: as a whole, up to 1 GiB. Its lines are its rows, counted from 1.
class CsvReader {
 public:
  /// Reads the header. The stream must outlive the reader. `file` is used in messages.
  CsvReader(std::istream& in, std::string file);
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  const std::vector<std::string>& names() const { return names_; }
  /// The next row, one number per column, or false at the end. Throws CsvError.
  bool next(std::span<double> row);
  /// The line the last row was read from.
  int line() const { return row_line_; }
  /// Bytes of the stream that the header and the rows so far have used up, for progress.
  std::size_t bytes() const { return bytes_; }
  /// Whether it is no text.
  bool is_binary() const { return table_ != nullptr; }
  /// What of a binary file is used, if that is a choice; else "".
  const std::string& remark() const;

 private:
  bool next_line();
  void read_binary(std::size_t got);
  bool next_of_table(std::span<double> row);
  void read_header();
  std::size_t read_quoted(std::size_t at, std::string& name) const;
  std::string_view cell_at(std::size_t from) const;
  static constexpr std::size_t whole_line = std::string::npos;
  [[noreturn]] void refuse(const std::string& what, std::size_t byte = whole_line) const;
  void require_text() const;

  std::istream& in_;
  std::string file_;
  std::unique_ptr<char[]> buffer_;
  std::size_t bytes_ = 0;
  std::string_view text_;  ///< the present line, without its end
  int line_ = 0;           ///< its number
  int row_line_ = 0;       ///< that of the last row
  bool comment_seen_ = false;
  char delimiter_ = ',';
  std::string_view space_ = " \t";  ///< what may stand around a cell
  std::vector<std::string> names_;
  std::shared_ptr<const detail::BinaryTable> table_;  ///< of a binary file
  std::size_t row_ = 0;                               ///< that of the table which is next
};

/// Writes what CsvReader reads back as the same names and the same numbers, to the last bit.
class CsvWriter {
 public:
  /// The stream must outlive the writer. Throws std::invalid_argument if a name is empty, stands
  /// twice or has control characters.
  CsvWriter(std::ostream& out, std::span<const std::string> names);
  ~CsvWriter();  ///< writes what is left, and is silent if that fails
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;
  /// Throws std::invalid_argument, and writes nothing of the row, if the count is wrong or a number
  /// is not finite; std::runtime_error if the stream fails.
  void write(std::span<const double> row);
  void flush();  ///< throws std::runtime_error if the stream fails

 private:
  void empty_buffer();

  std::ostream& out_;
  std::vector<std::string> names_;
  std::string buffer_;
};

/// Which columns of a table hold a robot's time, positions, velocities, accelerations and torques.
/// A column is found by name, `q_<coordinate>`, or by position, `q1` .. `qn` or `q_1` .. `q_n`;
/// likewise qd (or dq), qdd (or ddq) and tau. Each is as long as the model has coordinates, or empty
/// if the table lacks the quantity.
struct TrajectoryColumns {
  int t = -1;  ///< `t` or `time`; -1 if there is none
  std::vector<int> q, qd, qdd, tau;
};

/// Throws CsvError if a quantity is given only in part, twice, or by a name the robot does not have
/// (with advice). Columns that mean nothing to the robot are left alone, and so are those of its
/// fixed joints, and q, qd and qdd of joints that mimic others: they follow. The torque of such a
/// joint is refused, because it acts on the robot by way of the joint it mimics.
TrajectoryColumns trajectory_columns(const Model& model, std::span<const std::string> names,
                                     const std::string& file);

/// The columns of the motors' currents, `i_<coordinate>`, `i1`, `current_<coordinate>` or `current1`,
/// found in the same way; empty if there are none.
std::vector<int> current_columns(const Model& model, std::span<const std::string> names,
                                 const std::string& file);

/// q_<coordinate>, ... in the order of the model. The quantity is q, qd, qdd or tau.
std::vector<std::string> trajectory_names(const Model& model, std::string_view quantity);

}  // namespace ulna
