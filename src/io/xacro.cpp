#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "io/xacro_value.hpp"
#include "io/xml_expand.hpp"
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
using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

/// An expression's defect that breaks a rule of its own.
struct XacroError : ExpressionError {
  XacroError(const Rule& broken, const std::string& why, std::string what_to_do = {})
      : ExpressionError(why), rule(&broken), remedy(std::move(what_to_do)) {}
  const Rule* rule;
  std::string remedy;
};

constexpr std::string_view prefix = "xacro:";
constexpr int deepest = 200;  // of macros and includes within each other

/// Expands properties, macros, conditions and includes of a xacro file, with the source of each line.
class XacroExpander {
 public:
  XacroExpander(const ImportOptions& options, Diagnostics& out)
      : options_(options), out_(out), files_(options, out), elements_(options.max_elements) {}

  XmlText run(std::string_view text, const std::string& path) {
    const XmlFiles::File* file = files_.add(text, path);
    out_.throw_if_errors();
    for (const auto& [name, value] : options_.arguments) arguments_[name] = {value, true, false};
    file_ = file;
    Scope root(nullptr);
    XmlNode made{file->root().Name(), {}, at(file->root())};
    std::error_code none;
    open_.push_back(fs::weakly_canonical(path, none));
    children(file->root(), root, made);
    attributes(file->root(), root, made);  // which may name arguments that stand below
    for (const auto& [name, a] : arguments_)
      if (a.given && !a.declared)
        out_.add(rules::xacro_argument, {path, 0, 0}, quoted("argument", name),
                 "is given, but the file has no argument of this name" +
                     ulna::did_you_mean(name, declared_arguments()));
    out_.throw_if_errors();
    XmlText expanded = files_.write(made);
    out_.throw_if_errors();
    return expanded;
  }

 private:
  struct Property {
    std::string text;
    Value value{};
    bool computed = false, computing = false;
    Place place{};
  };
  /// Elements that stand for a name: of a property, yet to be expanded, or given to a macro.
  struct Block {
    const XMLElement* raw = nullptr;
    const XmlFiles::File* file = nullptr;
    std::vector<XmlNode> made{};
  };
  struct Parameter {
    std::string name;
    bool optional = false, forwarded = false;
    std::string otherwise;
    int stars = 0;  ///< 1: takes an element, 2: what is in an element
  };
  struct Macro {
    std::vector<Parameter> parameters;
    const XMLElement* body;
    const XmlFiles::File* file;
  };
  struct Scope {
    explicit Scope(Scope* parent, bool space = false) : above(parent), is_space(space || !parent) {}
    Scope* above;
    bool is_space;
    std::map<std::string, Property, std::less<>> properties{};
    std::map<std::string, Block, std::less<>> blocks{};
    std::map<std::string, Macro, std::less<>> macros{};                   // of a space
    std::map<std::string, std::unique_ptr<Scope>, std::less<>> spaces{};  // included under a name
  };
  /// While a property is computed.
  struct Computing {
    Computing(Property& property, int& depth) : property_(property), depth_(depth) {
      property_.computing = true, ++depth_;
    }
    ~Computing() { property_.computing = false, --depth_; }
    Property& property_;
    int& depth_;
  };
  struct Argument {
    std::string value;
    bool given = false, declared = false;
  };
  struct Call {
    std::string macro;
    Place place;
  };

  // --- reports ---

  Place at(const auto& node) const { return XmlFiles::place(*file_, node); }

