#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "engine.hpp"
#include "parts.hpp"
#if ULNA_WITH_VIEWER
#include "ulna/view/page/recording.hpp"
#include "ulna/view/viewer.hpp"
#endif

/// Robots in a browser.
namespace ulna::python {

#if ULNA_WITH_VIEWER

namespace {

using namespace view;

/// Names of groups of plots, units, and names of the numbers; those of as many numbers as a robot has joints belong to them.
using Plots = std::vector<std::tuple<std::string, std::string, std::vector<std::string>>>;

ViewerOptions viewer_options(const Model& first, int port, const std::string& title,
                             const Plots& plots, const PackageFolders& packages) {
  ViewerOptions options;
  options.server.port = port;
  options.title = title;
  options.meshes.files.packages = packages;
  for (const auto& [name, unit, names] : plots) {
    SeriesGroup group{name, unit, series_of_joints(first)};
    if (names.size() != group.series.size()) group.series.assign(names.size(), {});
    for (std::size_t i = 0; i < names.size(); ++i) group.series[i].name = names[i];
    options.channels.push_back(std::move(group));
  }
  return options;
}

std::unique_ptr<Viewer> make_viewer(const std::vector<const Engine*>& robots,
                                    const std::vector<std::string>& names,
                                    const std::vector<bool>& ghosts, int port,
                                    const std::string& title, const Plots& plots,
                                    const std::map<std::string, std::string>& packages) {
  Cast cast;
  for (std::size_t i = 0; i < robots.size(); ++i)
    cast.push_back({.model = robots[i]->model, .name = names[i], .ghost = ghosts[i]});
  const PackageFolders places(packages.begin(), packages.end());
  const ViewerOptions options = viewer_options(cast.front().model, port, title, plots, places);
  return std::make_unique<Viewer>(std::move(cast), options);
}

/// A row of Q is a moment.
void play(Viewer& viewer, const Engine& robot, int number, const VectorXd& times,
          const MatrixXd& Q) {
  for (Message& m : track_messages(number, robot.model, times, Q.transpose()))
    viewer.keep(std::move(m));
}

}  // namespace

void register_viewer(py::module_& module) {
  py::class_<Viewer>(module, "Viewer")
      .def(py::init(&make_viewer))
      .def("show",
           [](Viewer& v, int robot, double t, const VectorXd& q) { return v.show(robot, t, q); })
      .def("plot", [](Viewer& v, double t, const VectorXd& values) { return v.plot(t, values); })
      .def("play", &play)
      .def_property_readonly("url", &Viewer::url)
      .def_property_readonly("clients", &Viewer::clients);
  module.def("has_viewer", [] { return true; });
}

#else

void register_viewer(py::module_& module) {
  module.def("has_viewer", [] { return false; });
}

#endif

}  // namespace ulna::python
