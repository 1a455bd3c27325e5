#include "ulna/dynamics/arguments.hpp"

#include <stdexcept>

namespace ulna::detail {
namespace {

std::string size(Eigen::Index rows, Eigen::Index cols) {
  return std::to_string(rows) + " x " + std::to_string(cols);
}

}  // namespace

void refuse_not_finite(const char* what, Eigen::Index at, const Model& model) {
  const bool of_configuration = what == std::string("q") || what == std::string("start");
  const auto names = of_configuration ? model.configuration_names() : model.velocity_names();
  const auto i = static_cast<std::size_t>(at);
  throw std::invalid_argument(std::string(what) + " is not finite at " + std::to_string(at + 1) +
                              " of " + std::to_string(names.size()) +
                              (i < names.size() ? ", '" + names[i] + "'" : ""));
}

void refuse_shape(const char* what, Eigen::Index rows, Eigen::Index cols, Eigen::Index wanted_rows,
                  Eigen::Index wanted_cols, const Model& model) {
  throw std::invalid_argument(std::string(what) + " is " + size(rows, cols) + ", robot '" +
                              model.name() + "' needs " + size(wanted_rows, wanted_cols));
}

void refuse_shape(const char* what, Eigen::Index rows, Eigen::Index cols, Eigen::Index wanted) {
  throw std::invalid_argument(std::string(what) + " is " + size(rows, cols) + ", the robot needs " +
                              size(wanted, wanted));
}

void refuse_other_robot(const Model& of_motion, const Model& of_plant) {
  throw std::invalid_argument("the motion is of robot '" + of_motion.name() +
                              "', the plant of robot '" + of_plant.name() + "'");
}

}  // namespace ulna::detail
