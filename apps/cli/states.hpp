#pragma once

#include <CLI/CLI.hpp>

#include "report.hpp"
#include "robot_argument.hpp"

/// The states of a robot as the command line gives them: one by options, one as a JSON document, or
/// many as a table.
namespace ulna::cli {

/// A state and what acts on it. What is not given is zero, and q the neutral configuration.
struct GivenState {
  Eigen::VectorXd q, qd, qdd, tau;
  Robot::Wrenches wrenches;
};

class States {
 public:
  /// Adds ROBOT, STATES and options. `quantities` are those the verb needs: "q qd qdd".
  void add_to(CLI::App& app, std::string_view quantities);

  /// Loads the robot with --gravity and --no-friction done. Throws ModelError, UsageError.
  Robot load();
  const RobotArgument& argument() const { return robot_; }

  /// Whether STATES is a table; else there is one state. Opens what has to be opened.
  bool is_table();
  /// The one state. Throws UsageError.
  GivenState state(const Model& model);
  /// A configuration that another option gives; the neutral one if the text is empty. Throws UsageError.
  static Eigen::VectorXd configuration(const Model& model, const std::string& text,
                                       const std::string& option);
  /// The table, and how many bytes it has (0 if that is not known).
  std::istream& table() { return *in_; }
  std::size_t table_bytes() const { return bytes_; }
  std::string table_name() const { return file_ == "-" ? "<stdin>" : file_; }

 private:
  RobotArgument robot_;
  std::string file_, gravity_;
  bool no_friction_ = false;
  std::map<std::string, std::string> given_;  ///< --q, --qd, ... as written
  std::unique_ptr<std::istream> opened_;
  std::istream* in_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Numbers separated by commas: "0,0.1,-2".
std::vector<double> numbers(const std::string& text, const std::string& what);
Vec3<double> three_numbers(const std::string& text, const std::string& what);

/// A number for each coordinate of the velocity: as JSON under `field`, or as a table.
void print_per_joint(Console& console, const Model& model, const char* field, const char* unit,
                     const Eigen::VectorXd& values);

/// A row of numbers per state in, a row out: streams a table through `compute`, which is given blocks
/// of states (a state per column) and writes its columns, named `names`, into `out`. Time passes
/// through. Prints CSV, or with --json one document.
struct TableBlock {
  Eigen::MatrixXd q, qd, qdd, tau;
};
void stream_table(States& states, Console& console, const Model& model,
                  const std::vector<std::string>& needed, const std::vector<std::string>& names,
                  const std::function<void(const TableBlock&, Eigen::MatrixXd& out)>& compute);

}  // namespace ulna::cli
