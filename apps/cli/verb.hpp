#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <span>

#include "report.hpp"
#include "table.hpp"

/// What the verbs have in common.
namespace ulna::cli {

/// Does what the command line asks for and returns the exit status, or throws.
using Action = std::function<int()>;

/// Refuses numbers that CLI11 reads and ulna's files do not have: hexadecimal ones.
extern const CLI::Validator plain_number;

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T>;
template <class T>
inline constexpr bool is_number<std::optional<T>> = is_number<T>;

/// Takes a verb's arguments and options.
struct Parser : CLI::App {
  /// An option: its names, where its value goes, what help calls it, its meaning, what is refused.
  template <class T>
  CLI::Option* add_value(const char* names, T& to, const char* value, const char* meaning,
                         const CLI::Validator& check = {}) {
    CLI::Option* option = add_option(names, to, meaning)->option_text(value);
    if constexpr (is_number<T>) option->check(plain_number);
    return option->check(check);
  }
  /// A file to write; with `printable`, "-" is standard output, else it is refused.
  CLI::Option* add_output(const char* names, std::string& to, const char* meaning,
                          bool printable = false, const char* value = "FILE");
  void add_force(bool& to) { add_flag("-f,--force", to, "overwrite files"); }
  /// Refuses --force where no file is written. Throws UsageError.
  void refuse_useless_force() const;

 private:
  std::vector<const CLI::Option*> outputs_;
};

/// Sets up the parser of a verb. The action, run after parsing, owns what options are written to.
using Setup = Action(Parser& app, Console& console);

struct Verb {
  std::string_view name;
  std::string_view summary;
  Setup* setup;
};

// one file each; main.cpp has the table
Setup check, info, tree, convert, robots, fk, id, fd, terms, equations, ik, count, compare,
    simplify, codegen, excite, identify, simulate, mpc, drive, rig, view;

/// What `ulna help` prints.
std::string overview(const Stream& stream, std::span<const Verb> verbs);

/// What `ulna VERB --help` prints: usage, arguments, options, and the examples of assets/VERB.txt.
std::string help(const Stream& stream, const Verb& verb, const CLI::App& app);

/// Refuses numbers: number_that("is not above 0", ...) says "--rate: -1 is not above 0".
CLI::Validator number_that(const std::string& defect, bool (*good)(double));
/// The same for whole numbers: "--steps: '1.5' is not a whole number from 2 to 200".
CLI::Validator whole_number(double low, double high);
inline const CLI::Validator above_zero =
    number_that("is not above 0", [](double x) { return x > 0.0 && std::isfinite(x); });
/// The same for words: "--axes: 'wrold' is not one of local, world; did you mean 'world'?"
CLI::Validator word_of(std::vector<std::string> words);
/// What is wrong with a word that is none of these: "'wrold' is not one of ...".
std::string unknown_word(std::string_view word, const std::vector<std::string>& words);
/// Throws UsageError for a word that is none of these and like one of them, where a file that is there would do too.
void require_word_or_file(std::string_view option, const std::string& word,
                          const std::vector<std::string>& words);
inline constexpr double largest_seed = 9e15;  // whole numbers above it are no doubles
inline const CLI::Validator seed_number = whole_number(0.0, largest_seed);
inline const CLI::Validator not_negative =
    number_that("is not 0 or more", [](double x) { return x >= 0.0 && std::isfinite(x); });

/// What a robot may have between motors and links, each with all that stands before it.
enum class Drives { none, springs, coupled_motors, carried_rotors };

/// Options for descriptions that consist of several files.
struct SourceOptions {
  std::vector<std::string> arguments, packages;

  void add_to(CLI::App& app);
  /// Those with what was given. Throws UsageError.
  ImportOptions with(ImportOptions options) const;
};

/// The argument ROBOT and the options for reading it: the same for every verb.
struct RobotArgument {
  std::string name, gravity;
  std::optional<std::string> text = {};  ///< of "-", if it was read already
  bool loops_closed = false;             ///< by the verb, if the robot has some
  bool open_loops = false;               ///< shall stay open
  Drives drives = Drives::none;          ///< what the verb computes with; others are left out
  mutable bool drives_left_out = false;  ///< by load
  ImportOptions options;
  SourceOptions files = {};

