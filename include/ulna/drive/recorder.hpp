#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ulna::drive {

/// Writes rows of numbers to a CSV file from a thread of its own. `push` copies a row into a ring and returns at once: it does
/// not wait, allocate or call the system. Rows that find the ring full are lost, and counted.
class Recorder {
 public:
  /// `rows`: of the ring. Throws std::runtime_error if the file cannot be written or is there already, unless it may be
  /// overwritten, std::invalid_argument for names that CSV cannot have.
  Recorder(const std::string& path, const std::vector<std::string>& names, std::size_t rows = 20000,
           bool overwrite = false);
  ~Recorder();

  /// From one thread at a time. False: it was lost.
  bool push(std::span<const double> row) noexcept;
  /// Writes what is left and closes the file. Returns whether all that was pushed and not lost is in it.
  bool finish() noexcept;

  const std::vector<std::string>& names() const;
  long written() const noexcept;
  long lost() const noexcept;
  /// Why writing failed; empty if it did not.
  std::string error() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::drive
