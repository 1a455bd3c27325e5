#include "io/xacro_texts.hpp"

#include <algorithm>
#include <cstdlib>

#include "ulna/model/packages.hpp"
#include "ulna/model/rules.hpp"

#if ULNA_WITH_YAML
#include <yaml-cpp/yaml.h>

#include <fstream>

#include "io/yaml_reader.hpp"
#endif

namespace ulna::detail {
namespace {

namespace fs = std::filesystem;
using namespace xacro;  // Value and what computes it

/// While a property is computed.
struct Computing : Level {
  Computing(Property& property, int& depth) : Level(depth), property_(property) {
    property_.computing = true;
  }
  ~Computing() { property_.computing = false; }
  Property& property_;
};

/// Where what begins before `from` ends, with quotes and brackets within.
std::size_t end_of(std::string_view text, std::size_t from, char open, char close) {
  int depth = 1;
  char quote = '\0';
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (quote)
      quote = c == quote ? '\0' : quote;
    else if (c == '\'' || c == '"')
      quote = open == '{' ? c : '\0';
    else if (c == open)
      ++depth;
    else if (c == close && --depth == 0)
      return i;
  }
  throw ExpressionError("'$" + std::string(1, open) + "' is not closed by '" + close + "'");
}

}  // namespace

void XacroTexts::report(const Rule& rule, const Place& place, std::string subject, std::string seen,
                        std::string remedy) {
  if (!calls_.empty())
    seen += ", in " + quoted("macro", calls_.back().macro) + " called at " +
            files_.at(calls_.back().place).str();
  out_.add(rule, files_.at(place), std::move(subject), std::move(seen), {}, std::move(remedy));
  if (out_.count(Severity::error) > 100) out_.throw_if_errors();  // the rest would take long
}
/// What is beyond a limit ends everything.
void XacroTexts::refuse(const Place& place, std::string seen) {
  report(rules::input_too_large, place, "", std::move(seen));
  out_.throw_if_errors();
}
void XacroTexts::count(const Place& place, std::size_t n) {
  if (elements_ < n)
    refuse(place, "the expanded file has more than " + std::to_string(options_.max_elements) +
                      " elements and attributes");
  elements_ -= n;
}
void XacroTexts::count_bytes(const Place& place, std::size_t bytes) {
  const std::size_t cost = bytes_as_steps(bytes);
  if (steps_ < cost) refuse(place, "the expanded file has texts that are too long together");
  steps_ -= cost;
}
std::string XacroTexts::subject(const XMLElement& e) const {
  const char* name = e.Attribute("name");
  const std::string tag = "<" + shown(e.Name()) + ">";
  return name ? tag + " '" + shown(name) + "'" : tag;
}

const Value* XacroTexts::find_value(std::string_view name, Scope& from) {
  const auto [scope, property] = find_property(name, &from);
  if (!property) return nullptr;
  if (property->computed) return &property->value;
  if (property->computing)
    throw XacroError(rules::xacro_expression, quoted("property", name) + " is defined by itself (" +
                                                  files_.at(property->place).str() + ")");
  const Computing computing(*property, properties_);
  if (properties_ > deepest) throw ExpressionError("properties are defined by too many others");
  Value value = evaluate_text(property->text, *scope);
  if (const auto* s = value.text()) value = from_text(*s);
  property->value = std::move(value);
  property->computed = true;
  return &property->value;
}

std::vector<std::string_view> XacroTexts::declared_arguments() const {
  std::vector<std::string_view> names;
  for (const auto& [name, argument] : arguments_)
    if (argument.declared) names.push_back(name);
  return names;
}

std::string XacroTexts::argument(const std::string& name) {
  const auto found = arguments_.find(name);
  if (found == arguments_.end())
    throw XacroError(rules::xacro_unknown,
                     quoted("argument", name) + " is not declared" +
                         ulna::did_you_mean(name, declared_arguments()),
                     "declare it by <xacro:arg name=\"...\" default=\"...\"/>, or give it: "
                     "--arg name=value");
  found->second.declared = true;
  return found->second.value;
}

