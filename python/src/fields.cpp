#include "fields.hpp"

#include "ulna/model/diagnostic.hpp"

namespace ulna::python {
namespace {

std::string listed(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

}  // namespace

void refuse_option(const std::string& name, const char* needed, py::handle given) {
  throw std::invalid_argument("option '" + name + "': " + needed + ", not " +
                              std::string(py::repr(given)).substr(0, 60));
}

void refuse_unknown_option(const std::string& name, std::span<const std::string_view> known) {
  const std::string last = name.substr(name.rfind('.') + 1);
  const std::vector<std::string_view> words(known.begin(), known.end());
  throw std::invalid_argument("there is no option '" + name + "'" + did_you_mean(last, words) +
                              "; there are " + listed(known));
}

void refuse_word(const std::string& name, const std::string& given,
                 std::span<const std::string_view> known) {
  throw std::invalid_argument("option '" + name + "': '" + given + "' is unknown; there are " +
                              listed(known));
}

std::vector<std::pair<std::string, py::object>> items_of(py::handle dict, const std::string& name) {
  if (!py::isinstance<py::dict>(dict)) refuse_option(name, "a dict is needed", dict);
  std::vector<std::pair<std::string, py::object>> items;
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(dict))
    items.emplace_back(py::str(key), py::reinterpret_borrow<py::object>(value));
  return items;
}

Transform<double> transform_of(const Eigen::Matrix4d& X, const char* what) {
  const auto refuse = [&](const char* why) {
    throw std::invalid_argument(std::string(what) + why);
  };
  if (!X.allFinite()) refuse(" is not finite");
  const Mat3<double> R = X.topLeftCorner<3, 3>();
  if ((R.transpose() * R - Mat3<double>::Identity()).norm() > 1e-6 || R.determinant() < 0.0)
    refuse("'s 3x3 part is not a rotation");
  return {nearest_rotation(R), X.topRightCorner<3, 1>()};
}

}  // namespace ulna::python
