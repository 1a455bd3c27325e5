#include <algorithm>
#include <filesystem>

#include "io/xacro_texts.hpp"
#include "io/xml_expand.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::detail {
namespace {

namespace fs = std::filesystem;
using namespace xacro;  // Value and what computes it
using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

constexpr std::string_view prefix = "xacro:";

/// Expands properties, macros, conditions and includes of a xacro file, with the source of each line.
class XacroExpander : XacroTexts {
 public:
  using XacroTexts::XacroTexts;

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
        to.children.push_back({{}, text_of(t->Value(), at(*t), scope, subject(parent)), at(*t)});
      }
    }
  }

  void element(const XMLElement& e, Scope& scope, XmlNode& to) {
    const Level level(depth_);
    if (depth_ > deepest_elements)
      refuse(at(e), "expanded, elements are nested more than " + std::to_string(deepest_elements) +
                        " deep");
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
      if (const auto* s = made.value.text()) made.value = from_text(*s);
      made.computed = true;
    }
    target->properties[name] = std::move(made);
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
    std::string bad;
    space->macros[name] = {parameters_in(params ? params->Value() : "", bad), &e, file_};
    if (!bad.empty())
      report(rules::xacro_call, at(e), subject(e),
             quoted("parameter", bad) + " is not a name of letters, digits and underscores");
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
    if (const auto* s = value.text()) value = from_text(*s);
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
    count_bytes(n.place, n.text.size());
    for (const XmlNode::Attribute& a : n.attributes) count_bytes(n.place, a.value.size());
    for (const XmlNode& child : n.children) count_all(child);
  }

  void condition(const XMLElement& e, Scope& scope, XmlNode& to, bool wanted) {
    only(e, {"value"});
    const XMLAttribute* a = e.FindAttribute("value");
    if (!a) return report(rules::attribute_missing, at(e), subject(e), "has no attribute 'value'");
    const std::size_t errors = out_.count(Severity::error);
    Value value = value_of(a->Value(), at(*a), scope, subject(e));
    if (out_.count(Severity::error) > errors) return;
    if (const auto* s = value.text()) {
      const Value read = from_text(*s);
      if (read.text())
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

  std::vector<fs::path> open_;  ///< files that are being read
  int depth_ = 0;               ///< of elements
};

}  // namespace

XmlText expand_xacro(std::string_view text, const std::string& file, const ImportOptions& options,
                     Diagnostics& out) {
  return XacroExpander(options, out).run(text, file);
}

}  // namespace ulna::detail
