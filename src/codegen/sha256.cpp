#include "codegen/sha256.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace ulna::detail {
namespace {

/// The first 32 bits of the fractional parts of roots of the first primes: cube roots for the rounds,
/// square roots for the start.
struct Constants {
  std::array<std::uint32_t, 64> round{};
  std::array<std::uint32_t, 8> start{};

  Constants() {
    std::size_t count = 0;
    for (int n = 2; count < round.size(); ++n) {
      bool prime = true;
      for (int d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
      if (!prime) continue;
      if (count < start.size()) start[count] = fraction(std::sqrt(n));
      round[count++] = fraction(std::cbrt(n));
    }
  }
  static std::uint32_t fraction(double x) {
    return static_cast<std::uint32_t>((x - std::floor(x)) * 4294967296.0);
  }
};

void absorb(std::array<std::uint32_t, 8>& state, const unsigned char* block,
            const std::array<std::uint32_t, 64>& round) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t k = 0; k < 4; ++k) w[i] = w[i] << 8 | block[4 * i + k];
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t x = w[i - 15], y = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) + w[i - 7] +
           (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + round[i] + w[i];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const std::uint32_t sums[8] = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += sums[i];
}

}  // namespace

std::string sha256(std::string_view text) {
  static const Constants constants;
  std::array<std::uint32_t, 8> state = constants.start;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t done = 0;
  for (; done + 64 <= text.size(); done += 64) absorb(state, bytes + done, constants.round);

  // the rest, a one, zeros, and the length in bits
  std::string rest(text.substr(done));
  rest += '\x80';
  while (rest.size() % 64 != 56) rest += '\0';
  const std::uint64_t bits = 8 * static_cast<std::uint64_t>(text.size());
  for (int k = 56; k >= 0; k -= 8) rest += static_cast<char>(bits >> k & 0xff);
  for (std::size_t i = 0; i < rest.size(); i += 64)
    absorb(state, reinterpret_cast<const unsigned char*>(rest.data()) + i, constants.round);

  std::string digits;
  for (const std::uint32_t word : state)
    for (int k = 28; k >= 0; k -= 4) digits += "0123456789abcdef"[word >> k & 0xf];
  return digits;
}

}  // namespace ulna::detail
