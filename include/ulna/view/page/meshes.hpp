#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ulna/geometry/colored_mesh.hpp"
#include "ulna/geometry/robot_shapes.hpp"

namespace ulna::view {

struct MeshOptions {
  /// Where meshes are looked for, and how large one may be.
  ShapeOptions files = {.limits = {.max_bytes = 256u << 20, .max_triangles = 2'000'000}};
  std::size_t most_meshes = 4096;
  std::size_t most_bytes = 1u << 30;  ///< of all, as pages get them
};

/// The meshes that pages ask for by number, each read once. Any number of threads may use it.
class Meshes {
 public:
  explicit Meshes(MeshOptions options = {}) : options_(std::move(options)) {}

  /// The number of a link's mesh. -1: there is none, and a diagnostic says why.
  int number(const Description& robot, const LinkDescription& link, const Mesh& mesh,
             Diagnostics& found);
  /// Of triangles that are in no file; -1: they are too many.
  int add(const ColoredMesh& mesh);
  /// As docs/stream.md has it; null: no such mesh.
  std::shared_ptr<const std::string> bytes(int number) const;
  int size() const;

 private:
  /// Under the lock.
  int keep(std::string bytes);

  MeshOptions options_;
  mutable std::mutex mutex_;
  std::map<std::string, int> numbers_;  ///< by file, and when it was written
  std::vector<std::shared_ptr<const std::string>> meshes_;
  std::size_t bytes_ = 0;
};

}  // namespace ulna::view
