#include "parts.hpp"
#include "qp_fields.hpp"

/// Quadratic programs in stages, by themselves.
namespace ulna::python {

using control::QpStage;
using control::QpStart;
using Eigen::VectorXd;

ULNA_PYTHON_WORDS(control::QpStart, cold, point, multipliers)
ULNA_PYTHON_FIELDS(control::StageSize, x, u, g)
ULNA_PYTHON_FIELDS(control::Bounds, lower, upper, price, price_squared)
ULNA_PYTHON_FIELDS(control::QpStage, H, h, F, f, G, bounds)

namespace {

struct Program {
  Program(const py::list& given_sizes, const py::dict& options) {
    read(given_sizes, sizes, "sizes");
    solver.emplace(sizes, options_of<control::QpOptions>(options));
    stages = control::qp_stages(sizes);
  }
  std::vector<control::StageSize> sizes;
  std::vector<QpStage> stages;
  std::optional<control::QpSolver> solver;
};

/// Throws std::invalid_argument for what has not the size that it had before.
void set_stage(Program& p, int k, const py::dict& given) {
  QpStage stage = p.stages.at(static_cast<std::size_t>(k));
  const QpStage& known = p.stages[static_cast<std::size_t>(k)];
  read_fields(given, stage);
  const auto same = [&](const auto& now, const auto& before, const char* name) {
    if (now.rows() != before.rows() || now.cols() != before.cols())
      throw std::invalid_argument("stage " + std::to_string(k) + ": " + name + " is " +
                                  std::to_string(now.rows()) + " x " + std::to_string(now.cols()) +
                                  ", not " + std::to_string(before.rows()) + " x " +
                                  std::to_string(before.cols()));
  };
  same(stage.H, known.H, "H"), same(stage.h, known.h, "h"), same(stage.F, known.F, "F");
  same(stage.f, known.f, "f"), same(stage.G, known.G, "G");
  same(stage.bounds.lower, known.bounds.lower, "lower");
  same(stage.bounds.upper, known.bounds.upper, "upper");
  same(stage.bounds.price, known.bounds.price, "price");
  same(stage.bounds.price_squared, known.bounds.price_squared, "price_squared");
  p.stages[static_cast<std::size_t>(k)] = std::move(stage);
}

py::dict solve(Program& p, const VectorXd& x0, const py::object& start) {
  QpStart begin{};
  read(start, begin, "start");
  if (x0.size() != p.sizes.front().x)
    throw std::invalid_argument("x0 has " + std::to_string(x0.size()) + " numbers, stage 0 has " +
                                std::to_string(p.sizes.front().x));
  control::QpReport report;
  {
    const py::gil_scoped_release free;
    report = p.solver->solve(p.stages, x0, begin);
  }
  py::list x, u, multipliers, row_multipliers;
  const int n = static_cast<int>(p.sizes.size());
  for (int k = 0; k < n; ++k) {
    x.append(VectorXd(p.solver->x(k)));
    u.append(VectorXd(p.solver->u(k)));
    row_multipliers.append(p.solver->row_multiplier(k));
    if (k + 1 < n) multipliers.append(VectorXd(p.solver->multiplier(k)));
  }
  py::dict d;
  d["status"] = written(report.status), d["report"] = report.str();
  d["iterations"] = report.iterations, d["x"] = x, d["u"] = u;
  d["multipliers"] = multipliers, d["row_multipliers"] = row_multipliers;
  d["residuals"] = py::make_tuple(report.slope, report.defect, report.breach, report.gap);
  return d;
}

}  // namespace

void register_qp(py::module_& module) {
  add_defaults<control::QpOptions>(module, "QuadraticProgram");
  py::class_<Program>(module, "QuadraticProgram")
      .def(py::init<py::list, py::dict>())
      .def("set_stage", &set_stage)
      .def("shift", [](Program& p) { p.solver->shift(); })
      .def("solve", &solve);
}

}  // namespace ulna::python
