#include "ulna/io/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include "support/random.hpp"
#include "support/told.hpp"
#include "ulna/io/number.hpp"

namespace ulna::test {
namespace {

using Row = std::vector<double>;

struct Table {
  std::vector<std::string> names;
  std::vector<Row> rows;
};

Table read_csv(const std::string& text) {
  std::istringstream in(text);
  CsvReader reader(in, "log.csv");
  Table table{reader.names(), {}};
  Row row(reader.names().size());
  while (reader.next(row)) table.rows.push_back(row);
  return table;
}

/// What the reader has to say, or "" if it reads everything.
std::string complaint(const std::string& text) {
  try {
    read_csv(text);
  } catch (const CsvError& e) {
    return e.what();
  }
  return {};
}

std::string written(const std::vector<std::string>& names, const std::vector<Row>& rows) {
  std::ostringstream out;
  CsvWriter writer(out, names);
  for (const Row& row : rows) writer.write(row);
  writer.flush();
  return out.str();
}

const std::vector<Row> one_two_three_four{{1, 2}, {3, 4}};

// --- reading: what is accepted ---

TEST(CsvReader, reads_names_and_rows) {
  const Table t = read_csv("t,q1\n1,2\n3,4\n");
  EXPECT_EQ(t.names, (std::vector<std::string>{"t", "q1"}));
  EXPECT_EQ(t.rows, one_two_three_four);
}

TEST(CsvReader, finds_the_delimiter_in_the_header) {
  EXPECT_EQ(read_csv("t;q1\n1;2\n3;4\n").rows, one_two_three_four);
  EXPECT_EQ(read_csv("t\tq1\n1\t2\n3\t4\n").rows, one_two_three_four);
}

TEST(CsvReader, a_delimiter_inside_quotes_is_part_of_the_name) {
  const Table t = read_csv("\"a,b\";\"c;d\"\n1;2\n");
  EXPECT_EQ(t.names, (std::vector<std::string>{"a,b", "c;d"}));
}

TEST(CsvReader, takes_a_quote_doubled_inside_quotes_for_one) {
  EXPECT_EQ(read_csv("\"say \"\"hi\"\"\" , b\n1,2\n").names,
            (std::vector<std::string>{"say \"hi\"", "b"}));
}

TEST(CsvReader, passes_over_byte_order_mark_carriage_returns_comments_and_blank_lines) {
  const Table t =
      read_csv("\xef\xbb\xbf# made by hand\r\n\r\nt,q1\r\n1,2\r\n\r\n   \r\n# half way\r\n3,4\r\n");
  EXPECT_EQ(t.names, (std::vector<std::string>{"t", "q1"}));
  EXPECT_EQ(t.rows, one_two_three_four);
}

TEST(CsvReader, a_byte_order_mark_is_no_part_of_the_first_name) {
  EXPECT_EQ(read_csv("\xef\xbb\xbft,q1\n1,2\n").names.front(), "t");
}

TEST(CsvReader, the_last_line_needs_no_end) {
  EXPECT_EQ(read_csv("t,q1\n1,2\n3,4").rows, one_two_three_four);
  EXPECT_EQ(read_csv("t,q1\n1,2\n3,4\r").rows, one_two_three_four);
}

TEST(CsvReader, a_header_alone_is_a_table_without_rows) {
  EXPECT_TRUE(read_csv("t,q1\n").rows.empty());
  EXPECT_TRUE(read_csv("t,q1").rows.empty());
}

TEST(CsvReader, spaces_around_names_and_numbers_do_not_matter) {
  const Table t = read_csv(" t , q1 \n 1 ,\t2\n+3, 4 \n");
  EXPECT_EQ(t.names, (std::vector<std::string>{"t", "q1"}));
  EXPECT_EQ(t.rows, one_two_three_four);
}

TEST(CsvReader, a_table_may_have_one_column) {
  EXPECT_EQ(read_csv("t\n1\n\n2\n").rows, (std::vector<Row>{{1}, {2}}));
}

TEST(CsvReader, tells_the_line_of_a_row_and_the_bytes_used) {
  std::istringstream in("t,q1\n# note\n1,2\n\n3,4\n");
  CsvReader reader(in, "log.csv");
  EXPECT_EQ(reader.bytes(), 5u);
  Row row(2);
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(reader.line(), 3);
  EXPECT_EQ(reader.bytes(), 16u);
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(reader.line(), 5);
  EXPECT_FALSE(reader.next(row));
  EXPECT_EQ(reader.line(), 5);
  EXPECT_EQ(reader.bytes(), 21u);
}

TEST(CsvReader, accepts_a_cell_exactly_when_parse_number_does) {
  const std::vector<std::string> cells{"0",
                                       "-0",
                                       "1",
                                       "+1",
                                       "-1",
                                       "1.",
                                       ".5",
                                       "-.5",
                                       "1e3",
                                       "1E+3",
                                       "1e-3",
                                       "1e-400",
                                       "-1e-400",
                                       "5e-324",
                                       "1.7976931348623157e308",
                                       "1.8e308",
                                       "1e400",
                                       "-1e400",
                                       "nan",
                                       "NaN",
                                       "-nan",
                                       "nan(1)",
                                       "inf",
                                       "-inf",
                                       "Infinity",
                                       "0x10",
                                       "0x1p3",
                                       "1x",
                                       "1.2.3",
                                       "1 2",
                                       "1e",
                                       "1e+",
                                       "e5",
                                       ".",
                                       "-",
                                       "+",
                                       "+-1",
                                       "-+1",
                                       "++1",
                                       "--1",
                                       "1kg",
                                       "1_000",
                                       "1'000",
                                       "one",
                                       "$(x)",
                                       "\"1\"",
                                       "1\r",
                                       "  7",
                                       "8  ",
                                       " +9 ",
                                       "+ 9",
                                       "0001",
                                       "1d3",
                                       "\xc2\xa0"
                                       "1"};
  for (const std::string& cell : cells) {
    SCOPED_TRACE("cell '" + cell + "'");
    const auto expected = parse_number(cell);
    // in the middle and at the end of a row, which are read in different ways
    for (const std::string& line : {"0," + cell + ",0", "0,0," + cell}) {
      Table t;
      bool accepted = true;
      try {
        t = read_csv("a,b,c\n" + line + "\n");
      } catch (const CsvError&) {
        accepted = false;
      }
      ASSERT_EQ(accepted, expected.has_value());
      if (!accepted) continue;
      const double x = t.rows.at(0)[line.starts_with("0,0,") ? 2 : 1];
      EXPECT_EQ(std::signbit(x), std::signbit(*expected));
      EXPECT_EQ(x, *expected);
    }
  }
}

TEST(CsvReader, lines_may_cross_blocks_of_the_buffer_anywhere) {
  // rows of uneven length over several megabytes: every kind of boundary occurs
  for_each_seed(
      [](Random& random) {
        std::vector<Row> rows;
        std::string text = "a,b,c\n";
        while (text.size() < 3'500'000) {
          const Row row{std::round(random.real(-1e6, 1e6)), random.real(),
                        random.real(-1e-200, 1e-200)};
          text += format_number(row[0]) + "," + format_number(row[1]) + "," + format_number(row[2]);
          text += random.real() < 0.1 ? "\r\n" : "\n";
          if (random.real() < -0.9)
            text += "# " + std::string(static_cast<std::size_t>(random.real(0, 300)), 'x') + "\n";
          rows.push_back(row);
        }
        const Table t = read_csv(text);
        ASSERT_EQ(t.rows.size(), rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(t.rows[i], rows[i]) << "row " << i;
      },
      3);
}

TEST(CsvReader, a_line_of_a_hundred_thousand_cells_is_read) {
  std::string header = "c0", line = "0";
  for (int i = 1; i < 100'000; ++i) {
    header += ",c" + std::to_string(i);
    line += "," + std::to_string(i);
  }
  const Table t = read_csv(header + "\n" + line + "\n");
  ASSERT_EQ(t.rows.at(0).size(), 100'000u);
  EXPECT_EQ(t.rows[0][99'999], 99'999.0);
}

/// Gives a table without end, and counts what was taken from it.
class Endless : public std::streambuf {
 public:
  std::size_t given = 0;

 protected:
  int_type underflow() override {
    for (char& c : block_) c = (given < 4 ? "a,b\n" : "1,2\n")[given % 4], ++given;
    setg(block_, block_, std::end(block_));
    return traits_type::to_int_type(*block_);
  }

 private:
  char block_[1 << 16];
};

TEST(CsvReader, reads_no_further_ahead_than_a_block) {
  Endless source;
  std::istream in(&source);
  CsvReader reader(in, "log.csv");
  Row row(2);
  for (int i = 0; i < 1'000'000; ++i) {
    ASSERT_TRUE(reader.next(row));
    ASSERT_LE(source.given - reader.bytes(), std::size_t{1} << 20);
  }
}

// --- reading: what is refused ---

TEST(CsvReader, says_where_and_in_which_column_a_number_is_wrong) {
  EXPECT_EQ(complaint("t,q2\n1,2\n\n# note\n3,4\n5,6\n0,1.2.3\n"),
            "log.csv:7:3: column 'q2': '1.2.3' has something behind the number");
  EXPECT_EQ(complaint("t,q2\nnan,1\n"), "log.csv:2:1: column 't': 'nan' is not a number");
  EXPECT_EQ(complaint("t,q2\n1,  inf\n"), "log.csv:2:5: column 'q2': 'inf' is infinite");
  EXPECT_EQ(complaint("t,q2\n1,1e999\n"), "log.csv:2:3: column 'q2': '1e999' overflows");
  EXPECT_EQ(complaint("t,q2\n1,0x10\n"), "log.csv:2:3: column 'q2': '0x10' is hexadecimal");
  EXPECT_EQ(complaint("t;q2\n1;2,5\n"), "log.csv:2:3: column 'q2': '2,5' has a decimal comma");
  EXPECT_EQ(complaint("t,q2\n,1\n"), "log.csv:2:1: column 't': the cell is empty");
  EXPECT_EQ(complaint("t,q2\n1,\n"), "log.csv:2:3: column 'q2': the cell is empty");
}

TEST(CsvReader, an_error_tells_its_place_to_programs_too) {
  try {
    read_csv("t,q2\n0,x\n");
    FAIL() << "was accepted";
  } catch (const CsvError& e) {
    EXPECT_EQ(e.where().file, "log.csv");
    EXPECT_EQ(e.where().line, 2);
    EXPECT_EQ(e.where().column, 3);
  }
}

TEST(CsvReader, a_wrong_number_of_cells_is_told_with_both_numbers) {
  EXPECT_EQ(complaint("t,q1,q2\n1,2\n"), "log.csv:2: 2 cells, the header has 3 columns");
  EXPECT_EQ(complaint("t\n1,2\n"), "log.csv:2: 2 cells, the header has 1 column");
  EXPECT_EQ(complaint("t,q1\n1,2,\n"), "log.csv:2: 3 cells, the header has 2 columns");
  EXPECT_EQ(complaint("t,q1\n1\n"), "log.csv:2: 1 cell, the header has 2 columns");
  // of the two defects of this line, the count explains the other
  EXPECT_EQ(complaint("t,q1\n1,x,2\n"), "log.csv:2: 3 cells, the header has 2 columns");
}

TEST(CsvReader, an_empty_table_is_refused) {
  const std::string expected =
      "log.csv: the table is empty; a header line with a name for each column is needed";
  EXPECT_EQ(complaint(""), expected);
  EXPECT_EQ(complaint("\xef\xbb\xbf"), expected);
  EXPECT_EQ(complaint("\n\r\n  \n\t\n# only words\n"), expected);
}

TEST(CsvReader, a_header_of_numbers_is_refused_because_columns_need_names) {
  EXPECT_EQ(complaint("1,2\n3,4\n"),
            "log.csv:1: the first line holds numbers; a header line with a name for each column is "
            "needed, such as t,q1,q2");
  EXPECT_EQ(complaint("0,0\n1,1\n"), complaint("1,2\n3,4\n"));
  EXPECT_EQ(complaint("# t,q1\n1,2\n"),
            "log.csv:2: the first line holds numbers; a header line with a name for each column is "
            "needed, such as t,q1,q2 (a line that begins with '#' is a comment, not a header)");
  EXPECT_EQ(complaint("\"1\",\"2\"\n3,4\n"), "");  // in quotes they are meant as names
}

TEST(CsvReader, columns_must_have_different_names) {
  EXPECT_EQ(complaint("t,q1,q1\n1,2,3\n"), "log.csv:1:6: columns 2 and 3 are both called 'q1'");
  EXPECT_EQ(complaint("t,\"q1\", q1\n1,2,3\n"),
            "log.csv:1:9: columns 2 and 3 are both called 'q1'");
}

TEST(CsvReader, columns_must_have_names) {
  EXPECT_EQ(complaint("t,,q1\n1,2,3\n"), "log.csv:1:3: column 2 has no name");
  EXPECT_EQ(complaint("t,q1,\n1,2,3\n"), "log.csv:1:6: column 3 has no name");
  EXPECT_EQ(complaint("t,\"\"\n1,2\n"), "log.csv:1:3: column 2 has no name");
}

TEST(CsvReader, a_quoted_name_must_be_closed_and_followed_by_nothing) {
  EXPECT_EQ(complaint("t,\"q1\n1,2\n"), "log.csv:1:3: a quoted name is not closed");
  EXPECT_EQ(complaint("t,\"q1\"x\n1,2\n"), "log.csv:1:7: text follows the quoted name 'q1'");
}

TEST(CsvReader, columns_of_a_message_count_characters_and_not_bytes) {
  EXPECT_EQ(complaint("w\xc3\xa4rme,,q1\n"), "log.csv:1:7: column 2 has no name");
}

TEST(CsvReader, what_is_not_text_is_refused) {
  using namespace std::string_literals;
  EXPECT_EQ(complaint("t,q\0\n1,2\n"s),
            "log.csv:1:4: a control character in the header: this is not a text file");
  EXPECT_EQ(complaint("t,q\n1,2\0\n"s),
            "log.csv:2:4: a byte that is zero: this is not a text file");
  EXPECT_EQ(complaint("# \0\nt,q\n1,2\n"s),
            "log.csv:1:3: a byte that is zero: this is not a text file");
  EXPECT_EQ(complaint("t,q\n# \0\n1,2\n"s),
            "log.csv:2:3: a byte that is zero: this is not a text file");
  EXPECT_EQ(complaint("\x1f\x8b\x08garbage"s),
            "log.csv:1:1: a control character in the header: this is not a text file");
  EXPECT_EQ(complaint("\xff\xfet\0,\0q\0\n\0"s), "log.csv:1: the text is UTF-16; save it as UTF-8");
  EXPECT_EQ(complaint("t,q\r1,2\r"),
            "log.csv:1:4: a carriage return inside the line; lines must end in LF or CRLF");
}

TEST(CsvReader, what_is_shown_of_a_cell_is_short_and_printable) {
  const std::string text = complaint("t,q\n1,\x1b[31m" + std::string(500, 'x') + "\n");
  EXPECT_EQ(text,
            "log.csv:2:3: column 'q': '\\x1b[31m" + std::string(75, 'x') + "...' is not a number");
}

TEST(CsvReader, a_line_beyond_the_limit_is_refused) {
  EXPECT_EQ(complaint("t\n1\n" + std::string(std::size_t{1} << 20, ' ')),
            "log.csv:3: the line is longer than 1048576 bytes: this is not a table");
  EXPECT_EQ(complaint(std::string(3u << 20, 'x')),
            "log.csv:1: the line is longer than 1048576 bytes: this is not a table");
  EXPECT_EQ(complaint("t\n1\n" + std::string((std::size_t{1} << 20) - 2, ' ') + "2\n"), "");
}

TEST(CsvReader, a_stream_that_is_not_open_is_refused) {
  std::istringstream in("t\n1\n");
  in.setstate(std::ios::failbit);
  EXPECT_EQ(told<CsvError>([&] { CsvReader(in, "log.csv"); }),
            "log.csv: the file cannot be read; check the path and the permissions");
}

TEST(CsvReader, a_row_of_the_wrong_size_is_a_mistake_of_the_caller) {
  std::istringstream in("a,b\n1,2\n");
  CsvReader reader(in, "log.csv");
  Row row(3);
  EXPECT_EQ(told<std::invalid_argument>([&] { reader.next(row); }),
            "row has room for 3 numbers, the table has 2 columns");
}

TEST(CsvReader, any_bytes_are_read_or_refused_and_never_worse) {
  for_each_seed(
      [](Random& random) {
        const std::string_view letters = "0123456789.,;\t\"#\n\r -+eEtq_nai\x00\xff\xef\xbb\xbf";
        std::string text = random.real() < 0.0 ? "a,b\n" : "";
        const auto size = static_cast<std::size_t>(random.real(0, 60));
        for (std::size_t i = 0; i < size; ++i)
          text += letters[static_cast<std::size_t>(
              random.real(0, static_cast<double>(letters.size())))];
        try {
          const Table t = read_csv(text);
          EXPECT_FALSE(t.names.empty());
          for (const Row& row : t.rows)
            for (const double x : row) EXPECT_TRUE(std::isfinite(x));
        } catch (const CsvError& e) {
          EXPECT_TRUE(std::string(e.what()).starts_with("log.csv")) << e.what();
        }
      },
      20'000);
}

// --- writing ---

TEST(CsvWriter, writes_the_shortest_numbers) {
  EXPECT_EQ(written({"t", "q1"}, {{0.1, -2}, {1e300, 5e-324}}), "t,q1\n0.1,-2\n1e+300,5e-324\n");
}

TEST(CsvWriter, numbers_are_read_back_to_the_last_bit) {
  for_each_seed([](Random& random) {
    std::vector<Row> rows;
    const auto any_bits = [&] {
      for (;;) {
        const std::uint64_t bits = static_cast<std::uint64_t>(random.real(0, 0x1p32)) << 32 |
                                   static_cast<std::uint64_t>(random.real(0, 0x1p32));
        double x;
        std::memcpy(&x, &bits, sizeof x);
        if (std::isfinite(x)) return x;
      }
    };
    for (int i = 0; i < 20'000; ++i) rows.push_back({any_bits(), any_bits(), random.real()});
    using Limits = std::numeric_limits<double>;
    rows.push_back({0.0, -0.0, 1.0});
    rows.push_back({Limits::max(), Limits::lowest(), Limits::denorm_min()});
    rows.push_back({-Limits::min(), -Limits::denorm_min(), Limits::epsilon()});
    const Table t = read_csv(written({"a", "b", "c"}, rows));
    ASSERT_EQ(t.rows.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      ASSERT_EQ(std::memcmp(t.rows[i].data(), rows[i].data(), 3 * sizeof(double)), 0)
          << "row " << i;
  });
}

TEST(CsvWriter, names_of_any_kind_are_read_back) {
  const std::vector<std::string> names{"q_a,b",    "q;c", "say \"hi\"",       "#1",
                                       " spaced ", "1.5", "\xef\xbb\xbfmark", "\xc3\xa4",
                                       "q_x/y",    "'"};
  EXPECT_EQ(read_csv(written(names, {})).names, names);
  for (const std::string& name : names) EXPECT_EQ(read_csv(written({name}, {})).names.at(0), name);
}

TEST(CsvWriter, a_number_that_is_not_finite_never_leaves) {
  std::ostringstream out;
  CsvWriter writer(out, std::vector<std::string>{"t", "q1", "q2"});
  const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(told<std::invalid_argument>([&] {
              writer.write(Row{1, 2, nan});
            }),
            "column 'q2': not a number cannot be written");
  EXPECT_EQ(told<std::invalid_argument>([&] {
              writer.write(Row{1, -infinite, 2});
            }),
            "column 'q1': an infinite number cannot be written");
  writer.write(Row{4, 5, 6});
  writer.flush();
  EXPECT_EQ(out.str(), "t,q1,q2\n4,5,6\n");  // nothing of the refused rows
}

TEST(CsvWriter, a_row_of_the_wrong_size_is_refused_with_both_numbers) {
  std::ostringstream out;
  CsvWriter writer(out, std::vector<std::string>{"t", "q1"});
  EXPECT_EQ(told<std::invalid_argument>([&] {
              writer.write(Row{1, 2, 3});
            }),
            "row has 3 numbers, the table has 2 columns");
}

TEST(CsvWriter, names_that_could_not_be_read_back_are_refused) {
  EXPECT_EQ(told<std::invalid_argument>([] { written({}, {}); }),
            "a table needs at least one column");
  EXPECT_EQ(told<std::invalid_argument>([] { written({"t", ""}, {}); }), "column 2 has no name");
  EXPECT_EQ(told<std::invalid_argument>([] {
              written({"t", "t"}, {});
            }),
            "two columns are called 't'");
  EXPECT_EQ(told<std::invalid_argument>([] { written({"a\nb"}, {}); }),
            "column 'a\\x0ab': the name has a control character");
}

TEST(CsvWriter, what_is_left_is_written_at_the_end) {
  std::ostringstream out;
  { CsvWriter(out, std::vector<std::string>{"t"}).write(Row{7}); }
  EXPECT_EQ(out.str(), "t\n7\n");
}

TEST(CsvWriter, a_row_longer_than_the_buffer_is_written_whole) {
  std::vector<std::string> names;
  for (int i = 0; i < 50'000; ++i) names.push_back("c" + std::to_string(i));
  const Row row(names.size(), -2.2250738585072014e-308);
  const std::string text = written(names, {row, row});
  EXPECT_EQ(text.size() - text.find('\n') - 1, 2 * row.size() * 25);
  EXPECT_TRUE(text.ends_with(",-2.2250738585072014e-308\n"));
}

/// Takes some bytes, then fails as a full disk does.
class FullDisk : public std::streambuf {
 protected:
  std::streamsize xsputn(const char*, std::streamsize n) override { return n / 2; }
  int_type overflow(int_type) override { return traits_type::eof(); }
};

TEST(CsvWriter, a_stream_that_fails_is_reported) {
  FullDisk disk;
  std::ostream out(&disk);
  CsvWriter writer(out, std::vector<std::string>{"t"});
  writer.write(Row{1});
  EXPECT_EQ(told<std::runtime_error>([&] { writer.flush(); }),
            "the table cannot be written: the stream failed");
}

}  // namespace
}  // namespace ulna::test
