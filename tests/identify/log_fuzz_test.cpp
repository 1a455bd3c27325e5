#include <gtest/gtest.h>

#include "support/logs.hpp"
#include "ulna/identify/data/prepare.hpp"
#include "ulna/identify/data/screen.hpp"

namespace ulna::test {
namespace {

using namespace identify;

std::size_t below(Random& random, std::size_t n) {
  return static_cast<std::size_t>(random.real(0.0, static_cast<double>(n)));
}

/// Whatever is in the text, finite samples come out or an error.
void pass_through(const std::string& text, int& usable, int& refused) {
  static const Model model = three_joints();
  Diagnostics found;
  std::istringstream in(text);
  std::vector<Log> logs(1);
  logs[0] = read_log(in, "fuzz.csv", model, {}, found);
  screen(logs[0], model, {}, found);
  repair_clock(logs[0], found);
  const Prepared data = prepare(logs, {}, found);
  for (const Piece& piece : data.pieces)
    EXPECT_TRUE(piece.t.allFinite() && piece.q.allFinite() && piece.v.allFinite() &&
                piece.a.allFinite() && piece.tau.allFinite() && piece.direction.allFinite());
  EXPECT_EQ(data.pieces.empty(), found.has_errors()) << "an answer or an error";
  for (const Diagnostic& d : found.list()) EXPECT_FALSE(d.str().empty() || d.remedy.empty());
  (data.pieces.empty() ? refused : usable) += 1;
}

TEST(Fuzz, random_bytes_are_refused) {
  int usable = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::string text = seed % 2 ? "t,q1,q2,q3,qd1,qd2,qd3,tau1,tau2,tau3\n" : "";
    const std::string_view letters = "0123456789.,,,,--+eE\n\n\n naif;\t\"#";
    for (std::size_t i = 0, n = below(random, 3000); i < n; ++i)
      text +=
          seed % 3 ? letters[below(random, letters.size())] : static_cast<char>(below(random, 256));
    pass_through(text, usable, refused);
    if (HasFailure()) break;
  }
  EXPECT_EQ(refused, 2000);
}

TEST(Fuzz, spoilt_logs_yield_finite_samples_or_errors) {
  const std::string good = good_table(600).text();
  static const std::string numbers[] = {"nan", "inf", "-inf", "1e999", "1e293",  "-1e308", "1e-320",
                                        "",    "0",   "-0",   "1e9",   "0x1p3",  "1 2",    "2.5",
                                        "-3",  "1e6", "1,5",  "\"",    "999999", "1e18"};
  int usable = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::string text = good;
    for (std::size_t i = 0, n = 1 + below(random, seed % 2 ? 40 : 1000); i < n; ++i) {
      const std::size_t at = below(random, text.size()), length = below(random, 300);
      switch (below(random, 6)) {
        case 0:
          text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          text.insert(below(random, text.size()), text.substr(at, length));
          break;
        default: {
          const std::size_t first = text.find_first_of("0123456789", at);
          if (first == text.npos) break;
          const std::size_t last =
              std::min(text.find_first_not_of("0123456789.e+-", first), text.size());
          text.replace(first, last - first, numbers[below(random, std::size(numbers))]);
        }
      }
    }
    pass_through(text, usable, refused);
    if (HasFailure()) break;
  }
  std::printf("%d usable, %d refused\n", usable, refused);
  EXPECT_GT(usable, 100);
  EXPECT_GT(refused, 20);
}

TEST(Fuzz, times_and_numbers_of_any_size_yield_finite_samples_or_errors) {
  int usable = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Table table = good_table(300);
    // clocks whose steps are anything from picoseconds to years, and columns of any size
    const double spread = random.real(0.0, seed % 2 ? 1.0 : 9.0);
    double t = random.real(-1e6, 1e6);
    for (auto& row : table.rows) {
      t += 2e-3 * std::pow(10.0, random.real(-spread, spread));
      row[Table::t] = t;
    }
    for (std::size_t c = 1; c < Table::width; ++c) {
      if (below(random, 3)) continue;
      const double scale = std::pow(10.0, random.real(-300.0, 300.0));
      for (auto& row : table.rows) row[c] *= scale;
    }
    pass_through(table.text(), usable, refused);
    if (HasFailure()) break;
  }
  std::printf("%d usable, %d refused\n", usable, refused);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace ulna::test
