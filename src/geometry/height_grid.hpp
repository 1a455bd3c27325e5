#pragma once

#include "geometry/triangle_mesh.hpp"

namespace ulna {

/// A checked HeightField.
class HeightGrid {
 public:
  explicit HeightGrid(const HeightField& field);

  Aabb box(const Transform<double>& X_WS) const noexcept;
  /// Calls f with each triangle above or below a box.
  template <class F>
  void for_each_near(const Aabb& box, const F& f) const {
    const auto cell = [](double x, double size, int cells) {
      return static_cast<int>(std::clamp(std::floor(x / size), 0.0, cells - 1.0));
    };
    const double x = 0.5 * field_.width, y = 0.5 * field_.depth;
    if (box.upper.x() < -x || box.lower.x() > x || box.upper.y() < -y || box.lower.y() > y ||
        box.lower.z() > highest_)
      return;
    const int i1 = cell(box.upper.x() + x, dx_, field_.columns - 1);
    const int j1 = cell(box.upper.y() + y, dy_, field_.rows - 1);
    for (int j = cell(box.lower.y() + y, dy_, field_.rows - 1); j <= j1; ++j)
      for (int i = cell(box.lower.x() + x, dx_, field_.columns - 1); i <= i1; ++i)
        for (const bool upper : {false, true}) f(triangle(i, j, upper));
  }

 private:
  Vec3<double> point(int column, int row) const;
  /// Of a cell, the one below its diagonal from the first to the last corner, or the one above.
  detail::SurfaceTriangle triangle(int i, int j, bool upper) const;

  HeightField field_;
  double dx_, dy_, highest_;
};

}  // namespace ulna
