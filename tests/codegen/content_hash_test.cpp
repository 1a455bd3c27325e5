#include "../../src/codegen/content_hash.hpp"

#include <gtest/gtest.h>

namespace ulna::detail {
namespace {

// As xxhsum -H128 prints them: of nothing, of a few bytes, and of many blocks.
TEST(ContentHash, is_that_of_xxhsum) {
  EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(content_hash("abc"), "06b05ab6733a618578af5f94892f3950");
  EXPECT_EQ(content_hash(std::string(1000000, 'a')), "a545df8e384a9579b1fd6fae5285c4eb");
}

TEST(ContentHash, changes_with_every_byte) {
  const std::string text(300, 'x');
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] ^= 1;
    EXPECT_NE(content_hash(other), content_hash(text)) << i;
  }
}

}  // namespace
}  // namespace ulna::detail
