#pragma once

#include <set>

#include "verb.hpp"

/// States of a robot on the command line: one by options or as a JSON document, or a table of many.
namespace ulna::cli {

/// A state and what acts on it. What is not given is zero, and q the neutral configuration.
struct GivenState {
  Eigen::VectorXd q, qd, qdd, tau;
  Robot::Wrenches wrenches;
  std::set<std::string> given = {};  ///< the quantities that were given: "q", "qd", ...
};

/// The states of a table, one per column.
struct TableBlock {
  Eigen::MatrixXd q, qd, qdd, tau;
  /// Why a column has no result: it is refused with the line that it came from, after the rows before it.
  mutable std::map<Eigen::Index, std::string> refused = {};
};

class States {
 public:
  /// Adds ROBOT, STATES and options. `quantities` are those the verb needs: "q qd qdd". Without `tables` it takes one
  /// state. The first argument may have another name and meaning.
  void add_to(Parser& app, std::string_view quantities, bool tables = true,
              const char* argument = "ROBOT", const char* meaning = RobotArgument::usual_meaning);
  /// The option --no-friction, for verbs whose results depend on friction.
  void add_friction_to(Parser& app);

  /// Loads the robot with --gravity and --no-friction done. Throws ModelError, UsageError.
  Robot load(Console& console);
  const RobotArgument& argument() const { return robot_; }
  RobotArgument& argument() { return robot_; }
  const std::string& file() const { return file_; }
  bool no_friction() const { return no_friction_; }

  /// Whether STATES is a table; else there is one state. Opens what has to be opened.
  bool is_table();
  /// Throws Failure if STATES is a table.
  void require_one_state();
  /// The one state, by options or as a document: one written by hand, or one that a verb printed with --json.
  /// Throws UsageError for options, Failure for what is in a file.
  GivenState state(Console& console, const Model& model);
  /// What a document of one state begins with: the robot, the names of its joints, and these quantities of the
  /// state ("q qd"), so that other verbs can read it.
  Json json(const Model& model, const GivenState& state, std::string_view quantities) const;
  /// Streams the table through `compute`, which turns blocks of states into columns called `names`;
  /// time passes through. Prints CSV, or with --json one document that is never held whole. Throws CsvError for a row
  /// that is refused, after the results of those before it, and if there is none.
  void stream(Console& console, const Model& model, const std::vector<std::string>& names,
              const std::function<void(const TableBlock&, Eigen::MatrixXd& out)>& compute);

 private:
  RobotArgument robot_;
  std::string file_;
  bool no_friction_ = false;
  std::map<std::string, std::string> given_;  ///< --q, --qd, ... as written
  std::optional<InputFile> in_;
  bool table_ = false;
};

/// A configuration that an option gives; the neutral one if the text is empty. With loops that are `closed`, by the joints that
/// move the others too. Throws UsageError.
Eigen::VectorXd configuration(Console& console, const Model& model, const std::string& text,
                              const std::string& option, bool closed = false);
/// The same, where what is not named stays as in `q`.
Eigen::VectorXd configuration_from(Eigen::VectorXd q, Console& console, const Model& model,
                                   const std::string& text, const std::string& option);
/// The coordinates of a configuration that are beyond their limits: "elbow at 100 (-2.9 to 2.9)", or "".
std::string beyond_limits(const Model& model, const Eigen::VectorXd& q);
/// Whether positions or torques of any joint are limited.
bool has_limits(const Model& model);
/// One line on standard error if a simulation begins there.
void mention_beyond_limits(Console& console, const Model& model, const Eigen::VectorXd& q);

/// "0,0.1,..." in the order of the names, or "elbow=0.1,wrist=2": what is not named keeps its value. Throws
/// UsageError.
void set_numbers(const std::string& text, const std::string& option,
                 const std::vector<std::string>& names, Eigen::VectorXd& values);

inline constexpr double farthest_payload = 10.0;  ///< m from the origin of what carries it

/// "2" or "2,0,0,0.1": a ball of 10 cm, its mass and its place. Throws UsageError; the example ends it.
Inertia<double> ball(std::vector<double> given, std::string_view example);

/// The frame of that name. Throws UsageError.
const Frame& frame_named(const Model& model, const std::string& name);

/// A pose as a row of a table: position, then roll, pitch and yaw; and the headings of it.
Eigen::RowVectorXd pose_row(const Pose& pose);
std::vector<Column> pose_columns();

/// Throws Failure if a number of a result is not finite, by the name of its row.
void require_finite(std::string_view what, const std::vector<std::string>& rows,
                    const Eigen::MatrixXd& values);

/// Throws CsvError if a table lacks the columns of a quantity.
void require_columns(const Model& model, std::string_view quantity, const std::vector<int>& columns,
                     const std::string& file);

/// Throws CsvError: a table without rows has no result, in every verb.
[[noreturn]] void refuse_no_rows(const std::string& file);

/// t, and the names of the columns of these quantities.
std::vector<std::string> table_names(const Model& model,
                                     std::initializer_list<std::string_view> quantities);

/// A number for each coordinate of the velocity: as JSON under `field`, after `before`, or as a table.
void print_per_joint(Console& console, const Model& model, const Json& before, const char* field,
                     const char* unit, const Eigen::VectorXd& values);

}  // namespace ulna::cli
