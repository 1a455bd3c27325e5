#include "finish.hpp"

#include "model/names.hpp"
#include "ulna/model/builder.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::detail {

namespace {

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
