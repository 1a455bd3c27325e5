#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "ulna/io/csv.hpp"

/// A log of a robot of two joints, as the same numbers in CSV and in other files.
namespace ulna::test::binary_tables {

inline constexpr int samples = 50;
inline const std::vector<std::string> joint_names{"shoulder", "elbow"};

/// What the log of a robot of two joints holds: t, q, qd, tau.
inline double value(int k, int column) {
  return column == 0 ? 0.004 * k : std::sin(0.1 * k * column) + column;
}

struct Table {
  std::vector<std::string> names;
  std::vector<double> numbers;
  std::string remark;
  bool operator==(const Table&) const = default;
};

inline Table read(const std::string& bytes) {
  std::istringstream in(bytes);
  CsvReader reader(in, "log");
  Table table{reader.names(), {}, reader.remark()};
  for (std::vector<double> row(table.names.size()); reader.next(row);)
    table.numbers.insert(table.numbers.end(), row.begin(), row.end());
  return table;
}

inline Table csv(const std::vector<std::string>& names) {
  std::ostringstream out;
  {
    CsvWriter writer(out, names);
    for (int k = 0; k < samples; ++k) {
      std::vector<double> row;
      for (int c = 0; c < 7; ++c) row.push_back(value(k, c));
      writer.write(row);
    }
  }
  return read(out.str());
}
inline const std::vector<std::string> by_name{"t",        "q_shoulder",   "q_elbow",  "qd_shoulder",
                                              "qd_elbow", "tau_shoulder", "tau_elbow"};
inline const std::vector<std::string> by_position{"t", "q1", "q2", "qd1", "qd2", "tau1", "tau2"};

inline void expect_close(const Table& a, const Table& b) {
  EXPECT_EQ(a.names, b.names);
  ASSERT_EQ(a.numbers.size(), b.numbers.size());
  // stamps count nanoseconds
  for (std::size_t i = 0; i < a.numbers.size(); ++i)
    EXPECT_NEAR(a.numbers[i], b.numbers[i], 1e-12) << i;
}

}  // namespace ulna::test::binary_tables
