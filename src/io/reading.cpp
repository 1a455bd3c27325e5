#include "io/reading.hpp"

#include <algorithm>
#include <bit>

#include "ulna/model/builder.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::detail {
namespace {

std::size_t first_invalid_utf8(std::string_view s) {
  const auto continues = [](char c) { return (c & 0xC0) == 0x80; };
  for (std::size_t i = 0; i < s.size();) {
    const auto first = static_cast<unsigned char>(s[i]);
    const std::size_t n = first < 0x80 ? 1 : std::countl_one(first);
    const std::string_view sequence = s.substr(i, n);
    if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || sequence.size() < n ||
        !std::all_of(sequence.begin() + 1, sequence.end(), continues))
      return i;
    i += n;
  }
  return std::string_view::npos;
}

std::string from_latin1(std::string_view s) {
  std::string utf8;
  for (const char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) utf8 += static_cast<char>(0xC0 | (byte >> 6));
    utf8 += byte < 0x80 ? c : static_cast<char>(0x80 | (byte & 0x3F));
  }
  return utf8;
}

/// The first tag that must not be parsed: one that declares a DOCTYPE or an entity, or one with too many
/// attributes, each of which the parser compares with all before it.
std::size_t find_refused_tag(std::string_view text, int most_attributes) {
  for (std::size_t i = text.find('<'); i < text.size(); i = text.find('<', i)) {
    const std::string_view tag = text.substr(i);
    if (tag.starts_with("<!--")) {
      i = text.find("-->", i + 4);
    } else if (tag.starts_with("<![CDATA[")) {
      i = text.find("]]>", i + 9);
    } else if (tag.starts_with("<!")) {
      return i;
    } else {
      const std::size_t start = i;
      int attributes = 0;
      char quote = '\0';
      for (; i < text.size() && (quote || text[i] != '>'); ++i) {
        const char c = text[i];
        if (quote)
          quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
          quote = c;
        else if (c == '=' && ++attributes > most_attributes)
          return start;
      }
    }
  }
  return std::string_view::npos;
}

/// Each number of the file is finite, yet sums and products of very large ones may not be.
void check_overflow(const Model& model, Diagnostics& out) {
  const auto require = [&](bool finite, std::string_view kind, std::string_view name) {
    if (!finite)
      out.add(rules::number_invalid, {model.description().file, 0, 0}, quoted(kind, name),
              "its numbers are so large that they overflow");
  };
  const auto finite = [](const Transform<double>& X) { return X.matrix().allFinite(); };
  for (int b = 0; b < model.body_count(); ++b)
    require(model.canonical_inertias()[b].parameters().allFinite() && finite(model.joint(b).X_PJ),
            "link", model.body_name(b));
  for (const Frame& f : model.frames()) require(finite(f.X_BF), "frame", f.name);
  for (const auto* v :
       {&model.damping(), &model.friction(), &model.friction_negative(), &model.armature()})
    require(v->allFinite(), "robot", model.name());
}

}  // namespace

int line_of(std::string_view text, std::size_t position) {
  return 1 + static_cast<int>(std::count(
                 text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

std::string to_utf8(std::string_view text, const std::string& file, Diagnostics& out) {
  const std::size_t bad = first_invalid_utf8(text);
  if (bad == std::string_view::npos) return std::string(text);
  out.add(rules::encoding, {file, line_of(text, bad), 0}, "", "the text is not UTF-8",
          "read as Latin-1");
  return from_latin1(text);
}

std::string prepare_xml(std::string_view text, const std::string& file,
                        const ImportOptions& options, Diagnostics& out) {
  const auto refuse = [&](const Rule& rule, std::size_t position, std::string seen) {
    out.add(rule, {file, line_of(text, position), 0}, "", std::move(seen));
    return std::string();
  };
  if (text.size() > options.max_bytes)
    return refuse(rules::input_too_large, 0,
                  "the file is larger than " + std::to_string(options.max_bytes) + " bytes");
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return refuse(rules::xml_malformed, 0, "the text is UTF-16");
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    return refuse(rules::xml_malformed, nul,
                  "the file contains a NUL byte: it is binary, or cut off");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return refuse(rules::xml_empty, 0, "the file is empty");
  constexpr int most_attributes = 1000;
  if (const auto at = find_refused_tag(text, most_attributes); at != std::string_view::npos)
    return text.substr(at).starts_with("<!")
               ? refuse(rules::xml_doctype, at, "a DOCTYPE or an entity is declared")
               : refuse(
                     rules::input_too_large, at,
                     "an element has more than " + std::to_string(most_attributes) + " attributes");
  const auto elements = static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return c == '<' || c == '='; }));
  if (elements > options.max_elements)
    return refuse(rules::input_too_large, 0,
                  std::to_string(elements) + " elements and attributes, the limit is " +
                      std::to_string(options.max_elements));
  return to_utf8(text, file, out);
}

Imported finish(Description description, Diagnostics diagnostics, const ImportOptions& options) {
  if (description.links.size() > options.max_links)
    diagnostics.add(rules::input_too_large, {description.file, 0, 0},
                    quoted("robot", description.name),
                    std::to_string(description.links.size()) + " links, the limit is " +
                        std::to_string(options.max_links));
  diagnostics.throw_if_errors();
  Model model = Builder(std::move(description)).build(diagnostics);
  check_overflow(model, diagnostics);
  diagnostics.throw_if_errors();
  if (options.independent_mimics) model = without_mimics(model);
  const bool floats = model.joint_count() > 0 && model.joint(1).type == JointType::floating;
  if (options.floating_base && !floats) model = with_floating_base(model);
  diagnostics.sort_by_line();
  return {std::move(model), std::move(diagnostics)};
}

}  // namespace ulna::detail
