#include "io/binary_table.hpp"

#include <algorithm>

namespace ulna::detail {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY", zip_magic = "PK\x03\x04",
                           hdf5_magic = "\x89HDF\r\n", sqlite_magic{"SQLite format 3\0", 16},
                           mcap_magic = "\x89MCAP0\r\n", bag_magic = "#ROSBAG V2.0\n",
                           zstd_magic = "\x28\xb5\x2f\xfd";

}  // namespace

bool is_binary_table(std::string_view head) {
  for (const std::string_view magic :
       {npy_magic, zip_magic, hdf5_magic, sqlite_magic, mcap_magic, bag_magic, zstd_magic})
    if (head.starts_with(magic)) return true;
  return false;
}

BinaryTable read_binary_table(std::string bytes, const std::string& file) try {
  if (bytes.size() > most_table_bytes) throw BadBytes("it is larger than 1 GiB");
  if (bytes.starts_with(zstd_magic)) bytes = unpack_zstd(bytes, most_table_bytes);
  BinaryTable table = bytes.starts_with(npy_magic)      ? read_npy(bytes)
                      : bytes.starts_with(zip_magic)    ? read_npz(bytes)
                      : bytes.starts_with(hdf5_magic)   ? read_hdf5(bytes)
                      : bytes.starts_with(sqlite_magic) ? read_ros2_sqlite(bytes)
                      : bytes.starts_with(mcap_magic)   ? read_mcap(bytes)
                      : bytes.starts_with(bag_magic)
                          ? read_ros1_bag(bytes)
                          : throw BadBytes("what is packed in it is no table");
  if (table.names.empty()) throw BadBytes("there is no column in it");
  for (const std::string& name : table.names)
    if (std::ranges::count(table.names, name) > 1)
      throw BadBytes("column '" + name + "' occurs twice");
  return table;
} catch (const BadBytes& e) {
  throw CsvError({file, 0, 0}, e.what());
} catch (const std::bad_alloc&) {
  throw CsvError({file, 0, 0}, "there is not enough memory for what it says that it has");
}

void ArrayTable::add(std::string name, std::size_t rows, std::size_t columns,
                     std::vector<double> row_major) {
  if ((numbers_ += row_major.size()) > most_table_numbers)
    throw BadBytes("it has more than 100000000 numbers");
  arrays_.push_back({std::move(name), rows, columns, std::move(row_major)});
}

BinaryTable ArrayTable::table() const {
  // time says how many samples there are, or else most arrays do
  std::size_t samples = 0;
  for (const Array& a : arrays_)
    if ((a.name == "t" || a.name == "time") || (samples == 0 && a.columns == 1))
      samples = a.rows * a.columns;
  if (samples == 0 && !arrays_.empty()) samples = std::max(arrays_[0].rows, arrays_[0].columns);
  BinaryTable made;
  struct Column {
    const double* first;
    std::size_t step;
  };
  std::vector<Column> columns;
  for (const Array& a : arrays_) {
    const bool upright = a.rows == samples;
    if (!upright && a.columns != samples) {
      made.remark += (made.remark.empty() ? "'" : ", '") + a.name + "'";
      continue;
    }
    const std::size_t n = upright ? a.columns : a.rows;
    if (n > 100'000) throw BadBytes("array '" + a.name + "' has more than 100000 columns");
    for (std::size_t i = 0; i < n; ++i) {
      const bool alone = n == 1 && !(joints_.size() == 1 && a.name != "t" && a.name != "time");
      made.names.push_back(alone                 ? a.name
                           : joints_.size() == n ? a.name + "_" + joints_[i]
                                                 : a.name + std::to_string(i + 1));
      columns.push_back({a.numbers.data() + (upright ? i : i * samples), upright ? n : 1});
    }
  }
  if (!made.remark.empty())
    made.remark = "arrays that have another number of samples are not used: " + made.remark;
  if (samples * columns.size() > most_table_numbers)
    throw BadBytes("it has more than 100000000 numbers");
  made.numbers.reserve(samples * columns.size());
  for (std::size_t k = 0; k < samples; ++k)
    for (const Column& c : columns) made.numbers.push_back(c.first[k * c.step]);
  return made;
}

}  // namespace ulna::detail
