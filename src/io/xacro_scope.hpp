#pragma once

#include <map>

#include "io/xacro_value.hpp"
#include "io/xml_tree.hpp"

/// What names stand for in xacro, and where they are looked for.
namespace ulna::detail::xacro {

struct Property {
  std::string text;
  Value value{};
  bool computed = false, computing = false;
  Place place{};
};
/// Elements that stand for a name: of a property, yet to be expanded, or given to a macro.
struct Block {
  const tinyxml2::XMLElement* raw = nullptr;
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
  const tinyxml2::XMLElement* body;
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

/// The property that a name stands for as seen from a scope, and the scope that has it; nullptr if there is none.
std::pair<Scope*, Property*> find_property(std::string_view name, Scope* from);
/// A macro, and the scope that it is expanded in.
std::pair<Scope*, Macro*> find_macro(std::string_view name, Scope& from);
Block* find_block(std::string_view name, Scope& from);
std::vector<std::string_view> property_names(const Scope& from);

/// Parameters as a macro lists them, "a b:=1 c:='x y' d:=^|2 *origin **blocks"; ends before what has no name, which `bad` is
/// then.
std::vector<Parameter> parameters_in(std::string_view text, std::string& bad);

/// Whether it is made of letters, digits and underscores.
bool is_name(std::string_view name);
/// The same, with a prefix before a colon if there is one.
bool is_xml_name(std::string_view name);

}  // namespace ulna::detail::xacro