  void report(const Rule& rule, const Place& place, std::string subject, std::string seen,
              std::string remedy = {}) {
    if (!calls_.empty())
      seen += ", in " + quoted("macro", calls_.back().macro) + " called at " +
              files_.at(calls_.back().place).str();
    out_.add(rule, files_.at(place), std::move(subject), std::move(seen), {}, std::move(remedy));
    if (out_.count(Severity::error) > 100) out_.throw_if_errors();  // the rest would take long
  }
  /// What is beyond a limit ends everything.
  void refuse(const Place& place, std::string seen) {
    report(rules::input_too_large, place, "", std::move(seen));
    out_.throw_if_errors();
  }
  void count(const Place& place, std::size_t n = 1) {
    if (elements_ < n)
      refuse(place, "the expanded file has more than " + std::to_string(options_.max_elements) +
                        " elements and attributes");
    elements_ -= n;
  }
  std::string subject(const XMLElement& e) const {
    const char* name = e.Attribute("name");
    const std::string tag = "<" + shown(e.Name()) + ">";
    return name ? tag + " '" + shown(name) + "'" : tag;
  }

  // --- names ---

  /// The space that "a.b.name" is in, seen from a scope, and the name alone.
  static std::pair<Scope*, std::string_view> space_of(std::string_view name, Scope* from) {
    for (std::size_t dot; from && (dot = name.find('.')) != name.npos;
         name.remove_prefix(dot + 1)) {
      Scope* found = nullptr;
      for (Scope* s = from; s && !found; s = s->above)
        if (const auto at = s->spaces.find(name.substr(0, dot)); at != s->spaces.end())
          found = at->second.get();
      from = found;
    }
    return {from, name};
  }

  std::pair<Scope*, Property*> find_property(std::string_view name, Scope* from) {
    const bool dotted = name.find('.') != name.npos;
    const auto [scope, bare] = space_of(name, from);
    for (Scope* s = scope; s; s = dotted ? nullptr : s->above)
      if (const auto found = s->properties.find(bare); found != s->properties.end())
        return {s, &found->second};
    return {nullptr, nullptr};
  }

  const Value* find_value(std::string_view name, Scope& from) {
    const auto [scope, property] = find_property(name, &from);
    if (!property) return nullptr;
    if (property->computed) return &property->value;
    if (property->computing)
      throw XacroError(rules::xacro_expression, quoted("property", name) +
                                                    " is defined by itself (" +
                                                    files_.at(property->place).str() + ")");
    const Computing computing(*property, depth_);
    if (depth_ > deepest) throw ExpressionError("properties are defined by too many others");
    Value value = evaluate_text(property->text, *scope);
    if (const auto* s = std::get_if<std::string>(&value)) value = from_text(*s);
    property->value = std::move(value);
    property->computed = true;
    return &property->value;
  }

  std::vector<std::string_view> property_names(const Scope& from) const {
    std::vector<std::string_view> names;
    for (const Scope* s = &from; s; s = s->above)
      for (const auto& [name, property] : s->properties) names.push_back(name);
    return names;
  }
  std::vector<std::string_view> declared_arguments() const {
    std::vector<std::string_view> names;
    for (const auto& [name, argument] : arguments_)
      if (argument.declared) names.push_back(name);
    return names;
  }

  // --- texts with ${...} and $(...) ---

