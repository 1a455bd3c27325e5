#include "ulna/classic/polynomial.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ulna::classic {
namespace {

std::vector<std::int64_t> counts(const Polynomial& p, int first, int last) {
  std::vector<std::int64_t> list;
  for (int n = first; n <= last; ++n) list.push_back(std::llround(p.at(n)));
  return list;
}

TEST(Polynomial, is_found_again_from_its_values) {
  for (const BookCount& book : book_counts())
    for (const Polynomial* p : {&book.multiplications, &book.additions})
      for (const int first : {1, 2, 5}) {
        const auto found = Polynomial::through(first, counts(*p, first, first + p->degree() + 1));
        ASSERT_TRUE(found) << p->text();
        EXPECT_EQ(*found, *p) << found->text() << " in place of " << p->text();
      }
}

TEST(Polynomial, needs_one_value_more_than_its_coefficients_as_proof) {
  const Polynomial cubic(6, {1, 3, 2, 0});  // n(n+1)(n+2)/6
  EXPECT_FALSE(Polynomial::through(2, counts(cubic, 2, 5)));
  EXPECT_TRUE(Polynomial::through(2, counts(cubic, 2, 6)));
  EXPECT_FALSE(Polynomial::through(1, std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64, 128}));
}

TEST(Polynomial, is_told_in_lowest_terms) {
  EXPECT_EQ(Polynomial(6, {1, 3, -2, 0}).text(), "1/6 n^3 + 1/2 n^2 - 1/3 n");
  EXPECT_EQ(Polynomial(2, {-2, 0, 8}).text(), "-n^2 + 4");
  EXPECT_EQ(Polynomial(1, {0, 0, 0}).text(), "0");
  EXPECT_EQ(Polynomial::through(3, std::vector<std::int64_t>{0, 0})->text(), "0");
  EXPECT_EQ(Polynomial::through(3, std::vector<std::int64_t>{7, 7})->text(), "7");
}

TEST(BookCounts, are_whole_numbers) {
  for (const BookCount& book : book_counts())
    for (const Polynomial* p : {&book.multiplications, &book.additions})
      for (int n = 1; n <= 20; ++n)
        EXPECT_NEAR(p->at(n), std::round(p->at(n)), 1e-9) << book.source << " " << p->text();
}

// The rows of Tables 3.1 and 3.4 of Fu 1987, summed here.
TEST(BookCounts, of_tables_3_1_and_3_4_are_the_sums_of_their_rows) {
  for (int n = 1; n <= 20; ++n) {
    const double m = n;
    const double traces = m * (m + 1) * (m + 2);
    EXPECT_NEAR(book_counts()[0].multiplications.at(n),
                32 * m * (m - 1) + 4 * m * (9 * m - 7) + 128.0 / 3.0 * traces * (1 + m), 1e-6);
    EXPECT_NEAR(book_counts()[0].additions.at(n),
                24 * m * (m - 1) + m * (51 * m - 45) / 2 + m * (m - 1) / 2 +
                    65.0 / 2.0 * traces * (1 + m) + m * (m - 1) * (m + 1) / 6 * (1 + m),
                1e-6);
    EXPECT_EQ(book_counts()[1].multiplications.at(n),
              (9 + 9 + 27 + 15 + 3 + 24) * m + 9 * (m - 1) + 21 * m - 15);
    EXPECT_EQ(book_counts()[1].additions.at(n),
              (7 + 9 + 22 + 14 + 18) * m + 9 * m - 6 + 24 * m - 15);
  }
}

}  // namespace
}  // namespace ulna::classic
