#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "ulna/io/csv.hpp"

/// Tables of numbers in binary files: arrays of NumPy and HDF5, and joint states in bags of ROS.
namespace ulna::detail {

/// Rows of numbers, one after the other, under their names.
struct BinaryTable {
  std::vector<std::string> names;
  std::vector<double> numbers;
  std::string remark;  ///< what of the file is used, if that is a choice

  std::size_t rows() const { return names.empty() ? 0 : numbers.size() / names.size(); }
};

/// Whether a file that begins so is one of these.
bool is_binary_table(std::string_view head);

/// All of such a file. Throws CsvError.
BinaryTable read_binary_table(std::string bytes, const std::string& file);

/// What a file unpacks to at most.
inline constexpr std::size_t most_table_bytes = std::size_t{1} << 30;
inline constexpr std::size_t most_table_numbers = 100'000'000;

/// Why a binary file cannot be read.
struct BadBytes : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Takes bytes one after the other; throws BadBytes where there are no more.
class Bytes {
 public:
  explicit Bytes(std::string_view all) : rest_(all), size_(all.size()) {}

  std::string_view take(std::uint64_t n) {
    if (n > rest_.size()) throw BadBytes("it is cut off");
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }
  /// A number as the processor has it: little-endian.
  template <class T>
  T number() {
    T x;
    std::memcpy(&x, take(sizeof x).data(), sizeof x);
    return x;
  }
  /// A text behind its length.
  std::string_view text() { return take(number<std::uint32_t>()); }
  std::string_view rest() const { return rest_; }
  std::size_t at() const { return size_ - rest_.size(); }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  std::size_t size_;
};

// --- compression: each throws BadBytes, also if ulna is built without the library ---

std::string inflate_raw(std::string_view packed, std::size_t size);
std::string unpack_zstd(std::string_view packed, std::size_t most);
std::string unpack_lz4(std::string_view packed, std::size_t most);
std::string unpack_bzip2(std::string_view packed, std::size_t most);

/// Arrays by name become columns: those of one dimension under their name, those of two as q1, q2, ...
class ArrayTable {
 public:
  /// Rows are samples unless only the columns are as many.
  void add(std::string name, std::size_t rows, std::size_t columns, std::vector<double> row_major);
  /// Names of joints, which stand behind those of arrays: q_<joint>.
  void set_joints(std::vector<std::string> joints) { joints_ = std::move(joints); }
  BinaryTable table() const;

 private:
  struct Array {
    std::string name;
    std::size_t rows, columns;
    std::vector<double> numbers;
  };
  std::vector<Array> arrays_;
  std::vector<std::string> joints_;
  std::size_t numbers_ = 0;
};

BinaryTable read_npy(std::string_view bytes);
BinaryTable read_npz(std::string_view bytes);
BinaryTable read_hdf5(const std::string& bytes);
BinaryTable read_ros1_bag(std::string_view bytes);
BinaryTable read_mcap(std::string_view bytes);
BinaryTable read_ros2_sqlite(std::string& bytes);

}  // namespace ulna::detail