Value XacroTexts::evaluate_text(std::string_view text, Scope& scope) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t dollar = std::min(text.find('$', i), text.size());
    result += text.substr(i, dollar - i);
    i = dollar;
    if (i == text.size()) break;
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (next == '$' && i + 2 < text.size() && (text[i + 2] == '{' || text[i + 2] == '(')) {
      result += text.substr(i + 1, 2);
      i += 3;
    } else if (next == '{' || next == '(') {
      const std::size_t end = end_of(text, i + 2, next, next == '{' ? '}' : ')');
      const std::string_view inside = text.substr(i + 2, end - i - 2);
      Value value = next == '{' ? compute(inside, scope) : Value(substitution(inside, scope));
      if (i == 0 && end + 1 == text.size()) return value;
      result += to_text(value);
      i = end + 1;
    } else {
      result += '$';
      ++i;
    }
    if (result.size() > (1u << 20)) throw ExpressionError("the text is longer than 1 MiB");
  }
  if (steps_ < bytes_as_steps(result.size()))
    throw ExpressionError("the file takes too long to compute");
  steps_ -= bytes_as_steps(result.size());
  return result;
}

Value XacroTexts::compute(std::string_view expression, Scope& scope) {
  std::string expanded;
  if (expression.find("$(") != expression.npos) {
    expanded = to_text(evaluate_text(expression, scope));
    expression = expanded;
  }
  const Surroundings around{
      [&](std::string_view name) { return find_value(name, scope); },
      [&](std::string_view name) { return from_text(argument(std::string(name))); },
      [&](std::string_view name) { return load_yaml(std::string(name)); }, steps_, operators_};
  try {
    return evaluate(expression, around);
  } catch (const XacroError&) {
    throw;
  } catch (const ExpressionError& e) {
    const std::string why = e.what(), unknown = "property '";
    std::string advice;
    const bool is_unknown = why.starts_with(unknown) && why.ends_with("' is not defined");
    if (is_unknown)
      advice = ulna::did_you_mean(
          std::string_view(why).substr(unknown.size(), why.rfind('\'') - unknown.size()),
          property_names(scope));
    throw XacroError(is_unknown ? rules::xacro_unknown : rules::xacro_expression,
                     quoted("expression", expression) + ": " + why + advice);
  }
}

/// What $(find package) and its like stand for.
std::string XacroTexts::substitution(std::string_view inside, Scope& scope) {
  std::string text = to_text(evaluate_text(inside, scope));
  const std::string_view all = trimmed(text);
  const std::string command(all.substr(0, all.find_first_of(" \t")));
  const std::string_view rest = trimmed(all.substr(command.size()));
  const std::string name(rest.substr(0, rest.find_first_of(" \t")));
  const std::string_view otherwise = trimmed(rest.substr(name.size()));
  if (command == "eval") return to_text(compute(rest, scope));
  if (command == "dirname") return folder().string();
  if (command == "cwd") return fs::current_path().string();
  if (command == "arg" && !name.empty()) return argument(name);
  if (command == "find" && !name.empty()) return package(name);
  if ((command == "env" || command == "optenv") && !name.empty()) {
    const char* const value = std::getenv(name.c_str());
    if (!value && command == "env")
      throw XacroError(rules::xacro_unknown, quoted("environment variable", name) + " is not set",
                       "set it, or write $(optenv NAME otherwise)");
    return value ? value : std::string(otherwise);
  }
  static constexpr std::string_view known[] = {"arg",  "find",    "env", "optenv",
                                               "eval", "dirname", "cwd"};
  throw ExpressionError("'$(" + shown(all) + ")' is not known" +
                        (name.empty() && std::ranges::count(known, command)
                             ? ": a name is missing"
                             : ulna::did_you_mean(command, known)));
}

fs::path XacroTexts::folder() const {
  return fs::absolute(file_->path).lexically_normal().parent_path();
}

