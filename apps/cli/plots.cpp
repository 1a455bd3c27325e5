#include "plots.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ulna::cli {

std::string svg(double width, double height, std::string_view label, const std::string& inside) {
  return fmt::format("<svg viewBox='0 0 {:g} {:g}' role='img' aria-label='{}'>\n{}</svg>\n", width,
                     height, escaped(label), inside);
}

std::string words(double x, double y, std::string_view anchor, std::string_view text,
                  std::string_view style) {
  return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'{}>{}</text>\n", x, y, anchor,
                     style, escaped(text));
}

std::string frame(const Box& box) {
  return fmt::format("<rect class='frame' x='{:g}' y='{:g}' width='{:g}' height='{:g}'/>\n", box.x,
                     box.y, box.width, box.height);
}

std::string grid_y(const Box& box, const Scale& y, std::size_t at_most) {
  std::string s;
  std::vector<double> ticks = y.ticks();
  while (ticks.size() > at_most) {  // every other one, zero kept
    std::vector<double> fewer;
    const auto zero = std::find(ticks.begin(), ticks.end(), 0.0);
    const std::size_t odd =
        zero == ticks.end() ? 0 : static_cast<std::size_t>(zero - ticks.begin()) % 2;
    for (std::size_t i = odd; i < ticks.size(); i += 2) fewer.push_back(ticks[i]);
    ticks = std::move(fewer);
  }
  for (const double tick : ticks)
    s +=
        fmt::format("<path class='grid' d='M{:.1f} {:.1f}h{:.1f}'/>\n", box.x, y(tick), box.width) +
        words(box.x - 5, y(tick) + 3.5, "end", fmt::format("{:g}", tick));
  return s;
}

std::string grid_x(const Box& box, const Scale& x) {
  std::string s;
  for (const double tick : x.ticks())
    s += fmt::format("<path class='grid' d='M{:.1f} {:.1f}v{:.1f}'/>\n", x(tick), box.y,
                     box.height) +
         words(x(tick), box.bottom() + 13, "middle", fmt::format("{:g}", tick));
  return s;
}

std::string envelope(const Eigen::VectorXd& t, double begin, const Eigen::VectorXd& y,
                     const Scale& x_of, const Scale& y_of, Eigen::Index buckets) {
  std::string path;
  const Eigen::Index n = y.size(), parts = std::min(n, std::max<Eigen::Index>(1, buckets));
  char mark = 'M';
  const auto add = [&](Eigen::Index at) {
    path += fmt::format("{}{:.1f} {:.1f}", mark, x_of(begin + t(at) - t(0)), y_of(y(at)));
    mark = 'L';
  };
  for (Eigen::Index p = 0; p < parts; ++p) {
    const Eigen::Index from = p * n / parts, to = (p + 1) * n / parts;
    Eigen::Index low = 0, high = 0;
    y.segment(from, to - from).minCoeff(&low);
    y.segment(from, to - from).maxCoeff(&high);
    add(from + std::min(low, high));
    if (low != high) add(from + std::max(low, high));
  }
  return path;
}

std::string_view torque_unit(const Model& model, int dof) {
  return model.joint_of_coordinate(dof).type == JointType::prismatic ? "N" : "Nm";
}

}  // namespace ulna::cli