  std::string argument(const std::string& name) {
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

  /// Where what begins before `from` ends, with quotes and brackets within.
  static std::size_t end_of(std::string_view text, std::size_t from, char open, char close) {
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

  Value evaluate_text(std::string_view text, Scope& scope) {
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
    return result;
  }

  Value compute(std::string_view expression, Scope& scope) {
    std::string expanded;
    if (expression.find("$(") != expression.npos) {
      expanded = to_text(evaluate_text(expression, scope));
      expression = expanded;
    }
    const Surroundings around{
        [&](std::string_view name) { return find_value(name, scope); },
        [&](std::string_view name) { return from_text(argument(std::string(name))); },
        [&](std::string_view name) { return load_yaml(std::string(name)); }, steps_};
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
  std::string substitution(std::string_view inside, Scope& scope) {
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

  fs::path folder() const { return fs::absolute(file_->path).lexically_normal().parent_path(); }

  std::string package(const std::string& name) const {
    const auto found = find_package(name, file_->path, options_.packages);
    if (!found)
      throw XacroError(rules::include_unreadable, quoted("package", name) + " is not found",
                       "give its folder: --package " + shown(name) +
                           "=DIR, or set ROS_PACKAGE_PATH or AMENT_PREFIX_PATH");
    return found->string();
  }

  /// A path as xacro files write it: absolute, in a package, or relative to the file that names it.
  std::string path_of(std::string_view name) const {
    constexpr std::string_view in_package = "package://", local = "file://";
    if (name.starts_with(in_package)) {
      name.remove_prefix(in_package.size());
      const std::string_view first = name.substr(0, name.find('/'));
      return package(std::string(first)) + std::string(name.substr(first.size()));
    }
    if (name.starts_with(local)) name.remove_prefix(local.size());
    return (folder() / name).lexically_normal().string();
  }

  Value load_yaml(const std::string& name) {
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
  Value yaml_value(const YAML::Node& node) {
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
      const Surroundings nothing{[](std::string_view) { return nullptr; },
                                 [](std::string_view) -> Value { return None(); },
                                 [](std::string_view) -> Value { return None(); }, steps_};
      return evaluate(before + node.Scalar() + ")", nothing);
    }
    // what is quoted is a text
    return tag == "!" ? Value(node.Scalar()) : from_text(node.Scalar());
  }
#endif

  /// The value of a text, or an empty one if it has none, which is reported.
  Value value_of(std::string_view text, const Place& place, Scope& scope, std::string_view what) {
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
  std::string text_of(const XMLElement& e, const XMLAttribute& a, Scope& scope) {
    const Value value = value_of(a.Value(), at(a), scope, subject(e));
    try {
      return to_text(value);
    } catch (const ExpressionError& error) {
      report(rules::xacro_expression, at(a), subject(e), error.what());
      return {};
    }
  }

  // --- elements ---

  void attributes(const XMLElement& e, Scope& scope, XmlNode& made) {
    for (const XMLAttribute* a = e.FirstAttribute(); a; a = a->Next())
      if (const std::string_view name = a->Name();
          name != "xmlns:xacro" && !name.starts_with(prefix)) {
        count(made.place);
        made.attributes.push_back({a->Name(), text_of(e, *a, scope), at(*a)});
      }
  }

  void children(const XMLElement& parent, Scope& scope, XmlNode& to) {
    for (const tinyxml2::XMLNode* n = parent.FirstChild(); n; n = n->NextSibling()) {
      if (const XMLElement* e = n->ToElement()) {
        element(*e, scope, to);
      } else if (const tinyxml2::XMLText* t = n->ToText(); t && !trimmed(t->Value()).empty()) {
        count(at(*t));
        to.children.push_back(
            {{}, to_text(value_of(t->Value(), at(*t), scope, subject(parent))), at(*t)});
      }
    }
  }

  void element(const XMLElement& e, Scope& scope, XmlNode& to) {
    const std::string_view name = e.Name();
    count(at(e));
    if (!name.starts_with(prefix)) {
      XmlNode made{e.Name(), {}, at(e)};
      attributes(e, scope, made);
      children(e, scope, made);
      to.children.push_back(std::move(made));
      return;
    }
    const std::string_view tag = name.substr(prefix.size());
    if (tag == "property")
      property(e, scope);
    else if (tag == "arg")
      declare_argument(e, scope);
    else if (tag == "macro")
      define(e, scope);
    else if (tag == "include")
      include(e, scope, to);
    else if (tag == "if" || tag == "unless")
      condition(e, scope, to, tag == "if");
    else if (tag == "insert_block")
      insert_block(e, scope, to);
    else if (tag == "element")
      dynamic_element(e, scope, to);
    else if (tag == "attribute")
      dynamic_attribute(e, scope, to);
    else if (tag == "call")
      call(e, scope, to, required(e, "macro", scope));
    else
      call(e, scope, to, std::string(tag));
  }

  /// The value of an attribute; "", and reported, if there is none.
  std::string required(const XMLElement& e, const char* name, Scope& scope) {
    const XMLAttribute* a = e.FindAttribute(name);
    const std::string text = a ? text_of(e, *a, scope) : "";
    if (text.empty() && (!a || !*a->Value()))
      report(rules::attribute_missing, at(e), subject(e), quoted("has no attribute", name));
    return text;
  }
  void only(const XMLElement& e, std::initializer_list<std::string_view> known) {
    for (const XMLAttribute* a = e.FirstAttribute(); a; a = a->Next())
      if (std::ranges::find(known, a->Name()) == known.end())
        report(rules::tag_misspelt, at(*a), subject(e),
               quoted("attribute", a->Name()) + " is unknown" +
                   ulna::did_you_mean(a->Name(), std::vector<std::string_view>(known)));
  }

  void property(const XMLElement& e, Scope& scope) {
    only(e, {"name", "value", "default", "scope", "remove", "lazy_eval"});
    const std::string name = required(e, "name", scope);
    if (name.empty()) return;
    if (!is_name(name)) return bad_name(e, name);
    const char* const value = e.Attribute("value");
    const char* const otherwise = e.Attribute("default");
    const char* const where = e.Attribute("scope");
    Scope* target = &scope;
    if (where && std::string_view(where) == "global") {
      while (target->above) target = target->above;
    } else if (where && std::string_view(where) == "parent") {
      if (target->above) target = target->above;
    } else if (where && std::string_view(where) != "local") {
      report(rules::xacro_call, at(e), subject(e),
             quoted("scope", where) + " is not parent or global");
    }
    if (e.BoolAttribute("remove")) {
      target->properties.erase(name);
      target->blocks.erase(name);
      return;
    }
    if (!value && otherwise && (find_property(name, &scope).second || find_block(name, scope)))
      return;
    if (!value && !otherwise) {
      target->blocks[name] = {&e, file_};
      return;
    }
    Property made{value ? value : otherwise};
    made.place = at(e);
    // elsewhere, other properties have these names
    if (target != &scope) {
      made.value = value_of(made.text, at(e), scope, subject(e));
      if (const auto* s = std::get_if<std::string>(&made.value)) made.value = from_text(*s);
      made.computed = true;
    }
    target->properties[name] = std::move(made);
  }
  static bool is_name(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
      return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }) && !(name[0] >= '0' && name[0] <= '9');
  }
  void bad_name(const XMLElement& e, const std::string& name) {
    report(rules::xacro_call, at(e), subject(e),
           quoted("name", name) + " is not made of letters, digits and underscores");
  }

  void declare_argument(const XMLElement& e, Scope& scope) {
    only(e, {"name", "default"});
    const std::string name = required(e, "name", scope);
    const XMLAttribute* otherwise = e.FindAttribute("default");
    Argument& argument = arguments_[name];
    const bool known = argument.given || argument.declared;
    argument.declared = true;
    if (known) return;
    if (otherwise) {
      argument.value = text_of(e, *otherwise, scope);
    } else {
      arguments_.erase(name);
      report(rules::xacro_argument, at(e), subject(e), "has no default and is not given",
             "give it: --arg " + shown(name) + "=value");
      arguments_[name].declared = true;
    }
  }

  // --- macros ---

  void define(const XMLElement& e, Scope& scope) {
    only(e, {"name", "params"});
    std::string name = required(e, "name", scope);
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
    if (name.empty()) return;
    Scope* space = &scope;
    while (!space->is_space) space = space->above;
    const XMLAttribute* params = e.FindAttribute("params");
    space->macros[name] = {parameters(e, params ? params->Value() : ""), &e, file_};
  }

  /// "a b:=1 c:='x y' d:=^|2 *origin **blocks"
  std::vector<Parameter> parameters(const XMLElement& e, std::string_view text) {
    std::vector<Parameter> list;
    for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
      Parameter p;
      while (text.starts_with('*') && p.stars < 2) ++p.stars, text.remove_prefix(1);
      const std::size_t end = std::min(text.find_first_of(" \t\r\n:="), text.size());
      p.name = text.substr(0, end);
      text.remove_prefix(end);
      if (text.starts_with(":=") || text.starts_with("=")) {
        text.remove_prefix(text[0] == ':' ? 2 : 1);
        p.optional = true;
        if (text.starts_with('^')) {
          p.forwarded = true;
          text.remove_prefix(1);
          p.optional = text.starts_with('|');
          if (p.optional) text.remove_prefix(1);
        }
        const std::size_t size = size_of_default(text);
        p.otherwise = text.substr(0, size);
        text.remove_prefix(size);
      }
      if (!is_name(p.name)) {
        report(rules::xacro_call, at(e), subject(e),
               quoted("parameter", p.name.empty() ? text.substr(0, 1) : p.name) +
                   " is not a name of letters, digits and underscores");
        break;
      }
      list.push_back(std::move(p));
    }
    return list;
  }
  /// Up to white space that is neither in quotes nor in ${...}.
  static std::size_t size_of_default(std::string_view text) {
    char quote = '\0';
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quote)
        quote = c == quote ? '\0' : quote;
      else if (c == '\'' || c == '"')
        quote = c;
      else if (c == '{' || c == '(')
        ++depth;
      else if (c == '}' || c == ')')
        --depth;
      else if (depth <= 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
        return i;
    }
    return text.size();
  }

  std::pair<Scope*, Macro*> find_macro(std::string_view name, Scope& from) {
    const bool dotted = name.find('.') != name.npos;
    const auto [space, bare] = space_of(name, &from);
    for (Scope* s = space; s; s = dotted ? nullptr : s->above)
      if (const auto found = s->macros.find(bare); found != s->macros.end())
        return {dotted ? space : &from, &found->second};
    return {nullptr, nullptr};
  }

  void unknown_macro(const XMLElement& e, const std::string& name, const Scope& scope) {
    std::vector<std::string_view> known{"property", "arg",    "macro",       "include",
                                        "if",       "unless", "insert_block"};
    for (const Scope* s = &scope; s; s = s->above)
      for (const auto& [macro, definition] : s->macros) known.push_back(macro);
    report(rules::xacro_unknown, at(e), "<" + shown(e.Name()) + ">",
           quoted("macro", name) + " is not defined" + ulna::did_you_mean(name, known));
  }

  void call(const XMLElement& e, Scope& scope, XmlNode& to, const std::string& name) {
    const auto [home, found] = find_macro(name, scope);
    if (!found) return unknown_macro(e, name, scope);
    const Macro macro_now = *found, *macro = &macro_now;  // which what it contains may define anew
    if (calls_.size() >= deepest)
      return refuse(at(e), "macros call each other more than " + std::to_string(deepest) + " deep");

    Scope inner(home);
    std::vector<std::string_view> names;
    for (const Parameter& p : macro->parameters)
      if (p.stars == 0) names.push_back(p.name);
    const bool by_call = std::string_view(e.Name()) == "xacro:call";
    for (const XMLAttribute* a = e.FirstAttribute(); a; a = a->Next()) {
      if (by_call && std::string_view(a->Name()) == "macro") continue;
      if (!std::ranges::count(names, std::string_view(a->Name())))
        report(rules::xacro_call, at(*a), subject(e),
               quoted("macro", name) + " has no parameter '" + shown(a->Name()) + "'" +
                   ulna::did_you_mean(a->Name(), names));
      else
        bind(inner, a->Name(), value_of(a->Value(), at(*a), scope, subject(e)), at(*a));
    }
    for (const Parameter& p : macro->parameters) {
      if (p.stars > 0 || e.FindAttribute(p.name.c_str())) continue;
      const Value* from_above = nullptr;
      if (p.forwarded) try {
          from_above = find_value(p.name, scope);
        } catch (const ExpressionError& error) {
          report(rules::xacro_expression, at(e), subject(e), error.what());
        }
      if (from_above)
        bind(inner, p.name, *from_above, at(e));
      else if (p.optional)
        bind(inner, p.name, value_of(p.otherwise, at(e), inner, subject(e)), at(e));
      else
        report(rules::xacro_call, at(e), subject(e),
               "has no " + quoted("parameter", p.name) + " of " + quoted("macro", name));
    }
    blocks(e, scope, inner, *macro, name);

    calls_.push_back({name, at(e)});
    const XmlFiles::File* const before = std::exchange(file_, macro->file);
    children(*macro->body, inner, to);
    file_ = before;
    calls_.pop_back();
  }

  static void bind(Scope& scope, const std::string& name, Value value, const Place& place) {
    if (const auto* s = std::get_if<std::string>(&value)) value = from_text(*s);
    scope.properties[name] = {{}, std::move(value), true, false, place};
  }

  /// Elements in the call are given to the macro's parameters of blocks, in order.
  void blocks(const XMLElement& e, Scope& scope, Scope& inner, const Macro& macro,
              const std::string& name) {
    XmlNode given{"given", {}, at(e)};
    children(e, scope, given);
    std::erase_if(given.children, [](const XmlNode& n) { return n.name.empty(); });
    std::size_t next = 0;
    for (const Parameter& p : macro.parameters) {
      if (p.stars == 0) continue;
      if (next == given.children.size()) {
        report(rules::xacro_call, at(e), subject(e),
               "has no element for " + quoted("block", p.name) + " of " + quoted("macro", name));
        return;
      }
      XmlNode& block = given.children[next++];
      Block made;
      if (p.stars == 2)
        made.made = std::move(block.children);
      else
        made.made.push_back(std::move(block));
      inner.blocks[p.name] = std::move(made);
    }
    if (next < given.children.size())
      report(rules::xacro_call, given.children[next].place, subject(e),
             "<" + shown(given.children[next].name) + "> is not used by " + quoted("macro", name));
  }

  Block* find_block(std::string_view name, Scope& from) {
    for (Scope* s = &from; s; s = s->above)
      if (const auto found = s->blocks.find(name); found != s->blocks.end()) return &found->second;
    return nullptr;
  }

  void insert_block(const XMLElement& e, Scope& scope, XmlNode& to) {
    only(e, {"name"});
    const std::string name = required(e, "name", scope);
    if (name.empty()) return;
    const Block* block = find_block(name, scope);
    if (!block) {
      std::vector<std::string_view> known;
      for (const Scope* s = &scope; s; s = s->above)
        for (const auto& [other, b] : s->blocks) known.push_back(other);
      return report(rules::xacro_unknown, at(e), subject(e),
                    "is not defined" + ulna::did_you_mean(name, known));
    }
    if (block->raw) {
      if (calls_.size() >= deepest)
        return refuse(at(e),
                      "blocks contain each other more than " + std::to_string(deepest) + " deep");
      calls_.push_back({name, at(e)});
      const XmlFiles::File* const before = std::exchange(file_, block->file);
      children(*block->raw, scope, to);
      file_ = before;
      calls_.pop_back();
    } else {
      for (const XmlNode& n : block->made) {
        count_all(n);
        to.children.push_back(n);
      }
    }
  }
  void count_all(const XmlNode& n) {
    count(n.place, 1 + n.attributes.size());
    for (const XmlNode& child : n.children) count_all(child);
  }

  void condition(const XMLElement& e, Scope& scope, XmlNode& to, bool wanted) {
    only(e, {"value"});
    const XMLAttribute* a = e.FindAttribute("value");
    if (!a) return report(rules::attribute_missing, at(e), subject(e), "has no attribute 'value'");
    const std::size_t errors = out_.count(Severity::error);
    Value value = value_of(a->Value(), at(*a), scope, subject(e));
    if (out_.count(Severity::error) > errors) return;
    if (const auto* s = std::get_if<std::string>(&value)) {
      const Value read = from_text(*s);
      if (std::holds_alternative<std::string>(read))
        return report(rules::xacro_expression, at(*a), subject(e),
                      quoted("value", *s) + " is neither true nor false");
      value = read;
    }
    if (is_true(value) == wanted) children(e, scope, to);
  }

  void dynamic_element(const XMLElement& e, Scope& scope, XmlNode& to) {
    const std::string name = required(e, "xacro:name", scope);
    if (!is_xml_name(name)) return bad_name(e, name);
    XmlNode made{name, {}, at(e)};
    attributes(e, scope, made);
    children(e, scope, made);
    to.children.push_back(std::move(made));
  }
  void dynamic_attribute(const XMLElement& e, Scope& scope, XmlNode& to) {
    only(e, {"name", "value"});
    const std::string name = required(e, "name", scope);
    const XMLAttribute* value = e.FindAttribute("value");
    if (!is_xml_name(name)) return bad_name(e, name);
    if (!value)
      return report(rules::attribute_missing, at(e), subject(e), "has no attribute 'value'");
    std::erase_if(to.attributes, [&](const auto& a) { return a.name == name; });
    to.attributes.push_back({name, text_of(e, *value, scope), at(e)});
  }
  static bool is_xml_name(std::string_view name) {
    const std::size_t colon = name.find(':');
    return is_name(name.substr(0, colon)) &&
           (colon == name.npos || is_name(name.substr(colon + 1)));
  }

  // --- includes ---

  void include(const XMLElement& e, Scope& scope, XmlNode& to) {
    only(e, {"filename", "ns", "optional"});
    const XMLAttribute* a = e.FindAttribute("filename");
    if (!a)
      return report(rules::attribute_missing, at(e), subject(e), "has no attribute 'filename'");
    const std::size_t errors = out_.count(Severity::error);
    const std::string name = text_of(e, *a, scope);
    if (out_.count(Severity::error) > errors) return;
    std::string path, why;
    try {
      path = path_of(name);
    } catch (const XacroError& error) {
      return report(*error.rule, at(*a), subject(e), error.what(), error.remedy);
    }
    std::error_code none;
    const fs::path canonical = fs::weakly_canonical(path, none);
    if (std::ranges::count(open_, canonical))
      return report(rules::include_unreadable, at(*a), subject(e),
                    quoted("file", name) + " includes itself",
                    "remove this include: all files that lead here are already being read");
    const bool optional = e.Attribute("optional") && e.BoolAttribute("optional");
    if (optional && !fs::exists(path, none)) {
      out_.note(rules::include_unreadable, files_.at(at(*a)), subject(e),
                quoted("there is no file", name), "it is optional and left out");
      return;
    }
    const XmlFiles::File* const file = files_.open(path, why);
    if (!file) {
      if (!why.empty())
        report(rules::include_unreadable, at(*a), subject(e), quoted("file", path) + ": " + why);
      return;
    }
    Scope* inner = &scope;
    if (e.FindAttribute("ns")) {
      const std::string space = required(e, "ns", scope);
      if (!is_name(space)) return bad_name(e, space);
      auto& made = scope.spaces[space];
      if (!made) made = std::make_unique<Scope>(&scope, true);
      inner = made.get();
    }
    open_.push_back(canonical);
    const XmlFiles::File* const before = std::exchange(file_, file);
    children(file->root(), *inner, to);
    file_ = before;
    open_.pop_back();
  }

  const ImportOptions& options_;
  Diagnostics& out_;
  XmlFiles files_;
  std::size_t elements_;           ///< that may still be expanded
  std::size_t steps_ = 5'000'000;  ///< words of expressions that may still be read
  int depth_ = 0;
  std::map<std::string, Argument, std::less<>> arguments_;
  std::vector<Call> calls_;
  std::vector<fs::path> open_;
  const XmlFiles::File* file_ = nullptr;
};

}  // namespace

XmlText expand_xacro(std::string_view text, const std::string& file, const ImportOptions& options,
                     Diagnostics& out) {
  return XacroExpander(options, out).run(text, file);
}

}  // namespace ulna::detail
