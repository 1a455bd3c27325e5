#include "ulna/model/model.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/names.hpp"
#include "ulna/model/builder.hpp"

namespace ulna {

const Joint& Model::joint_of_coordinate(int i) const {
  return data_->joints[data_->body_of_coordinate.at(i)];
}

std::string_view Model::joint_name(int body) const {
  const int j = data_->joint_of_body.at(body);
  return j < 0 ? std::string_view() : data_->description.joints[j].name;
}

std::string_view Model::body_name(int body) const {
  const int l = data_->link_of_body.at(body);
  return data_->description.links[l].name;
}

std::optional<int> Model::find_joint(std::string_view name) const {
  return detail::find(data_->joint_names, name);
}

std::optional<int> Model::find_frame(std::string_view name) const {
  return detail::find(data_->frame_names, name);
}

int Model::joint_index(std::string_view name) const {
  if (const auto found = find_joint(name)) return *found;
  throw std::out_of_range("robot '" + this->name() + "' has no moving joint '" + std::string(name) +
                          "'" + detail::did_you_mean(name, data_->joint_names));
}

const Frame& Model::frame(std::string_view name) const {
  if (const auto found = find_frame(name)) return data_->frames[*found];
  throw std::out_of_range("robot '" + this->name() + "' has no link or frame '" +
                          std::string(name) + "'" + detail::did_you_mean(name, data_->frame_names));
}

namespace {

/// The joint's name, with an ending where it has several coordinates.
std::vector<std::string> coordinate_names(const Model& model, int (*size)(JointType),
                                          std::span<const std::string_view> planar,
                                          std::span<const std::string_view> floating) {
  std::vector<std::string> names;
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& j = model.joint(b);
    const int n = j.mimics ? 0 : size(j.type);
    for (int i = 0; i < n; ++i) {
      names.emplace_back(model.joint_name(b));
      if (n > 1) names.back() += (j.type == JointType::planar ? planar : floating)[i];
    }
  }
  return names;
}

}  // namespace

// angular before linear, as everywhere; a ball joint has the angular half of a floating one

std::vector<std::string> Model::configuration_names() const {
  static constexpr std::string_view planar[] = {"_theta", "_x", "_y"},
                                    floating[] = {"_qw", "_qx", "_qy", "_qz", "_x", "_y", "_z"};
  return coordinate_names(*this, configuration_size, planar, floating);
}

std::vector<std::string> Model::velocity_names() const {
  static constexpr std::string_view planar[] = {"_wz", "_vx", "_vy"},
                                    floating[] = {"_wx", "_wy", "_wz", "_vx", "_vy", "_vz"};
  return coordinate_names(*this, velocity_size, planar, floating);
}

Model Model::with_gravity(const Vec3<double>& gravity) const {
  return Builder(description()).gravity(gravity).build();
}

bool detail::same_joints(std::span<const Joint> a, std::span<const Joint> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Joint& x, const Joint& y) {
    return x.type == y.type && x.parent == y.parent && x.mimics == y.mimics;
  });
}

}  // namespace ulna
