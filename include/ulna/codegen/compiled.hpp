#pragma once

#include <filesystem>

#include "ulna/codegen/traced.hpp"

namespace ulna::codegen {

struct CompileOptions {
  /// Where compiled functions are kept: by default $ULNA_CACHE, else $XDG_CACHE_HOME/ulna, else
  /// ~/.cache/ulna. What lies there is run: it must be the user's own, writable by no one else.
  std::filesystem::path cache = {};
  std::string compiler = "cc";
  std::vector<std::string> flags = {"-O3", "-march=native", "-ffp-contract=fast"};
  /// How many of many states are computed at a time, in SIMD lanes: 2, 4, 8 or 16, or 0 for one by one.
  /// It takes longer to compile.
  int lanes = 0;
};

/// A traced function, compiled by the system's C compiler and loaded.
///
/// What was compiled is kept in the cache under the hash of all that it depends on: the C text, the
/// compiler's version and flags, and the instructions it may use. Entries carry a hash of their own content and appear whole or not at
/// all, so any number of processes may share a cache, and what is damaged is compiled anew. What is
/// loaded is a private copy of what was verified: a cache may be changed while a function is in use.
class CompiledFunction {
 public:
  /// Throws std::runtime_error with the compiler's words if there is none or it fails.
  explicit CompiledFunction(const Traced& function, const CompileOptions& options = {});

  /// One span per vector, of its size: throws std::invalid_argument where they are not.
  void operator()(Inputs inputs, Outputs outputs) const;
  /// The same unchecked, with pointers to the vectors.
  void call(const double* const* inputs, double* const* outputs) const { entry_(inputs, outputs); }

  /// Many states, one behind the other in each vector. Throws std::invalid_argument likewise.
  void operator()(std::size_t states, Inputs inputs, Outputs outputs) const;
  /// The same unchecked, with pointers to the vectors.
  void call(std::size_t states, const double* const* inputs, double* const* outputs) const {
    states_entry_(states, inputs, outputs);
  }

  bool came_from_cache() const { return from_cache_; }
  const std::filesystem::path& cache_entry() const { return entry_path_; }

 private:
  std::vector<Traced::Vector> inputs_, outputs_;
  std::filesystem::path entry_path_;
  std::shared_ptr<void> library_;
  void (*entry_)(const double* const*, double* const*) = nullptr;
  void (*states_entry_)(std::size_t, const double* const*, double* const*) = nullptr;
  bool from_cache_ = false;
};

}  // namespace ulna::codegen
