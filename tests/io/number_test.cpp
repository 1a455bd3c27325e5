#include "ulna/io/number.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <locale>

#include "support/bad_input.hpp"
#include "support/random.hpp"

namespace ulna::test {
namespace {

TEST(Number, is_read_as_it_is_written) {
  const std::pair<const char*, double> good[] = {
      {"1", 1.0},
      {"-2.5", -2.5},
      {"+3", 3.0},
      {" 4\t\n", 4.0},
      {".5", 0.5},
      {"5.", 5.0},
      {"1e3", 1000.0},
      {"1E-3", 0.001},
      {"-0", 0.0},
      {"0e999999999999", 0.0},
      {"1.7976931348623157e308", std::numeric_limits<double>::max()},
      {"5e-324", 5e-324}};
  for (const auto& [text, value] : good) EXPECT_EQ(parse_number(text), value) << text;
}

TEST(Number, that_underflows_is_zero) {
  for (const std::string& text :
       {std::string("1e-400"), "0." + std::string(400, '0') + "1",
        std::string("-1e-99999999999999999999"), "1" + std::string(100, '0') + "e-600"})
    EXPECT_EQ(parse_number(text), 0.0) << text;
}

TEST(Number, is_refused_with_a_reason) {
  const std::pair<std::string, const char*> bad[] = {{"", "is empty"},
                                                     {" ", "is empty"},
                                                     {"nan", "is not a number"},
                                                     {"NaN", "is not a number"},
                                                     {"inf", "is infinite"},
                                                     {"-infinity", "is infinite"},
                                                     {"1e999", "overflows"},
                                                     {"-1e999", "overflows"},
                                                     {"1e99999999999999999999", "overflows"},
                                                     {std::string(400, '7'), "overflows"},
                                                     {repeated("7", 400) + "e-5", "overflows"},
                                                     {"1.0kg", "has something behind the number"},
                                                     {"1,5", "has a decimal comma"},
                                                     {"0x1F", "is hexadecimal"},
                                                     {"--1", "is not a number"},
                                                     {"+-1", "is not a number"},
                                                     {"1 2", "has something behind the number"},
                                                     {"1e", "has something behind the number"},
                                                     {"${x}", "is a xacro expression"},
                                                     {"one", "is not a number"},
                                                     {"\xC2\xBD", "is not a number"}};
  for (const auto& [text, reason] : bad) {
    EXPECT_FALSE(parse_number(text)) << text;
    EXPECT_EQ(number_defect(text), reason) << text;
  }
}

TEST(Number, is_written_so_that_it_reads_back_to_the_last_bit) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double x = std::ldexp(random.real(), static_cast<int>(random.real(-1070.0, 1023.0)));
    EXPECT_EQ(parse_number(format_number(x)), x);
  }
  EXPECT_EQ(format_number(0.1), "0.1");
}

/// A decimal comma and points between thousands, for whoever asks C++ how numbers look.
struct German : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Number, does_not_care_about_the_locale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const std::locale cpp_before =
      std::locale::global(std::locale(std::locale::classic(), new German));
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"})
    if (std::setlocale(LC_ALL, name)) break;
  EXPECT_EQ(parse_number("1.5"), 1.5);
  EXPECT_FALSE(parse_number("1,5"));
  EXPECT_EQ(format_number(12345.5), "12345.5");
  const Model model = import_urdf(good_urdf, "good.urdf").model;
  const std::string text = to_urdf(model);
  EXPECT_EQ(text.find(','), text.npos);
  EXPECT_EQ(import_urdf(text, "again.urdf").model.description(), model.description());
  const Model table = import_table(good_table, "good.yaml").model;
  EXPECT_EQ(joint_of(table, "shoulder").limits.upper, 2.5);
  std::locale::global(cpp_before);
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace ulna::test
