#include "finish.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/model/builder.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::detail {

void stop_if_refused(Diagnostics& diagnostics) {
  if (!diagnostics.has_errors()) return;
  diagnostics.sort_by_line();
  throw ModelError(diagnostics);
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 80;
  std::size_t end = std::min(text.size(), most);
  while (end < text.size() && end > 0 && (text[end] & 0xC0) == 0x80)
    --end;  // no cut within a character
  std::string result;
  for (const char c : text.substr(0, end)) {
    constexpr char digits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      result += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    else
      result += c;
  }
  return end < text.size() ? result + "..." : result;
}

namespace {

/// Each number of the file is finite, yet sums and products of very large ones may not be.
void check_overflow(const Model& model, Diagnostics& out) {
  const Description& d = model.description();
  const auto require = [&](bool finite, std::string_view kind, std::string_view name) {
    if (finite) return;
    const std::string subject = std::string(kind) + " '" + shown(name) + "'";
    out.add(rules::number_invalid, {d.file, 0, 0}, subject,
            "its numbers are so large that they overflow");
  };
  const auto finite = [](const Transform<double>& X) { return X.matrix().allFinite(); };
  for (int b = 0; b < model.body_count(); ++b) {
    const Joint& j = model.joint(b);
    require(model.canonical_inertias()[b].parameters().allFinite() && finite(j.X_PJ), "link",
            model.body_name(b));
    if (b > 0)
      require(std::isfinite(j.multiplier) && std::isfinite(j.offset), "joint", model.joint_name(b));
  }
  for (const Frame& f : model.frames()) require(finite(f.X_BF), "frame", f.name);
  for (const auto* v :
       {&model.damping(), &model.friction(), &model.friction_negative(), &model.armature()})
    require(v->allFinite(), "robot", model.name());
}

}  // namespace

Imported finish(Description description, Diagnostics diagnostics, const ImportOptions& options) {
  if (description.links.size() > options.max_links)
    diagnostics.add(rules::input_too_large, {description.file, 0, 0},
                    "robot '" + shown(description.name) + "'",
                    std::to_string(description.links.size()) + " links, the limit is " +
                        std::to_string(options.max_links));
  stop_if_refused(diagnostics);
  const auto build = [&]() -> Model {
    try {
      return Builder(std::move(description)).build(diagnostics);
    } catch (const ModelError&) {
      stop_if_refused(diagnostics);
      throw;
    }
  };
  Model model = build();
  check_overflow(model, diagnostics);
  stop_if_refused(diagnostics);
  if (options.independent_mimics) model = without_mimics(model);
  const bool floats = model.joint_count() > 0 && model.joint(1).type == JointType::floating;
  if (options.floating_base && !floats) model = with_floating_base(model);
  diagnostics.sort_by_line();
  return {std::move(model), std::move(diagnostics)};
}

}  // namespace ulna::detail
