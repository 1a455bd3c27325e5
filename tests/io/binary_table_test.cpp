#include "ulna/io/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <sstream>

#include "io/binary_table.hpp"
#include "support/fuzz.hpp"
#include "support/log_tables.hpp"
#include "support/random.hpp"
#include "support/told.hpp"
#include "support/xacro.hpp"

#if ULNA_WITH_ZSTD
#include <zstd.h>
#endif
#if ULNA_WITH_LZ4
#include <lz4frame.h>
#endif
#if ULNA_WITH_BZIP2
#include <bzlib.h>
#endif
#if ULNA_WITH_SQLITE
#include <sqlite3.h>
#endif
#if ULNA_WITH_HDF5
#include <hdf5.h>
#endif

namespace ulna::test::binary_tables {
namespace {

// --- files as the libraries of ROS and NumPy write them ---

template <class T>
void put(std::string& to, T x) {
  to.append(reinterpret_cast<const char*>(&x), sizeof x);
}
void put_text(std::string& to, std::string_view s) {
  put(to, static_cast<std::uint32_t>(s.size()));
  to += s;
}

/// A message of ROS 1, or of ROS 2 in CDR.
std::string joint_state(int k, bool cdr, const std::vector<std::string>& joints = joint_names) {
  std::string m;
  const auto align = [&](std::size_t n) {
    if (cdr) m.resize((m.size() + n - 1) / n * n);
  };
  if (!cdr) put(m, std::uint32_t(k));
  put(m, std::uint32_t(1'700'000'000 + k / 250));
  put(m, std::uint32_t(k % 250 * 4'000'000));
  const auto text = [&](std::string s) {
    align(4);
    put_text(m, cdr ? s + '\0' : s);
  };
  text("base");
  align(4);
  put(m, std::uint32_t(joints.size()));
  for (const std::string& joint : joints) text(joint);
  for (int quantity = 0; quantity < 3; ++quantity) {
    align(4);
    put(m, std::uint32_t(joints.size()));
    for (std::size_t j = 0; j < joints.size(); ++j) {
      align(8);
      put(m, value(k, 1 + 2 * quantity + int(j)));
    }
  }
  return cdr ? std::string("\0\1\0\0", 4) + m : m;
}

std::string field(const std::string& name, const std::string& data) {
  std::string f;
  put_text(f, name + "=" + data);
  return f;
}
std::string bytes_of(auto x) {
  std::string s;
  put(s, x);
  return s;
}
std::string record(const std::string& header, const std::string& data) {
  std::string r;
  put_text(r, header);
  put_text(r, data);
  return r;
}

using Pack = std::function<std::string(const std::string&)>;

std::string ros1_bag(const std::string& compression = "none", const Pack& pack = {},
                     int count = samples) {
  std::string chunk =
      record(field("op", "\x07") + field("conn", bytes_of(3u)) + field("topic", "/joint_states"),
             field("topic", "/joint_states") + field("type", "sensor_msgs/JointState") +
                 field("md5sum", "3066dcd76a6cfaef579bd0f34173e9fd"));
  chunk += record(field("op", "\x07") + field("conn", bytes_of(4u)) + field("topic", "/other"),
                  field("topic", "/other") + field("type", "std_msgs/String"));
  for (int k = 0; k < count; ++k) {
    chunk += record(field("op", "\x02") + field("conn", bytes_of(3u)) +
                        field("time", bytes_of(std::uint64_t(k))),
                    joint_state(k, false));
    chunk += record(field("op", "\x02") + field("conn", bytes_of(4u)) +
                        field("time", bytes_of(std::uint64_t(k))),
                    "abc");
  }
  std::string bag = "#ROSBAG V2.0\n" +
                    record(field("op", "\x03") + field("index_pos", bytes_of(std::uint64_t(0))),
                           std::string(4000, ' '));
  return bag + record(field("op", "\x05") + field("compression", compression) +
                          field("size", bytes_of(std::uint32_t(chunk.size()))),
                      pack ? pack(chunk) : chunk);
}

std::string mcap_record(char op, const std::string& data) {
  return op + bytes_of(std::uint64_t(data.size())) + data;
}
std::string mcap(const std::string& compression = "", const Pack& pack = {},
                 const std::string& encoding = "cdr") {
  const auto texts = [](std::initializer_list<std::string> list) {
    std::string s;
    for (const std::string& t : list) put_text(s, t);
    return s;
  };
  std::string chunk = mcap_record(
      3, bytes_of(std::uint16_t(1)) + texts({"sensor_msgs/msg/JointState", "ros2msg", "..."}));
  chunk += mcap_record(4, bytes_of(std::uint16_t(7)) + bytes_of(std::uint16_t(1)) +
                              texts({"/joint_states", encoding, ""}));
  for (int k = 0; k < samples; ++k)
    chunk += mcap_record(5, bytes_of(std::uint16_t(7)) + bytes_of(std::uint32_t(k)) +
                                bytes_of(std::uint64_t(k)) + bytes_of(std::uint64_t(k)) +
                                joint_state(k, encoding == "cdr"));
  const std::string packed = pack ? pack(chunk) : chunk;
  std::string head;
  put(head, std::uint64_t(0)), put(head, std::uint64_t(1)), put(head, std::uint64_t(chunk.size())),
      put(head, std::uint32_t(0));
  put_text(head, compression);
  put(head, std::uint64_t(packed.size()));
  const std::string magic = "\x89MCAP0\r\n";
  return magic + mcap_record(1, texts({"ros2", "test"})) + mcap_record(6, head + packed) +
         mcap_record(0x0f, bytes_of(std::uint32_t(0))) + mcap_record(2, std::string(20, '\0')) +
         magic;
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                bool by_columns = false) {
  std::string header = "{'descr': " + descr +
                       ", 'fortran_order': " + (by_columns ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  header.resize((header.size() + 11 + 63) / 64 * 64 - 10, ' ');
  header.back() = '\n';
  return "\x93NUMPY\x01" + std::string(1, '\0') + bytes_of(std::uint16_t(header.size())) + header +
         data;
}
std::string npz(const std::vector<std::pair<std::string, std::string>>& arrays) {
  std::string zip, directory;
  for (const auto& [name, data] : arrays) {
    const std::string sizes =
        bytes_of(std::uint32_t(data.size())) + bytes_of(std::uint32_t(data.size()));
    const std::string common = bytes_of(std::uint16_t(20)) + std::string(10, '\0') +
                               std::string(2, '\0') + sizes + bytes_of(std::uint16_t(name.size())) +
                               bytes_of(std::uint16_t(0));
    directory += "PK\x01\x02" + bytes_of(std::uint16_t(20)) + common + std::string(10, '\0') +
                 bytes_of(std::uint32_t(zip.size())) + name;
    zip += "PK\x03\x04" + common + name + data;
  }
  const auto n = std::uint16_t(arrays.size());
  return zip + directory + "PK\x05\x06" + std::string(4, '\0') + bytes_of(n) + bytes_of(n) +
         bytes_of(std::uint32_t(directory.size())) + bytes_of(std::uint32_t(zip.size())) +
         std::string(2, '\0');
}
/// Columns first to last of the log as an array.
std::string array(int first, int last, bool by_columns = false) {
  std::string data;
  const int n = last - first + 1;
  for (int i = 0; i < samples * n; ++i)
    put(data, by_columns ? value(i % samples, first + i / samples) : value(i / n, first + i % n));
  const std::string shape = n == 1 ? "(50,)" : "(50, " + std::to_string(n) + ")";
  return npy("'<f8'", shape, data, by_columns);
}
std::string log_npz() {
  return npz({{"t.npy", array(0, 0)},
              {"q.npy", array(1, 2)},
              {"qd.npy", array(3, 4, true)},
              {"tau.npy", array(5, 6)}});
}

TEST(Npz, is_the_table_that_the_same_csv_is) {
  EXPECT_EQ(read(log_npz()), csv(by_position));
  // joints by name, as numpy stores texts
  std::string names;
  for (const std::string& joint : joint_names)
    for (std::size_t i = 0; i < 8; ++i) put(names, std::uint32_t(i < joint.size() ? joint[i] : 0));
  EXPECT_EQ(read(npz({{"joints.npy", npy("'<U8'", "(2,)", names)},
                      {"t.npy", array(0, 0)},
                      {"q.npy", array(1, 2)},
                      {"qd.npy", array(3, 4)},
                      {"tau.npy", array(5, 6)}})),
            csv(by_name));
}

TEST(Npz, of_numpy_itself_is_the_table_that_the_same_csv_is) {
  const Files files("npz");
  const std::string script =
      files.write("write.py",
                  "import sys, numpy as np\n"
                  "k = np.arange(50); c = np.arange(7)\n"
                  "all = np.sin(0.1 * k[:, None] * c) + c; all[:, 0] = 0.004 * k\n"
                  "np.savez(sys.argv[1] + '/plain.npz', t=all[:, 0], q=all[:, 1:3], qd=all[:, "
                  "3:5].T, tau=np.asfortranarray(all[:, 5:7]))\n"
                  "np.savez_compressed(sys.argv[1] + '/packed.npz', t=all[:, 0], q=all[:, 1:3], "
                  "qd=all[:, 3:5], tau=all[:, 5:7].astype('>f8'))\n"
                  "names = ['t', 'q1', 'q2', 'qd1', 'qd2', 'tau1', 'tau2']\n"
                  "r = np.zeros(50, dtype=[(n, 'f8') for n in names])\n"
                  "for i, n in enumerate(names): r[n] = all[:, i]\n"
                  "np.save(sys.argv[1] + '/record.npy', r)\n");
  const auto by = [&](const std::string& python) {
    return std::system((python + " " + script + " " + files.path("") + " 2>/dev/null").c_str()) ==
           0;
  };
  if (!by("python3") && !by("/usr/bin/python3")) GTEST_SKIP() << "there is no numpy";
  const auto file = [&](const char* name) {
    std::ifstream in(files.path(name), std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  expect_close(read(file("plain.npz")), csv(by_position));
  expect_close(read(file("record.npy")), csv(by_position));
#if ULNA_WITH_ZLIB
  expect_close(read(file("packed.npz")), csv(by_position));
#else
  EXPECT_NE(told<CsvError>([&] { read(file("packed.npz")); }).find("zlib"), std::string::npos);
#endif
}

TEST(Bag, of_ros1_is_the_table_that_the_same_csv_is) {
  expect_close(read(ros1_bag()), csv(by_name));
}

TEST(Bag, in_mcap_is_the_table_that_the_same_csv_is) {
  expect_close(read(mcap()), csv(by_name));
  expect_close(read(mcap("", {}, "ros1")), csv(by_name));
}

#if ULNA_WITH_BZIP2
TEST(Bag, compressed_by_bzip2_is_unpacked) {
  expect_close(read(ros1_bag("bz2",
                             [](const std::string& s) {
                               std::string packed(s.size() + 1000, '\0');
                               auto size = static_cast<unsigned>(packed.size());
                               BZ2_bzBuffToBuffCompress(packed.data(), &size,
                                                        const_cast<char*>(s.data()),
                                                        static_cast<unsigned>(s.size()), 9, 0, 30);
                               return packed.substr(0, size);
                             })),
               csv(by_name));
}
#endif

#if ULNA_WITH_LZ4
std::string lz4(const std::string& s) {
  std::string packed(LZ4F_compressFrameBound(s.size(), nullptr), '\0');
  packed.resize(LZ4F_compressFrame(packed.data(), packed.size(), s.data(), s.size(), nullptr));
  return packed;
}
TEST(Bag, compressed_by_lz4_is_unpacked) {
  expect_close(read(ros1_bag("lz4", lz4)), csv(by_name));
  expect_close(read(mcap("lz4", lz4)), csv(by_name));
}
#endif

#if ULNA_WITH_ZSTD
std::string zstd(const std::string& s) {
  std::string packed(ZSTD_compressBound(s.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), s.data(), s.size(), 3));
  return packed;
}
TEST(Bag, compressed_by_zstd_is_unpacked) {
  expect_close(read(mcap("zstd", zstd)), csv(by_name));
  // a whole file, as ROS 2 compresses
  expect_close(read(zstd(mcap())), csv(by_name));
  EXPECT_NE(told<CsvError>([&] {
              read(mcap("zstd", [](const std::string& s) { return zstd(s).substr(0, 100); }));
            }).find("broken or cut off"),
            std::string::npos);
}
#endif

#if ULNA_WITH_SQLITE
/// As rosbag2 makes its tables.
constexpr const char* bag_tables =
    "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, "
    "serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);"
    "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER "
    "NOT NULL, data BLOB NOT NULL);";

std::string sqlite_bag(const std::string& tables = bag_tables, const std::string& after = "") {
  sqlite3* db = nullptr;
  sqlite3_open(":memory:", &db);
  const auto run = [&](const std::string& sql) {
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db);
  };
  run(tables);
  run("INSERT INTO topics(id, name, type, serialization_format, offered_qos_profiles) VALUES(1, "
      "'/tf', 'tf2_msgs/msg/TFMessage', 'cdr', ''), (2, '/joint_states', "
      "'sensor_msgs/msg/JointState', 'cdr', '');");
  for (int k = 0; k < samples; ++k) {
    sqlite3_stmt* s = nullptr;
    sqlite3_prepare_v2(db, "INSERT INTO messages(topic_id, timestamp, data) VALUES(2, ?, ?)", -1,
                       &s, nullptr);
    const std::string data = joint_state(k, true);
    sqlite3_bind_int64(s, 1, k);
    sqlite3_bind_blob(s, 2, data.data(), int(data.size()), SQLITE_STATIC);
    sqlite3_step(s);
    sqlite3_finalize(s);
  }
  run(after);
  sqlite3_int64 size = 0;
  unsigned char* image = sqlite3_serialize(db, "main", &size, 0);
  std::string file(reinterpret_cast<char*>(image), std::size_t(size));
  sqlite3_free(image);
  sqlite3_close(db);
  return file;
}

TEST(Bag, of_ros2_in_sqlite_is_the_table_that_the_same_csv_is) {
  const std::string file = sqlite_bag();
  expect_close(read(file), csv(by_name));
  EXPECT_NE(told<CsvError>([&] { read(file.substr(0, 5000)); }).find("log: "), std::string::npos);
}

TEST(Bag, of_ros2_whose_tables_compute_is_refused_and_no_other) {
  const std::string tables = bag_tables;
  // a word in a table's text says nothing
  const std::string words =
      "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format "
      "TEXT, "
      "offered_qos_profiles TEXT, \"is virtual\" INTEGER /* CREATE VIRTUAL TABLE */);" +
      tables.substr(tables.find("CREATE TABLE messages"));
  expect_close(read(sqlite_bag(words)), csv(by_name));
  const std::string generated =
      tables.substr(0, tables.rfind(')')) + ", more BLOB AS (zeroblob(1000000)));";
  EXPECT_NE(told<CsvError>([&] { read(sqlite_bag(generated)); }).find("are computed"),
            std::string::npos);
  const std::string view =
      "ALTER TABLE messages RENAME TO stored; CREATE VIEW messages AS SELECT * FROM stored;";
  EXPECT_NE(told<CsvError>([&] { read(sqlite_bag(tables, view)); }).find("has no tables"),
            std::string::npos);
  // of a table that a module computes, the file has the text alone
  const std::string module =
      "DROP TABLE messages; PRAGMA writable_schema = 1; INSERT INTO sqlite_master VALUES('table', "
      "'messages', 'messages', 0, 'CREATE VIRTUAL TABLE messages USING fts5(topic_id, timestamp, "
      "data)');";
  EXPECT_NE(told<CsvError>([&] { read(sqlite_bag(tables, module)); }).find("has no tables"),
            std::string::npos);
}
#endif

#if ULNA_WITH_HDF5
std::string hdf5_log() {
  const Files files("hdf5");
  const std::string path = files.path("log.h5");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t group = H5Gcreate2(file, "run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const auto write = [&](const char* name, int first, int last, bool packed) {
    const hsize_t size[2] = {samples, hsize_t(last - first + 1)};
    std::vector<double> data;
    for (int k = 0; k < samples; ++k)
      for (int c = first; c <= last; ++c) data.push_back(value(k, c));
    const hid_t space = H5Screate_simple(first == last ? 1 : 2, size, nullptr),
                how = H5Pcreate(H5P_DATASET_CREATE);
    if (packed) {
      const hsize_t chunk[2] = {10, size[1]};
      H5Pset_chunk(how, first == last ? 1 : 2, chunk);
      H5Pset_deflate(how, 6);
    }
    const hid_t set =
        H5Dcreate2(group, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data());
    H5Dclose(set), H5Pclose(how), H5Sclose(space);
  };
  write("q", 1, 2, false), write("qd", 3, 4, true), write("t", 0, 0, false),
      write("tau", 5, 6, true);
  H5Gclose(group), H5Fclose(file);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Hdf5, is_the_table_that_the_same_csv_is) {
  const std::string bytes = hdf5_log();
  const Table table = read(bytes), expected = csv(by_position);
  // in the order of their names
  EXPECT_EQ(table.names, (std::vector<std::string>{"q1", "q2", "qd1", "qd2", "t", "tau1", "tau2"}));
  const std::size_t order[] = {1, 2, 3, 4, 0, 5, 6};
  for (std::size_t i = 0; i < table.numbers.size(); ++i)
    EXPECT_EQ(table.numbers[i], expected.numbers[i / 7 * 7 + order[i % 7]]);
  for (const std::size_t size : {9u, 100u, 1000u})
    EXPECT_NE(told<CsvError>([&] { read(bytes.substr(0, size)); }).find("broken or cut off"),
              std::string::npos)
        << size;
}
#endif

TEST(BinaryTable, says_what_cannot_be_read) {
  const std::pair<std::string, const char*> cases[] = {
      {npy("'<f8'", "(50, 2)", std::string(800, '\0')), "has no names of columns"},
      {npz({{"q.npy", npy("'|O'", "(3,)", "abc")}}), "numbers of type '|O' are not read"},
      {npz({{"q.npy", npy("'<f8'", "(2, 2, 2)", std::string(64, '\0'))}}), "has 3 dimensions"},
      {npz({{"q.npy", npy("'<f8'", "(99999999999, 99999999)", "")}}), "not one"},
      {npz({{"q.npy", npy("'<f8'", "(9999999, 99999)", "")}}), "too large"},
      {npz({{"q.npy", npy("'<f8'", "(5000,)", "")}}), "cut off"},
      {npz({{"readme.txt", "x"}}), "no column"},
      {log_npz().substr(0, 3000), "the directory at its end is missing"},
      {"#ROSBAG V2.0\n", "no topic of type sensor_msgs/JointState"},
      {ros1_bag().substr(0, 6000), "cut off"},
      {ros1_bag("rar", [](const std::string& s) { return s; }), "'rar'"},
      {ros1_bag("none", {}, 0), "has no message"},
      {mcap().substr(0, 3000), "cut off"},
      {mcap("", {}, "json"), "encoded in a way that is not known"},
      {"\x89MCAP0\r\n", "the end of its data is missing"},
  };
  for (const auto& [bytes, says] : cases) {
    const std::string what = told<CsvError>([&bytes = bytes] { read(bytes); });
    EXPECT_NE(what.find(says), what.npos) << what << ", not " << says;
  }
}

TEST(BinaryTable, has_the_number_of_a_row_that_is_no_number) {
  std::string data;
  for (int k = 0; k < 5; ++k)
    put(data, k == 3 ? std::numeric_limits<double>::quiet_NaN() : 1.0 * k);
  EXPECT_EQ(told<CsvError>([&] {
              read(npz({{"t.npy", npy("'<f8'", "(5,)", data)}}));
            }),
            "log:4: column 't' is not a number");
}

TEST(BinaryTable, of_several_devices_on_one_topic_is_that_of_the_larger) {
  // every other message is of a gripper
  std::string chunk =
      record(field("op", "\x07") + field("conn", bytes_of(3u)) + field("topic", "/joint_states"),
             field("type", "sensor_msgs/JointState"));
  for (int k = 0; k < samples; ++k) {
    chunk += record(field("op", "\x02") + field("conn", bytes_of(3u)) +
                        field("time", bytes_of(std::uint64_t(k))),
                    joint_state(k, false));
    chunk += record(field("op", "\x02") + field("conn", bytes_of(3u)) +
                        field("time", bytes_of(std::uint64_t(k))),
                    joint_state(k, false, {"finger"}));
  }
  const Table table = read("#ROSBAG V2.0\n" + chunk);
  expect_close(table, csv(by_name));
  EXPECT_NE(
      table.remark.find("50 messages on /joint_states with 2 joints are used, and not 50 others"),
      std::string::npos)
      << table.remark;
}

TEST(BinaryTable, that_is_changed_anywhere_is_read_or_refused_and_nothing_else) {
  std::vector<std::string> files{log_npz(), ros1_bag(), mcap()};
#if ULNA_WITH_ZSTD
  files.push_back(mcap("zstd", zstd));
#endif
#if ULNA_WITH_LZ4
  files.push_back(ros1_bag("lz4", lz4));
#endif
#if ULNA_WITH_SQLITE
  files.push_back(sqlite_bag());
#endif
#if ULNA_WITH_HDF5
  files.push_back(hdf5_log());
#endif
  long refused = 0;
  const long count = fuzz_cases(3000);
  for (std::uint64_t seed = 1; seed <= std::uint64_t(count); ++seed) {
    Random random(seed);
    std::string bytes = files[seed % files.size()];
    const auto place = [&] {
      return static_cast<std::size_t>(random.real(0.0, double(bytes.size())));
    };
    for (int i = 0; i < 3; ++i) {
      const std::size_t at =
          i ? place() : std::size_t(random.real(0.0, std::min(400.0, double(bytes.size()))));
      bytes[at] = static_cast<char>(random.real(0.0, 256.0));
    }
    if (seed % 3 == 0) bytes.resize(place() + 1);
    try {
      read(bytes);
    } catch (const CsvError& e) {
      ++refused;
    } catch (const std::exception& e) {
      ADD_FAILURE() << "seed " << seed << ": " << e.what();
    }
  }
  EXPECT_GT(refused, count / 6);
  EXPECT_LT(refused, count);
}

}  // namespace
}  // namespace ulna::test::binary_tables
