#pragma once

#include <memory>
#include <string>

/// What the viewer's page shows, with a server or without: docs/viewer.md, docs/stream.md.
namespace ulna::view {

/// To a page; copies share the bytes.
struct Message {
  std::shared_ptr<const std::string> bytes;
  bool binary = false;
  /// A page that is slow misses all but the newest message of a topic; of topic 0, none.
  int topic = 0;
};
inline Message text(std::string bytes, int topic = 0) {
  return {std::make_shared<const std::string>(std::move(bytes)), false, topic};
}
inline Message binary(std::string bytes, int topic = 0) {
  return {std::make_shared<const std::string>(std::move(bytes)), true, topic};
}

}  // namespace ulna::view
