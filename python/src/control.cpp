#include "callback.hpp"
#include "control_fields.hpp"
#include "parts.hpp"

/// Optimal control problems whose functions are Python's.
namespace ulna::python {
namespace {

using control::QpStage;
using control::Sqp;
using control::StageSize;
using control::StageValue;

/// Calls a Python object's evaluate(k, x, u) -> (cost, next, g) and linearise(k, x, u, multipliers) -> (cost, next, g, H, h,
/// F, G), in which variables are (u, x).
class PythonProblem : public control::StagewiseProblem {
 public:
  PythonProblem(const py::object& stated, std::vector<StageSize> sizes, bool exact)
      : StagewiseProblem(std::move(sizes)), stated_(stated), exact_(exact) {}
  bool has_exact_hessian() const override { return exact_; }

 protected:
  using Values = std::tuple<double, VectorXd, VectorXd>;
  using Slopes = std::tuple<double, VectorXd, VectorXd, MatrixXd, VectorXd, MatrixXd, MatrixXd>;

  bool evaluate(int k, In x, In u, StageValue& value) override {
    const auto [cost, next, g] =
        stated_.attr("_evaluate")(k, VectorXd(x), VectorXd(u)).cast<Values>();
    return take(k, cost, next, g, value);
  }
  bool linearise(int k, In x, In u, const Vector* next, const Vector* rows, StageValue& value,
                 QpStage& stage) override {
    const py::object multipliers =
        next ? py::object(py::make_tuple(*next, VectorXd(rows->tail(size(k).g)))) : py::none();
    const auto [cost, to, g, H, h, F, G] =
        stated_.attr("_linearise")(k, VectorXd(x), VectorXd(u), multipliers).cast<Slopes>();
    stage.H = H, stage.h = h;
    if (stage.F.size() > 0) stage.F = F;
    if (stage.G.size() > 0) stage.G = G;
    return take(k, cost, to, g, value) && H.allFinite() && h.allFinite() && stage.F.allFinite() &&
           stage.G.allFinite();
  }

 private:
  bool take(int k, double cost, const VectorXd& next, const VectorXd& g, StageValue& value) const {
    value.cost = cost, value.g = g;
    if (k + 1 < stage_count()) value.next = next;
    return std::isfinite(cost) && g.allFinite() && value.next.allFinite();
  }

  py::handle stated_;  ///< borrowed: it owns this, and a circle would never be freed
  bool exact_;
};

/// Rows (u, x, g) of a stage are kept between bounds, softly where a price is given.
void set_bounds(PythonProblem& p, int k, const VectorXd& lower, const VectorXd& upper,
                const std::optional<VectorXd>& price,
                const std::optional<VectorXd>& price_squared) {
  control::Bounds& bounds = p.bounds(k);
  bounds.lower = lower, bounds.upper = upper;
  if (price) bounds.price = *price;
  if (price_squared) bounds.price_squared = *price_squared;
}

using Columns = std::vector<VectorXd>;

py::tuple solve(PythonProblem& p, const VectorXd& x0, Columns x, Columns u, const py::dict& given,
                const std::optional<double>& seconds) {
  Sqp sqp(p, options_of<control::SqpOptions>(given));
  sqp.trajectory = {std::move(x), std::move(u)};
  const control::SqpReport& report = sqp.solve(x0, deadline_in(seconds));
  return py::make_tuple(written(report), report.str(), sqp.trajectory.x, sqp.trajectory.u);
}

}  // namespace

void register_control(py::module_& module) {
  add_defaults<control::SqpOptions>(module, "solve");
  py::class_<PythonProblem>(module, "StagewiseProblem")
      .def(py::init(
          [](const py::object& stated, const std::vector<std::array<int, 3>>& sizes, bool exact) {
            std::vector<StageSize> all;
            for (const auto& [x, u, g] : sizes) all.push_back({x, u, g});
            return std::make_unique<PythonProblem>(stated, all, exact);
          }))
      .def("set_bounds", &set_bounds)
      .def("solve", &solve);
}

}  // namespace ulna::python