  static constexpr const char* usual_meaning =
      "a file, - for standard input, or an embedded robot (ulna robots)";
  void add_to(CLI::App& app, const char* argument = "ROBOT", const char* meaning = usual_meaning);
  /// The option --gravity, for verbs that compute forces.
  void add_gravity_to(Parser& app);

  /// The option --open-loops, for verbs that close loops otherwise.
  void add_loops_to(Parser& app);
  /// Whether the verb closes loops of this robot; mentions them if it could and does not.
  bool closes_loops(Console& console, const Model& model);

  /// If the name is "-": reads standard input, for verbs that take more than robots there. Throws Failure.
  void read_standard_input();
  /// Throws ModelError, UsageError.
  Imported load() const;
  /// The file's name, "<stdin>", "panda.urdf (embedded)" or "chain:7 (generated)".
  std::string source() const;
  /// Name, source and degrees of freedom.
  Json json(const Model& model) const;
};

/// One line on standard error if the importer had to assume anything: nothing is guessed silently.
void mention_warnings(Console& console, const RobotArgument& robot, const Diagnostics& diagnostics);

/// The same if the robot has loops, for verbs that leave them open.
void mention_open_loops(Console& console, const Model& model);

/// Numbers separated by commas: "0,0.1,-2".
std::vector<double> numbers(const std::string& text, const std::string& what);
/// Numbers by name, "elbow=0.1,wrist=2", and whether a text is such a list. Throws UsageError if a name is
/// given twice.
std::vector<std::pair<std::string, double>> named_numbers(const std::string& text,
                                                          const std::string& what);
bool is_named(const std::string& text);
Vec3<double> three_numbers(const std::string& text, const std::string& what);

/// Throws UsageError if more than one of these names is "-".
void require_one_stdin(const std::vector<std::string>& names);

/// A file to read, or with the name "-" standard input.
class InputFile {
 public:
  /// Throws Failure with the message, which names the file at {}.
  explicit InputFile(const std::string& name, std::string_view message = "{}: cannot be read");
  std::istream& stream() { return opened_ ? *opened_ : std::cin; }
  /// As messages name it.
  const std::string& name() const { return name_; }
  /// What is left of it; empty if that has more bytes.
  std::optional<std::string> text(std::size_t most);

 private:
  std::string name_;
  std::unique_ptr<std::istream> opened_;
};

/// Throws if one of the files exists and may not be overwritten. "" and "-" are no files.
void refuse_overwriting(const std::vector<std::string>& files, bool force);
/// The same, and if a file cannot be written or is named twice: before any work whose result would be lost.
void require_writable(const std::vector<std::string>& files, bool force);

/// Throws if the folder, which need not exist, cannot be made or no file can be made in it.
void require_folder(const std::string& folder);

/// Throws UsageError if a file to write is one that is read: a log would be lost.
void require_others(const std::vector<std::string>& outputs,
                    const std::vector<std::string>& inputs);

/// Writes the whole file or, even if the program is killed halfway, nothing. Devices and pipes are
/// written directly. Throws Failure with the reason.
void write_file(const std::string& path, std::string_view text, bool force);
/// The same, but "-" is standard output.
void write_or_print(Console& console, const std::string& path, std::string_view text, bool force);

/// The files that a result is written to. One that cannot be written does not take the result with it: it is
/// printed all the same, and the exit status says that something failed.
class ResultFiles {
 public:
  ResultFiles(Console& console, bool force) : console_(console), force_(force) {}
  /// "" is no file, "-" standard output.
  void write(const std::string& path, std::string_view text);
  /// {"error": ...} if one could not be written.
  Json json() const;
  /// The status of the result, or the failure to write it, which is then reported.
  int finish(int status) const;

 private:
  Console& console_;
  bool force_;
  std::string error_;
};

}  // namespace ulna::cli
