#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// What is found wrong with a robot's description.
///
/// Nothing is guessed silently: each repair, assumption and refusal is a Diagnostic with the place,
/// the rule, what was seen, what was assumed and a remedy. A description with an error is
/// refused; `strict` refuses one with a warning too.
namespace ulna {

enum class Severity { note, warning, error };
std::string_view to_string(Severity severity);

/// A thing that can be wrong with a description. The list is in model/rules.hpp.
struct Rule {
  std::string_view name;     ///< stable: users filter by it
  Severity severity;         ///< as a rule; an instance may be milder
  std::string_view meaning;  ///< one sentence
  std::string_view remedy;   ///< how to correct it
};

/// A place in a file. Line 0: the description was not read from a text.
struct Source {
  std::string file;
  int line = 0;
  int column = 0;

  std::string str() const;  ///< "panda.urdf:41", "log.csv:7:3", or "" if nothing is known
};

struct Diagnostic {
  Severity severity = Severity::note;
  const Rule* rule = nullptr;
  Source source;
  std::string subject;  ///< "joint 'elbow'"
  std::string seen;     ///< "axis 0 0 2 is not of unit length"
  std::string assumed;  ///< "0 0 1 is used"; empty for an error
  std::string remedy;   ///< particular to this case, or else the rule's

  /// "panda.urdf:41: warning: joint 'elbow': axis 0 0 2 is not of unit length; 0 0 1 is used [axis-not-unit]"
  std::string str() const;
};

/// Collects what is found, up to a limit, and turns warnings into errors when strict.
class Diagnostics {
 public:
  static constexpr std::size_t limit = 1000;

  explicit Diagnostics(bool strict = false) : strict_(strict) {}

  /// Severity and remedy are the rule's unless others are given.
  void add(const Rule& rule, Source source, std::string subject, std::string seen,
           std::string assumed = {}, std::string remedy = {},
           std::optional<Severity> severity = {});
  /// The same, as a note whatever the rule's severity.
  void note(const Rule& rule, Source source, std::string subject, std::string seen,
            std::string assumed = {}) {
    add(rule, std::move(source), std::move(subject), std::move(seen), std::move(assumed), {},
        Severity::note);
  }

  std::span<const Diagnostic> list() const { return list_; }
  std::size_t count(Severity severity) const { return counts_[static_cast<std::size_t>(severity)]; }
  bool has_errors() const { return count(Severity::error) > 0; }
  void throw_if_errors() const;  ///< a ModelError
  bool strict() const { return strict_; }
  /// The first with this rule, or nullptr.
  const Diagnostic* find(const Rule& rule) const;
  /// In the order in which a person reads the file.
  void sort_by_line();

 private:
  std::vector<Diagnostic> list_;
  std::size_t counts_[3] = {0, 0, 0};
  bool strict_;
};

/// Thrown when a description is refused. what() lists the errors, by line, diagnostics() everything.
class ModelError : public std::runtime_error {
 public:
  explicit ModelError(Diagnostics diagnostics);
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

/// "; did you mean 'upper_arm'?" if one of the names is similar, else "". Similar is what differs by a third
/// of its letters, or by `at_least` so many.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> names,
                         int at_least = 1);

/// How many insertions, deletions, changes and swaps of neighbours turn one into the other;
/// `most` + 1 if it is more than `most`.
int edit_distance(std::string_view a, std::string_view b, int most);

}  // namespace ulna
