#include "callback.hpp"

namespace ulna::python {

VectorXd vector_of(const Parameter& parameter, py::handle given, const Engine& engine) {
  VectorArgument argument(parameter, given.ptr(), engine);
  if (argument.is_many())
    throw std::invalid_argument(std::string(parameter.name) +
                                " has two dimensions; one state is needed");
  return argument.numbers(1).vec();
}

}  // namespace ulna::python
