#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "ulna/view/page/messages.hpp"

namespace ulna::view {

/// Writes numbers behind each other, as binary messages have them.
class Bytes {
 public:
  static_assert(std::endian::native == std::endian::little, "binary messages are little-endian");

  /// Begins anew; what the text has room for is not allocated.
  explicit Bytes(std::string& to) : text_(to) { text_.clear(); }
  template <class T>
  Bytes& add(T number) {
    text_.append(reinterpret_cast<const char*>(&number), sizeof(T));
    return *this;
  }
  Bytes& add(const Vec3<double>& v) {
    return add(float(v.x())).add(float(v.y())).add(float(v.z()));
  }
  Bytes& head(std::uint8_t kind, int robot, std::size_t count) {
    return add(kind).add(std::uint8_t(robot)).add(std::uint16_t(count));
  }

 private:
  std::string& text_;
};

/// How long messages of a moment are.
inline std::size_t state_size(Eigen::Index nq) { return 12 + 4 * std::size_t(nq); }
inline std::size_t values_size(Eigen::Index count) { return 12 + 4 * std::size_t(count); }
inline std::size_t arrows_size(std::size_t count) { return 12 + 24 * count; }
inline std::size_t trail_size(std::size_t count) { return 12 + 12 * count; }

// the same messages as those of messages.hpp, in memory that is there already

/// `order`: page_order of the robot's model.
void write_state(std::string& to, int robot, std::span<const int> order, double time, In<double> q);
void write_values(std::string& to, double time, In<double> values);
void write_arrows(std::string& to, double time, std::span<const Arrow> arrows);
void write_trail(std::string& to, int robot, double time, std::span<const Vec3<double>> points);

}  // namespace ulna::view
