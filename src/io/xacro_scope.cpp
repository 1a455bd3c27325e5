#include "io/xacro_scope.hpp"

#include <algorithm>

#include "io/reading.hpp"

namespace ulna::detail::xacro {
namespace {

/// The space that "a.b.name" is in, seen from a scope, and the name alone.
std::pair<Scope*, std::string_view> space_of(std::string_view name, Scope* from) {
  for (std::size_t dot; from && (dot = name.find('.')) != name.npos; name.remove_prefix(dot + 1)) {
    Scope* found = nullptr;
    for (Scope* s = from; s && !found; s = s->above)
      if (const auto at = s->spaces.find(name.substr(0, dot)); at != s->spaces.end())
        found = at->second.get();
    from = found;
  }
  return {from, name};
}

/// Up to white space that is neither in quotes nor in ${...}.
std::size_t size_of_default(std::string_view text) {
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

}  // namespace

std::pair<Scope*, Property*> find_property(std::string_view name, Scope* from) {
  const bool dotted = name.find('.') != name.npos;
  const auto [scope, bare] = space_of(name, from);
  for (Scope* s = scope; s; s = dotted ? nullptr : s->above)
    if (const auto found = s->properties.find(bare); found != s->properties.end())
      return {s, &found->second};
  return {nullptr, nullptr};
}

std::pair<Scope*, Macro*> find_macro(std::string_view name, Scope& from) {
  const bool dotted = name.find('.') != name.npos;
  const auto [space, bare] = space_of(name, &from);
  for (Scope* s = space; s; s = dotted ? nullptr : s->above)
    if (const auto found = s->macros.find(bare); found != s->macros.end())
      return {dotted ? space : &from, &found->second};
  return {nullptr, nullptr};
}

Block* find_block(std::string_view name, Scope& from) {
  for (Scope* s = &from; s; s = s->above)
    if (const auto found = s->blocks.find(name); found != s->blocks.end()) return &found->second;
  return nullptr;
}

std::vector<std::string_view> property_names(const Scope& from) {
  std::vector<std::string_view> names;
  for (const Scope* s = &from; s; s = s->above)
    for (const auto& [name, property] : s->properties) names.push_back(name);
  return names;
}

std::vector<Parameter> parameters_in(std::string_view text, std::string& bad) {
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
      bad = !p.name.empty() ? p.name : text.empty() ? ":=" : std::string(text.substr(0, 1));
      break;
    }
    list.push_back(std::move(p));
  }
  return list;
}

bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }) && !(name[0] >= '0' && name[0] <= '9');
}

bool is_xml_name(std::string_view name) {
  const std::size_t colon = name.find(':');
  return is_name(name.substr(0, colon)) && (colon == name.npos || is_name(name.substr(colon + 1)));
}

}  // namespace ulna::detail::xacro
