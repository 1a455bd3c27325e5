#pragma once

#include <cstring>

#include "cli.hpp"

/// What pages carry that the command writes: docs/stream.md.
namespace ulna::test {

/// What a page that was written shows.
inline json data_of(const std::string& file) {
  const std::string page = read_file(file),
                    open = "<script id=\"ulna-data\" type=\"application/json\">";
  EXPECT_TRUE(begins(page, "<!doctype html>"));
  // nothing is loaded from elsewhere; what the page has of such addresses are names of namespaces
  for (const char* wrong : {"src=\"http", "href=\"http", "@import", "url(http"})
    EXPECT_TRUE(lacks(page, wrong)) << wrong;
  const std::size_t begin = page.find(open);
  EXPECT_NE(begin, page.npos);
  if (begin == page.npos) return {};
  const std::size_t end = page.find("</script>", begin);
  return json::parse(page.substr(begin + open.size(), end - begin - open.size()));
}

/// The first message of a type; null if there is none.
inline json message(const json& data, const std::string& type) {
  for (const json& m : data["messages"])
    if (m["type"] == type) return m;
  return nullptr;
}

/// All blocks of a report of a kind, those in columns too.
inline std::vector<json> blocks_of(const json& within, const std::string& kind) {
  std::vector<json> found;
  for (const json& block : within["blocks"]) {
    if (block["kind"] == kind) found.push_back(block);
    if (block["kind"] == "columns")
      for (json& inner : blocks_of(block, kind)) found.push_back(std::move(inner));
  }
  return found;
}

inline std::string from_base64(const std::string& text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t digit = digits.find(c);
    if (digit == digits.npos) break;
    bits = bits << 6 | std::uint32_t(digit), count += 6;
    if (count >= 8) bytes += char(bits >> (count -= 8) & 255);
  }
  return bytes;
}

/// Binary messages of a kind, from 5 on: times and rows.
struct PageTrack {
  int robot = 0;
  std::vector<double> times;
  std::vector<std::vector<float>> rows;
};
inline std::vector<PageTrack> tracks_of(const json& data, int kind) {
  std::vector<PageTrack> tracks;
  for (const json& text : data["binary"]) {
    const std::string bytes = from_base64(text);
    if (bytes.size() < 12 || bytes[0] != kind) continue;
    const auto at = [&]<class T>(T x, std::size_t place) {
      std::memcpy(&x, bytes.data() + place, sizeof(T));
      return x;
    };
    const std::size_t width = at(std::uint16_t(), 2), count = at(std::uint32_t(), 4);
    PageTrack& track = tracks.emplace_back();
    track.robot = std::uint8_t(bytes[1]);
    for (std::size_t k = 0; k < count; ++k) {
      track.times.push_back(at(double(), 12 + 8 * k));
      std::vector<float>& row = track.rows.emplace_back();
      for (std::size_t i = 0; i < width; ++i)
        row.push_back(at(float(), 12 + 8 * count + 4 * (k * width + i)));
    }
  }
  return tracks;
}

}  // namespace ulna::test
