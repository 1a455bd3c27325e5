#include "geometry/height_grid.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ulna {
namespace {

HeightField checked(const HeightField& field) {
  const auto refuse = [](const std::string& what) {
    throw std::invalid_argument("height field: " + what);
  };
  if (field.columns < 2 || field.rows < 2) refuse("give at least 2 columns and 2 rows");
  const std::size_t count =
      static_cast<std::size_t>(field.columns) * static_cast<std::size_t>(field.rows);
  if (field.heights.size() != count)
    refuse(std::to_string(field.heights.size()) + " heights; columns x rows is " +
           std::to_string(count));
  for (const double length : {field.width, field.depth})
    if (!(CollisionShape::smallest <= length && length <= CollisionShape::largest))
      refuse("width and depth must be from 1e-9 m to 1e9 m");
  for (const double height : field.heights)
    if (!(std::abs(height) <= CollisionShape::largest))
      refuse("a height is not a number up to 1e9 m");
  return field;
}

}  // namespace

HeightGrid::HeightGrid(const HeightField& field)
    : field_(checked(field)),
      dx_(field.width / (field.columns - 1)),
      dy_(field.depth / (field.rows - 1)),
      highest_(*std::max_element(field.heights.begin(), field.heights.end())) {}

Aabb HeightGrid::box(const Transform<double>& X_WS) const noexcept {
  // a column that reaches down without end has bounds across it only if it stands upright
  const Vec3<double> up = X_WS.rotation().matrix().col(2);
  if (!(up.z() == 1.0)) {
    constexpr double all = infinity;
    return {Vec3<double>::Constant(-all), Vec3<double>::Constant(all)};
  }
  const Vec3<double> half(0.5 * field_.width, 0.5 * field_.depth, 0.0);
  const Vec3<double> turned = X_WS.rotation().matrix().cwiseAbs() * half;
  Aabb box{X_WS.translation() - turned, X_WS.translation() + turned};
  box.lower.z() = -infinity;
  box.upper.z() = X_WS.translation().z() + highest_;
  return box;
}

Vec3<double> HeightGrid::point(int column, int row) const {
  return {column * dx_ - 0.5 * field_.width, row * dy_ - 0.5 * field_.depth,
          field_.heights[static_cast<std::size_t>(row) * static_cast<std::size_t>(field_.columns) +
                         static_cast<std::size_t>(column)]};
}

detail::SurfaceTriangle HeightGrid::triangle(int i, int j, bool upper) const {
  detail::SurfaceTriangle made;
  made.solid = true;
  made.id = static_cast<std::uint32_t>(2 * (j * (field_.columns - 1) + i) + upper);
  const auto beyond = [&](std::size_t edge, int column, int row) {
    made.open[edge] = column < 0 || row < 0 || column >= field_.columns || row >= field_.rows;
    made.beyond[edge] = made.open[edge] ? Vec3<double>(Vec3<double>::Zero()) : point(column, row);
  };
  if (upper) {
    made.corners = {point(i, j), point(i + 1, j + 1), point(i, j + 1)};
    beyond(0, i + 1, j);
    beyond(1, i + 1, j + 2);
    beyond(2, i - 1, j);
  } else {
    made.corners = {point(i, j), point(i + 1, j), point(i + 1, j + 1)};
    beyond(0, i, j - 1);
    beyond(1, i + 2, j + 1);
    beyond(2, i, j + 1);
  }
  return made;
}

}  // namespace ulna
