#include "finish.hpp"

#include "ulna/model/builder.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::detail {

void stop_if_refused(Diagnostics& diagnostics) {
  if (!diagnostics.has_errors()) return;
  diagnostics.sort_by_line();
  throw ModelError(diagnostics);
}

Imported finish(Description description, Diagnostics diagnostics, const ImportOptions& options) {
  if (description.links.size() > options.max_links)
    diagnostics.add(rules::input_too_large, {description.file, 0, 0}, "robot '" + description.name + "'",
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
  if (options.independent_mimics) model = without_mimics(model);
  if (options.floating_base) model = with_floating_base(model);
  diagnostics.sort_by_line();
  return {std::move(model), std::move(diagnostics)};
}

}  // namespace ulna::detail
