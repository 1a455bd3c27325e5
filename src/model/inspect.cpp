#include "ulna/model/inspect.hpp"

namespace ulna {

int compound_joint(const Model& model) {
  for (int b = 1; b < model.body_count(); ++b)
    if (velocity_size(model.joint(b).type) > 1) return b;
  return 0;
}

std::string why_indefinite(const Plant<double>& plant) {
  std::string massless;
  for (int b = 1; b < plant.model().body_count(); ++b)
    if (!(plant.body(b).mass > 0.0))
      massless += (massless.empty() ? "'" : ", '") + std::string(plant.model().body_name(b)) + "'";
  if (massless.empty()) return "`ulna check` lists links with inertias that no rigid body can have";
  return "it has no mass at " + massless + ": give these links inertias, or lock their joints";
}

void require_plain_drives(const Model& model, std::string_view where) {
  if (model.drives().plain()) return;
  throw std::invalid_argument(std::string(where) + ": robot '" + model.name() +
                              "' has springs or coupled motors, which are not supported here; "
                              "with_plain_drives(model) leaves them out");
}

}  // namespace ulna