std::string XacroTexts::package(const std::string& name) const {
  const auto found = find_package(name, file_->path, options_.packages);
  if (!found)
    throw XacroError(rules::include_unreadable, quoted("package", name) + " is not found",
                     "give its folder: --package " + shown(name) +
                         "=DIR, or set ROS_PACKAGE_PATH or AMENT_PREFIX_PATH");
  return found->string();
}

/// A path as xacro files write it: absolute, in a package, or relative to the file that names it.
std::string XacroTexts::path_of(std::string_view name) const {
  constexpr std::string_view in_package = "package://", local = "file://";
  if (name.starts_with(in_package)) {
    name.remove_prefix(in_package.size());
    const std::string_view first = name.substr(0, name.find('/'));
    return package(std::string(first)) + std::string(name.substr(first.size()));
  }
  if (name.starts_with(local)) name.remove_prefix(local.size());
  return (folder() / name).lexically_normal().string();
}

Value XacroTexts::load_yaml(const std::string& name) {
#if ULNA_WITH_YAML
  const std::string path = path_of(name);
  std::error_code error;
  constexpr std::uintmax_t most = 512u << 10;
  const auto refuse_yaml = [&](const std::string& why) -> Value {
    throw XacroError(rules::include_unreadable, quoted("YAML file", name) + ": " + why);
  };
  if (!fs::is_regular_file(path, error)) return refuse_yaml("there is no such file");
  if (fs::file_size(path, error) > most || error) return refuse_yaml("it is larger than 512 KiB");
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  try {
    std::istringstream scouted(text);
    Diagnostics found;
    YamlScout scout(path, found);
    YAML::Parser(scouted).HandleNextDocument(scout);
    return yaml_value(YAML::Load(text));
  } catch (const ModelError& e) {
    return refuse_yaml(e.what());
  } catch (const YAML::Exception& e) {
    return refuse_yaml("line " + std::to_string(e.mark.line + 1) + ": " + e.msg);
  }
#else
  throw XacroError(rules::yaml_unavailable, quoted("YAML file", name) + " is not read",
                   std::string(rules::yaml_unavailable.remedy));
#endif
}
#if ULNA_WITH_YAML
Value XacroTexts::yaml_value(const YAML::Node& node) {
  if (node.IsMap()) {
    Dict dict;
    for (const auto& entry : node)
      dict.emplace_back(entry.first.Scalar(), yaml_value(entry.second));
    return dict;
  }
  if (node.IsSequence()) {
    List list;
    for (const auto& entry : node) list.push_back(yaml_value(entry));
    return list;
  }
  if (!node.IsScalar()) return None();
  const std::string& tag = node.Tag();
  if (tag == "!degrees" || tag == "!radians") {
    const std::string before = tag == "!degrees" ? "radians(" : "(";
    const Surroundings nothing{
        [](std::string_view) { return nullptr; }, [](std::string_view) -> Value { return None(); },
        [](std::string_view) -> Value { return None(); }, steps_, operators_};
    return evaluate(before + node.Scalar() + ")", nothing);
  }
  // what is quoted is a text
  return tag == "!" ? Value(node.Scalar()) : from_text(node.Scalar());
}
#endif

/// The value of a text, or an empty one if it has none, which is reported.
Value XacroTexts::value_of(std::string_view text, const Place& place, Scope& scope,
                           std::string_view what) {
  if (text.find('$') == text.npos) return std::string(text);
  try {
    return evaluate_text(text, scope);
  } catch (const XacroError& e) {
    report(*e.rule, place, std::string(what), e.what(), e.remedy);
  } catch (const ExpressionError& e) {
    report(rules::xacro_expression, place, std::string(what), e.what());
  }
  return std::string();
}
std::string XacroTexts::text_of(std::string_view text, const Place& place, Scope& scope,
                                std::string_view what) {
  const Value value = value_of(text, place, scope, what);
  try {
    std::string made = to_text(value);
    count_bytes(place, made.size());
    return made;
  } catch (const ExpressionError& error) {
    report(rules::xacro_expression, place, std::string(what), error.what());
    return {};
  }
}

}  // namespace ulna::detail
