#include "io/binary_table.hpp"

#if ULNA_WITH_HDF5
#include <hdf5.h>

#include <mutex>
#endif

namespace ulna::detail {

#if ULNA_WITH_HDF5
namespace {

/// Closes what the library opened.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id < 0) throw BadBytes("the HDF5 file is broken or cut off");
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT: it stands for the number

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// One dataset, or the fields of one that is a record. What holds no numbers is passed over.
void add_dataset(hid_t file, const std::string& path, ArrayTable& table, std::size_t& total) {
  const Handle set(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
  const int dimensions = H5Sget_simple_extent_ndims(space);
  if (dimensions < 1 || dimensions > 2) return;
  hsize_t size[2] = {1, 1};
  H5Sget_simple_extent_dims(space, size, nullptr);
  const auto number_class = [](hid_t t) {
    const H5T_class_t c = H5Tget_class(t);
    return c == H5T_FLOAT || c == H5T_INTEGER;
  };
  const auto read = [&](const std::string& name, hid_t memory_type) {
    if (size[0] > most_table_numbers || size[1] > most_table_numbers ||
        size[0] * size[1] > most_table_numbers - total)
      throw BadBytes("it has more than 100000000 numbers");
    // a file may say that it has more than it stores
    total += size[0] * size[1];
    std::vector<double> numbers(size[0] * size[1]);
    if (H5Dread(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0)
      throw BadBytes("dataset '" + path +
                     "' is broken, or compressed by a filter that is not there");
    table.add(name, size[0], size[1], std::move(numbers));
  };
  if (number_class(type)) return read(path.substr(path.rfind('/') + 1), H5T_NATIVE_DOUBLE);
  if (H5Tget_class(type) != H5T_COMPOUND) return;
  for (int i = 0; i < H5Tget_nmembers(type); ++i) {
    const Handle member(H5Tget_member_type(type, static_cast<unsigned>(i)), H5Tclose);
    if (!number_class(member)) continue;
    char* const name = H5Tget_member_name(type, static_cast<unsigned>(i));
    const std::string field = name;
    H5free_memory(name);
    const Handle memory(H5Tcreate(H5T_COMPOUND, sizeof(double)), H5Tclose);
    H5Tinsert(memory, field.c_str(), 0, H5T_NATIVE_DOUBLE);
    read(field, memory);
  }
}

herr_t collect(hid_t, const char* name, const H5O_info_t* info, void* to) {
  auto& names = *static_cast<std::vector<std::string>*>(to);
  if (info->type == H5O_TYPE_DATASET) names.emplace_back(name);
  return names.size() > 10'000 ? 1 : 0;
}

}  // namespace

BinaryTable read_hdf5(const std::string& bytes) {
  // Debian's library is for one thread at a time
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access, 1 << 16, false);
  H5Pset_file_image(access, const_cast<char*>(bytes.data()), bytes.size());
  const Handle file(H5Fopen("ulna-log-in-memory.h5", H5F_ACC_RDONLY, access), H5Fclose);
  std::vector<std::string> names;
  if (H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, collect, &names, H5O_INFO_BASIC) < 0)
    throw BadBytes("the HDF5 file is broken or cut off");
  ArrayTable table;
  std::size_t total = 0;
  for (const std::string& name : names) add_dataset(file, name, table, total);
  return table.table();
}
#else
BinaryTable read_hdf5(const std::string&) {
  throw BadBytes(
      "HDF5 is not read by this build of ulna (Debian: libhdf5-dev); save it by numpy.savez or as "
      "CSV");
}
#endif

}  // namespace ulna::detail
