#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/log_tables.hpp"
#include "support/paths.hpp"
#include "support/told.hpp"
#include "support/xacro.hpp"

// Bags that others wrote: the libraries of ROS 1, and a program in Python after the pages of the formats.
namespace ulna::test::binary_tables {
namespace {

std::string bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What is left of a file that is cut off anywhere is read or refused, with a reason.
void expect_cuts_refused(const std::string& bytes) {
  std::size_t refused = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const std::string cut = bytes.substr(0, 20 + (bytes.size() - 20) * i / 200);
    const std::string what = told<CsvError>([&] { read(cut); });
    if (what == "nothing was thrown") continue;
    ++refused;
    EXPECT_EQ(what.substr(0, 5), "log: ") << what;
    EXPECT_GT(what.size(), 15u) << what;
  }
  EXPECT_GT(refused, 100u);
}

/// As a robot's driver publishes and `rosbag record` writes: several topics, in chunks. "": there are no libraries of ROS.
std::string recorded(const std::string& how, const std::string& more = "") {
  const Files files("rosbag_" + how);
  const std::string writer = rosbag_writer_path(), path = files.path("run.bag");
  if (writer.empty()) return {};
  const std::string command = "'" + writer + "' '" + path + "' " + how + " " + more;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return bytes_of_file(path);
}

struct Packing {
  const char* how;
  bool built;
  const char* library;  ///< of Debian, that a build without it asks for
};
constexpr Packing packings[] = {{"none", true, ""},
                                {"bz2", ULNA_WITH_BZIP2, "libbz2-dev"},
                                {"lz4", ULNA_WITH_LZ4, "liblz4-dev"}};

TEST(Bag, that_the_libraries_of_ros_wrote_is_the_table_that_the_same_csv_is) {
  for (const Packing& packing : packings) {
    SCOPED_TRACE(packing.how);
    const std::string bag = recorded(packing.how);
    if (bag.empty()) GTEST_SKIP() << "there is no librosbag-storage";
    if (packing.built)
      expect_close(read(bag), csv(by_name));
    else
      EXPECT_NE(told<CsvError>([&] { read(bag); }).find(packing.library), std::string::npos);
  }
}

TEST(Bag, that_the_libraries_of_ros_wrote_is_refused_where_it_is_cut_off) {
  for (const Packing& packing : packings) {
    SCOPED_TRACE(packing.how);
    const std::string bag = recorded(packing.how);
    if (bag.empty()) GTEST_SKIP() << "there is no librosbag-storage";
    expect_cuts_refused(bag);
  }
}

TEST(Bag, that_the_libraries_of_ros_wrote_without_joint_states_says_so) {
  const std::string bag = recorded("none", "without");
  if (bag.empty()) GTEST_SKIP() << "there is no librosbag-storage";
  EXPECT_NE(told<CsvError>([&] { read(bag); }).find("no topic of type sensor_msgs/JointState"),
            std::string::npos);
}

TEST(Bag, of_ros2_that_python_wrote_is_the_table_that_the_same_csv_is) {
  const Files files("ros2_bag");
  const std::string command = "python3 '" + project_path("tests/io/write_ros2_bags.py") + "' '" +
                              files.path("") + "' 2>/dev/null";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "there is no Python";
  const std::string mcap = bytes_of_file(files.path("run.mcap"));
  expect_close(read(mcap), csv(by_name));
  expect_close(read(bytes_of_file(files.path("big_endian.mcap"))), csv(by_name));
  expect_cuts_refused(mcap);
#if ULNA_WITH_SQLITE
  const std::string database = bytes_of_file(files.path("run.db3"));
  expect_close(read(database), csv(by_name));
  expect_cuts_refused(database);
#endif
}

}  // namespace
}  // namespace ulna::test::binary_tables
