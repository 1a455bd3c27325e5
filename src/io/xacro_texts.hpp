#pragma once

#include <filesystem>

#include "io/xacro_expression.hpp"
#include "io/xacro_scope.hpp"

namespace YAML {
class Node;
}

namespace ulna::detail {

/// An expression's defect that breaks a rule of its own.
struct XacroError : xacro::ExpressionError {
  XacroError(const Rule& broken, const std::string& why, std::string what_to_do = {})
      : ExpressionError(why), rule(&broken), remedy(std::move(what_to_do)) {}
  const Rule* rule;
  std::string remedy;
};

/// Computes the texts of a xacro file, ${...} and $(...), and reports what is wrong with them.
class XacroTexts {
 public:
  XacroTexts(const ImportOptions& options, Diagnostics& out)
      : options_(options), out_(out), files_(options, out), elements_(options.max_elements) {}

 protected:
  using XMLAttribute = tinyxml2::XMLAttribute;
  using XMLElement = tinyxml2::XMLElement;
  using Value = xacro::Value;
  using Scope = xacro::Scope;

  struct Argument {
    std::string value;
    bool given = false, declared = false;
  };
  struct Call {
    std::string macro;
    Place place;
  };
  static constexpr int deepest = 200;  ///< of macros and includes within each other

  Place at(const auto& node) const { return XmlFiles::place(*file_, node); }
  void report(const Rule& rule, const Place& place, std::string subject, std::string seen,
              std::string remedy = {});
  /// What is beyond a limit ends everything.
  void refuse(const Place& place, std::string seen);
  void count(const Place& place, std::size_t n = 1);
  /// The same of texts that are made or copied.
  void count_bytes(const Place& place, std::size_t bytes);
  std::string subject(const XMLElement& e) const;

  /// The value of a property; nullptr if there is none of this name.
  const Value* find_value(std::string_view name, Scope& from);
  std::vector<std::string_view> declared_arguments() const;

  /// The value of a text, or an empty one if it has none, which is reported.
  Value value_of(std::string_view text, const Place& place, Scope& scope, std::string_view what);
  std::string text_of(std::string_view text, const Place& place, Scope& scope,
                      std::string_view what);
  std::string text_of(const XMLElement& e, const XMLAttribute& a, Scope& scope) {
    return text_of(a.Value(), at(a), scope, subject(e));
  }
  /// A path as xacro files write it: absolute, in a package, or relative to the file that names it.
  std::string path_of(std::string_view name) const;

  const ImportOptions& options_;
  Diagnostics& out_;
  XmlFiles files_;
  std::map<std::string, Argument, std::less<>> arguments_;
  std::vector<Call> calls_;
  const XmlFiles::File* file_ = nullptr;  ///< that is being expanded

 private:
  std::string argument(const std::string& name);
  Value evaluate_text(std::string_view text, Scope& scope);
  Value compute(std::string_view expression, Scope& scope);
  std::string substitution(std::string_view inside, Scope& scope);
  std::filesystem::path folder() const;
  std::string package(const std::string& name) const;
  Value load_yaml(const std::string& name);
  Value yaml_value(const YAML::Node& node);

  std::size_t elements_;           ///< that may still be expanded
  std::size_t steps_ = 5'000'000;  ///< words of expressions that may still be read
  int properties_ = 0;             ///< within each other
  int operators_ = 0;              ///< the same, of all expressions that are being computed
};

}  // namespace ulna::detail
