#pragma once

#include <istream>
#include <string>
#include <vector>

#include "ulna/identify/types.hpp"
#include "ulna/model/diagnostic.hpp"
#include "ulna/model/model.hpp"

/// What a robot was measured to do. From file to regression:
///
///     Diagnostics found;
///     Log log = load_log("run1.csv", model, {}, found);       // columns, rows that are no numbers
///     screen(log, model, {.filter_hz = 10.0}, found);         // screen.hpp: everything else
///     Prepared data = prepare({&log, 1}, {.filter_hz = 10.0}, found);  // prepare.hpp
///     if (found.has_errors()) throw LogError(found);
///
/// Nothing is guessed silently: what is dropped, repaired or refused is a Diagnostic with line
/// numbers (rules in log_rules.hpp). After an error, the results are empty.
namespace ulna::identify {

/// Measurements in the order of the model's coordinates, a sample per column; empty if not given.
struct Log {
  std::string file;
  std::vector<std::string> joints;  ///< names of the coordinates
  Vector t;                         ///< s
  Matrix q, v, a;                   ///< rad or m, and rates
  Matrix tau;                       ///< Nm or N
  Matrix current;                   ///< A
  /// Of robots with drives (docs/drives.md): motors as they are seen at the joints, and torques behind the springs; of
  /// joints without a spring, as q, v and tau are. If links have no encoders of their own, q and v are the motors'.
  Matrix theta, omega, link_tau;
  bool link_encoders = true;
  /// Of robots whose base floats (floating_base.hpp): all above is of the joints behind it; of the base, its pose (qw, qx, qy, qz, x, y, z) and
  /// its twist in its own axes, empty if it was not measured; and what known forces from outside are worth along all coordinates, J'F.
  Matrix base_pose, base_twist, outside;
  bool base_stands = false;   ///< nothing of the base was measured: it does not move
  std::vector<int> line;      ///< of the file, per sample
  Index rows = 0;             ///< in the file, corrupt ones included
  std::vector<Index> breaks;  ///< samples that do not continue the one before, in order

  Index size() const { return t.size(); }
  bool empty() const { return size() == 0; }
  /// Position, velocity, acceleration, torque, current and those of drives by name: those not empty, all of one size.
  std::vector<std::pair<const char*, Matrix*>> measurements();
  /// Keeps the samples whose mark is not 0.
  void keep(const std::vector<char>& marks);
};

struct LogOptions {
  double rate_hz = 0.0;                   ///< of logs without a column of time; 0: they are refused
  bool torque_needed = true;              ///< refuse a log that has neither torques nor currents
  std::size_t max_numbers = 100'000'000;  ///< read into memory, 8 bytes each
};

/// Reads a table whose columns are named as docs/formats.md says. Rows that are not as many finite
/// numbers as there are names are dropped and reported.
Log read_log(std::istream& in, const std::string& file, const Model& model,
             const LogOptions& options, Diagnostics& found);
Log load_log(const std::string& path, const Model& model, const LogOptions& options,
             Diagnostics& found);

/// tau = gains * current, joint by joint. Throws std::invalid_argument if the log has no currents, or
/// a gain is zero or not finite.
void apply_gains(Log& log, const Vector& gains);

/// Thrown when a log is refused. what() lists the errors, diagnostics() everything.
class LogError : public ModelError {
 public:
  using ModelError::ModelError;
};

}  // namespace ulna::identify
