#include "ulna/view/page/world.hpp"

namespace ulna::view {
namespace {

/// Robots and loose bodies.
std::vector<int> moving_objects(const World& world) {
  std::vector<int> objects;
  for (int i = 0; i < world.object_count(); ++i)
    if (!world.is_fixed(i)) objects.push_back(i);
  return objects;
}

/// Of bodies, which have no colour of their own: those that stand beside each other differ.
Vec4<double> body_color(int object) {
  static const std::array<Vec4<double>, 6> colors{{{0.29, 0.51, 0.71, 1.0},
                                                   {0.86, 0.47, 0.26, 1.0},
                                                   {0.35, 0.62, 0.43, 1.0},
                                                   {0.58, 0.49, 0.72, 1.0},
                                                   {0.80, 0.65, 0.28, 1.0},
                                                   {0.27, 0.62, 0.66, 1.0}}};
  return colors[std::size_t(object) % colors.size()];
}

/// In the order of channels().
Eigen::VectorXd column_of(const World& world, const std::vector<int>& objects) {
  const auto n = Eigen::Index(objects.size());
  Eigen::VectorXd column(2 * n + 1);
  column(2 * n) = world.energy();
  for (Eigen::Index i = 0; i < n; ++i) {
    const int object = objects[std::size_t(i)];
    column(i) = world.contact_wrench(object).force.norm();
    column(n + i) = world.pose(object, world.is_robot(object) ? 1 : 0).translation().z();
  }
  return column;
}

template <class Vectors>
Eigen::MatrixXd side_by_side(const Vectors& columns, Eigen::Index rows) {
  Eigen::MatrixXd out(rows, Eigen::Index(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) out.col(Eigen::Index(k)) = columns[k];
  return out;
}

}  // namespace

Cast cast_of(const World& world) {
  const std::vector<WorldShape> shapes = world.shapes();
  Cast cast;
  for (const int object : moving_objects(world)) {
    if (world.is_robot(object)) {
      cast.push_back({.model = world.plant(object).model(),
                      .name = world.name(object),
                      .q = world.q(object),
                      .X_WR = world.base(object)});
      continue;
    }
    const Transform<double> X_BW = world.pose(object).inverse();
    std::vector<AddedShape> on_body;
    for (const WorldShape& s : shapes)
      if (s.object == object) on_body.push_back({"", *s.shape, X_BW * s.X_WS, body_color(object)});
    Actor& body =
        cast.emplace_back(loose_actor(world.name(object), world.inertia(object), on_body));
    body.name = world.name(object), body.q = world.q(object);
  }
  return cast;
}

std::vector<Fixture> fixtures_of(const World& world) {
  std::vector<Fixture> fixtures;
  for (const WorldShape& s : world.shapes())
    if (world.is_fixed(s.object)) fixtures.push_back({world.name(s.object), *s.shape, s.X_WS});
  return fixtures;
}

std::vector<Arrow> contact_arrows(const World& world) {
  std::vector<Arrow> arrows;
  for (const WorldContact& c : world.contacts())
    if (c.force.squaredNorm() > 0.0)
      arrows.push_back({c.position, world.is_fixed(c.second) ? Vec3<double>(-c.force) : c.force});
  return arrows;
}

WorldRecording::WorldRecording(const World& world)
    : cast_(cast_of(world)), objects_(moving_objects(world)), q_(objects_.size()) {}

void WorldRecording::add(const World& world) {
  times_.push_back(world.time());
  for (std::size_t i = 0; i < objects_.size(); ++i) q_[i].push_back(world.q(objects_[i]));
  values_.push_back(column_of(world, objects_));
  arrows_.push_back(contact_arrows(world));
}

std::vector<SeriesGroup> WorldRecording::channels() const {
  SeriesGroup height{"height", "m", {}}, force{"contact force", "N", {}};
  for (std::size_t i = 0; i < cast_.size(); ++i)
    for (SeriesGroup* group : {&height, &force}) group->series.push_back({cast_[i].name, int(i)});
  return {force, height, {"energy", "J", {{"energy"}}}};
}

std::vector<Message> WorldRecording::tracks() const {
  const Eigen::VectorXd times =
      Eigen::Map<const Eigen::VectorXd>(times_.data(), Eigen::Index(times_.size()));
  std::vector<Message> out;
  const auto append = [&](std::vector<Message> more) {
    for (Message& m : more) out.push_back(std::move(m));
  };
  for (std::size_t i = 0; i < cast_.size(); ++i)
    append(track_messages(int(i), cast_[i].model, times, side_by_side(q_[i], cast_[i].model.nq())));
  append(value_track_messages(times, side_by_side(values_, 1 + 2 * Eigen::Index(cast_.size()))));
  append(arrow_track_messages(times, arrows_));
  return out;
}

}  // namespace ulna::view
