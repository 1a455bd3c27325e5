#include "ulna/dynamics/arguments.hpp"

#include <stdexcept>

namespace ulna::detail {

void refuse_not_finite(const char* what, Eigen::Index at, const Model& model) {
  const bool of_configuration = what == std::string("q") || what == std::string("start");
  const auto names = of_configuration ? model.configuration_names() : model.velocity_names();
  const auto i = static_cast<std::size_t>(at);
  throw std::invalid_argument(std::string(what) + " is not finite at " + std::to_string(at + 1) +
                              " of " + std::to_string(names.size()) +
                              (i < names.size() ? ", '" + names[i] + "'" : ""));
}

void require_shape(const char* what, Eigen::Index rows, Eigen::Index cols, Eigen::Index wanted_rows,
                   Eigen::Index wanted_cols, const Model& model) {
  if (rows == wanted_rows && cols == wanted_cols) return;
  throw std::invalid_argument(std::string(what) + " is " + std::to_string(rows) + " x " +
                              std::to_string(cols) + ", robot '" + model.name() + "' needs " +
                              std::to_string(wanted_rows) + " x " + std::to_string(wanted_cols));
}

}  // namespace ulna::detail
