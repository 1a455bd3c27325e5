#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>

#include "axes.hpp"
#include "ulna/model/model.hpp"

/// What the plots within a page share: pieces of SVG whose colours the page's style names.
namespace ulna::cli {

/// A rectangle to draw in.
struct Box {
  double x, y, width, height;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

std::string svg(double width, double height, std::string_view label, const std::string& inside);
std::string words(double x, double y, std::string_view anchor, std::string_view text,
                  std::string_view style = "");
std::string frame(const Box& box);
std::string grid_y(const Box& box, const Scale& y, std::size_t at_most = 6);
std::string grid_x(const Box& box, const Scale& x);

/// The lowest and the highest in each of at most `buckets` parts, as a line through both; its time
/// begins at `begin`.
std::string envelope(const Eigen::VectorXd& t, double begin, const Eigen::VectorXd& y,
                     const Scale& x_of, const Scale& y_of, Eigen::Index buckets);

/// "N" or "Nm": what a degree of freedom is driven with.
std::string_view torque_unit(const Model& model, int dof);

}  // namespace ulna::cli
