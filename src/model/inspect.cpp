#include "ulna/model/inspect.hpp"

namespace ulna {

int compound_joint(const Model& model) {
  for (int b = 1; b < model.body_count(); ++b)
    if (velocity_size(model.joint(b).type) > 1) return b;
  return 0;
}

std::string why_indefinite(const Plant<double>& plant) {
  const Eigen::VectorXd& stiffness = plant.drives.stiffness;
  for (Eigen::Index i = 0; i < stiffness.size(); ++i)
    if (stiffness[i] > 1e12)
      return "the spring of '" + plant.model().velocity_names()[std::size_t(i)] +
             "' is too stiff to compute with: give its stiffness in Nm/rad or N/m, or leave it out";
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
