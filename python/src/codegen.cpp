#include "parts.hpp"

#include "fields.hpp"
#include "function.hpp"
#include "ulna/codegen/compiled.hpp"
#include "ulna/codegen/print_c.hpp"
#include "ulna/codegen/robot/robot_functions.hpp"

/// A robot's functions as generated C, compiled, loaded, and called as the functions of a Robot are: arrays, dicts, out=
/// and many states are those of Function.
namespace ulna::python {

using codegen::CompileOptions;
using codegen::RobotFunction;

ULNA_PYTHON_FIELDS(CompileOptions, compiler, flags, lanes)

namespace {

struct Kind {
  RobotFunction function;
  const char* name;  ///< as Robot has it
  std::vector<Parameter> parameters;
  std::vector<Shape> results;
};

const std::vector<Kind>& kinds() {
  using enum Role;
  static const Parameter q{"q", configuration}, v{"v", velocity}, a{"a", velocity},
      tau{"tau", velocity}, jerk{"jerk", velocity}, snap{"snap", velocity},
      theta{"theta", velocity}, omega{"omega", velocity};
  static const Shape vector{nv}, square{nv, nv};
  static const std::vector<Kind> list{
      {RobotFunction::id, "inverse_dynamics", {q, v, a}, {vector}},
      {RobotFunction::M, "mass_matrix", {q}, {square}},
      {RobotFunction::Minv, "inverse_mass_matrix", {q}, {square}},
      {RobotFunction::fd, "forward_dynamics", {q, v, tau}, {vector}},
      {RobotFunction::did,
       "inverse_dynamics_derivatives",
       {q, v, a},
       {vector, square, square, square}},
      {RobotFunction::dfd,
       "forward_dynamics_derivatives",
       {q, v, tau},
       {vector, square, square, square}},
      {RobotFunction::Y, "torque_regressor", {q, v, a}, {Shape{nv, parameters}}},
      {RobotFunction::drive_id,
       "drive_inverse_dynamics",
       {q, v, a, jerk, snap},
       {vector, vector, vector}},
      {RobotFunction::drive_fd,
       "drive_forward_dynamics",
       {q, v, theta, omega, tau},
       {vector, vector}},
  };
  return list;
}

/// A Spec whose C++ is a compiled function.
struct Compiled : Spec {
  codegen::Traced traced;
  codegen::CompiledFunction function;
  py::object robot;  ///< keeps the engine alive

  Compiled(const Kind& kind, codegen::Traced line, const CompileOptions& options, py::object owner)
      : Spec{kind.name, kind.parameters, kind.results, run_one, run_many},
        traced(std::move(line)),
        function(traced, options),
        robot(std::move(owner)) {}

  static void require_arguments(const Engine& e, const Call& c) {
    std::size_t k = 0;
    for (const Parameter& p : c.spec->parameters) {
      const auto x = c.x[k++].vec();
      if (p.role != Role::inertial) {
        detail::require<double>(p.name, x, size_of(p.role, e), e.model);
      } else if (x.size() != size_of(p.role, e) || !x.allFinite()) {
        throw std::invalid_argument("pi: " + std::to_string(size_of(p.role, e)) +
                                    " finite numbers are needed, ten per moving body");
      }
    }
  }
  /// Generated matrices go out column by column, those of numpy row by row.
  void turn(double* result, std::size_t i) const {
    const codegen::Traced::Vector& made = traced.outputs()[i];
    if (made.columns == 1) return;
    const MatrixXd by_columns = Eigen::Map<const MatrixXd>(result, made.rows(), made.columns);
    RowMap(result, made.rows(), made.columns) = by_columns;
  }
  static void run_one(const Engine& e, Scratch&, const Call& c) {
    require_arguments(e, c);
    const auto& self = static_cast<const Compiled&>(*c.spec);
    std::array<const double*, most_vectors> in{};
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = c.x[i].data;
    self.function.call(in.data(), c.out.data());
    for (std::size_t i = 0; i < self.results.size(); ++i) self.turn(c.out[i], i);
  }
  /// By the function for many states, whose vectors lie one behind the other.
  static bool run_many(const Engine& e, Crew&, const Call& c, Index states) {
    const auto& self = static_cast<const Compiled&>(*c.spec);
    std::array<const double*, most_vectors> in{};
    for (std::size_t i = 0; i < self.parameters.size(); ++i) {
      const Numbers& x = c.x[i];
      if (x.stride != x.size || x.size != size_of(self.parameters[i].role, e)) return false;
      if (!Eigen::Map<const VectorXd>(x.data, x.size * states).allFinite()) return false;
      in[i] = x.data;
    }
    self.function.call(static_cast<std::size_t>(states), in.data(), c.out.data());
    for (std::size_t i = 0; i < self.results.size(); ++i)
      for (Index s = 0; s < states; ++s) self.turn(c.out[i] + s * self.traced.outputs()[i].size, i);
    return true;
  }
};

const Kind& kind_named(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Kind& kind : kinds()) {
    if (kind.name == name || codegen::to_string(kind.function) == name) return kind;
    known.emplace_back(kind.name);
  }
  refuse_word("function", name, known);
}

py::object compile(const py::object& owner, const std::string& name, bool symbolic_inertias,
                   const py::dict& given) {
  Engine& engine = owner.cast<Engine&>();
  Kind kind = kind_named(name);
  const auto options = options_of<CompileOptions>(given);
  std::unique_ptr<Compiled> made;
  {
    std::optional<codegen::Traced> traced;
    {
      const py::gil_scoped_release free;
      traced = codegen::trace(engine.model, kind.function, {symbolic_inertias});
    }
    if (traced->inputs().size() > kind.parameters.size())
      kind.parameters.push_back({"pi", Role::inertial});
    made = std::make_unique<Compiled>(kind, std::move(*traced), options, owner);
  }
  const Compiled& spec = *made;
  const py::capsule keeper(made.release(), [](void* p) { delete static_cast<Compiled*>(p); });
  py::object function = make_function(keeper, engine, spec);
  function.attr("__name__") = name;
  function.attr("operations") = spec.traced.operation_count();
  function.attr("from_cache") = spec.function.came_from_cache();
  return function;
}

py::tuple source(const Engine& e, const std::string& name, bool symbolic_inertias, int lanes,
                 bool single) {
  codegen::COptions options;
  options.lanes = lanes;
  if (single) options.number = codegen::CNumber::single_precision;
  const codegen::Traced traced =
      codegen::trace(e.model, kind_named(name).function, {symbolic_inertias});
  const codegen::CFiles files = codegen::print_c(traced, options);
  return py::make_tuple(traced.name(), files.header, files.source);
}

}  // namespace

void register_codegen(py::module_& module) {
  add_defaults<CompileOptions>(module, "codegen");
  module.def("compile_function", &compile);
  module.def("c_source", &source);
}

}  // namespace ulna::python
