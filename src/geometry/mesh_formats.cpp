#include "geometry/mesh_formats.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

namespace ulna::detail {
namespace {

/// Words of a text, line by line.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }
  /// The next word of the line, or nothing.
  std::string_view word() {
    const std::size_t from = line_.find_first_not_of(" \t\r");
    if (from == std::string_view::npos) return {};
    line_.remove_prefix(from);
    const std::size_t end = std::min(line_.find_first_of(" \t\r"), line_.size());
    const std::string_view word = line_.substr(0, end);
    line_.remove_prefix(end);
    return word;
  }
  /// Three numbers that are finite, and whether there were.
  bool vector(Vec3<double>& out) {
    for (int i = 0; i < 3; ++i) {
      std::string_view text = word();
      if (text.starts_with('+')) text.remove_prefix(1);
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out(i));
      if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(out(i)))
        return false;
    }
    return true;
  }
  int number() const { return number_; }

 private:
  std::string_view rest_, line_;
  int number_ = 0;
};

/// 80 bytes, the count, and for each triangle 12 floats and 2 bytes, all little-endian.
MeshText read_binary_stl(std::string_view bytes, std::size_t count, std::size_t limit) {
  MeshText out;
  if (count >= limit) {
    out.too_large = true;
    return out;
  }
  out.triangles.vertices.reserve(3 * count);
  out.triangles.faces.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      std::array<float, 3> xyz;
      std::memcpy(xyz.data(), bytes.data() + 84 + 50 * i + 12 * (k + 1), sizeof xyz);
      const Vec3<double> at(xyz[0], xyz[1], xyz[2]);
      if (!at.allFinite()) {
        out.defect = "a corner of triangle " + std::to_string(i) + " is not a finite number";
        return out;
      }
      out.triangles.vertices.push_back(at);
    }
    const int first = static_cast<int>(3 * i);
    out.triangles.faces.push_back({first, first + 1, first + 2});
  }
  return out;
}

MeshText read_text_stl(std::string_view text, std::size_t limit) {
  MeshText out;
  Words words(text);
  auto& vertices = out.triangles.vertices;
  while (words.next_line()) {
    const std::string_view word = words.word();
    out.line = words.number();
    if (word == "vertex") {
      Vec3<double> at;
      if (!words.vector(at)) {
        out.defect = "a vertex is not three finite numbers";
        return out;
      }
      vertices.push_back(at);
    } else if (word == "endloop") {
      const int last = static_cast<int>(vertices.size());
      if (last != 3 * static_cast<int>(out.triangles.faces.size() + 1)) {
        out.defect = "a facet does not have three vertices";
        return out;
      }
      out.triangles.faces.push_back({last - 3, last - 2, last - 1});
      if (out.triangles.faces.size() >= limit) {
        out.too_large = true;
        return out;
      }
    }
  }
  if (vertices.size() != 3 * out.triangles.faces.size())
    out.defect = "the file ends within a facet";
  if (out.defect.empty()) out.line = 0;
  return out;
}

}  // namespace

std::optional<std::size_t> binary_stl_count(std::string_view head, std::size_t bytes) {
  std::uint32_t count = 0;
  if (head.size() < 84) return {};
  std::memcpy(&count, head.data() + 80, sizeof count);
  // a text begins with 'solid', and so do some binary files: their length decides
  const std::size_t size = 84 + 50 * static_cast<std::size_t>(count);
  if (bytes == size || (bytes > size && !head.starts_with("solid"))) return count;
  return {};
}

MeshText read_stl(std::string_view bytes, std::size_t limit) {
  if (const auto count = binary_stl_count(bytes, bytes.size()))
    return read_binary_stl(bytes, *count, limit);
  if (bytes.starts_with("solid")) return read_text_stl(bytes, limit);
  MeshText out;
  out.defect = bytes.size() < 84 ? "it is too short for an STL file"
                                 : "it is shorter than its head announces";
  return out;
}

MeshText read_obj(std::string_view text, std::size_t limit) {
  MeshText out;
  Words words(text);
  auto& [vertices, faces] = out.triangles;
  const auto refuse = [&](const char* defect) {
    out.defect = defect;
    return out;
  };
  while (words.next_line()) {
    const std::string_view kind = words.word();
    out.line = words.number();
    if (kind == "v") {
      Vec3<double> at;
      if (!words.vector(at)) return refuse("a vertex is not three finite numbers");
      vertices.push_back(at);
    } else if (kind == "f") {
      std::array<int, 3> face{};
      int corners = 0;
      for (std::string_view word = words.word(); !word.empty(); word = words.word()) {
        int index = 0;  // "7", "7/1" or "7/1/2", from 1; -1 is the last one
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
        const int count = static_cast<int>(vertices.size());
        const int vertex = index < 0 ? count + index : index - 1;
        if (error != std::errc() || (end != word.data() + word.size() && *end != '/') ||
            vertex < 0 || vertex >= count)
          return refuse("a face names a vertex that is not there");
        face[static_cast<std::size_t>(std::min(corners, 2))] = vertex;
        if (++corners < 3) continue;
        faces.push_back(face);
        face[1] = vertex;  // the next triangle of the fan
        if (faces.size() >= limit) {
          out.too_large = true;
          return out;
        }
      }
      if (corners < 3) return refuse("a face has fewer than three corners");
    }
  }
  out.line = 0;
  return out;
}

}  // namespace ulna::detail
