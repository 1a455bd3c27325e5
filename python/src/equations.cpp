#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "engine.hpp"
#include "fields.hpp"
#include "parts.hpp"
#if ULNA_WITH_GINAC
#include "ulna/equations/equations.hpp"
#endif

namespace ulna::python {

#if ULNA_WITH_GINAC

using equations::Coordinate;
using equations::Equations;
using equations::Notation;
using equations::Options;
using equations::Symbol;
using equations::Term;

ULNA_PYTHON_WORDS(Notation, ascii, unicode, latex)
ULNA_PYTHON_FIELDS(Symbol, name, meaning, unit, value)
ULNA_PYTHON_FIELDS(Coordinate, name, joint, slides)

/// Terms by the letters that the books have for them.
template <>
struct Words<Term> {
  using enum Term;
  static constexpr Term all[] = {M, C, h, gravity, spring, rotors};
  static constexpr std::string_view names[] = {"M", "C", "h", "g", "s", "B"};
};
ULNA_PYTHON_FIELDS(Options, numeric, short_names, let, terms, most_joints, most_terms,
                   most_products, longest, seconds)

namespace {

Term term_of(const py::object& name) {
  Term term{};
  read(name, term, "term");
  return term;
}

bool is_matrix(Term term) { return term == Term::M || term == Term::C || term == Term::rotors; }

/// All elements in a notation, row by row; those of a vector are rows of one.
std::vector<std::vector<std::string>> elements(const Equations& e, const py::object& name,
                                               const py::object& how) {
  const Term term = term_of(name);
  Notation notation{};
  read(how, notation, "notation");
  const int columns = is_matrix(term) ? e.size() : 1;
  std::vector<std::vector<std::string>> rows(static_cast<std::size_t>(e.size()));
  for (int r = 0; r < e.size(); ++r)
    for (int c = 0; c < columns; ++c)
      rows[static_cast<std::size_t>(r)].push_back(e.element(term, r, c, notation));
  return rows;
}

MatrixXd values(const Equations& e, const py::object& name, const VectorXd& q, const VectorXd& v,
                const VectorXd& theta, const VectorXd& omega) {
  const Term term = term_of(name);
  MatrixXd values(e.size(), is_matrix(term) ? e.size() : 1);
  for (Index r = 0; r < values.rows(); ++r)
    for (Index c = 0; c < values.cols(); ++c)
      values(r, c) = e.value(term, int(r), int(c), q, v, theta, omega);
  return values;
}

std::string c_function(const Equations& e, const py::object& names) {
  std::vector<Term> terms;
  read(names, terms, "terms");
  return e.c_function(terms);
}

}  // namespace

void register_equations(py::module_& module) {
  add_defaults<Options>(module, "equations");
  py::class_<Equations>(module, "Equations")
      .def(py::init([](const Engine& e, const py::dict& given) {
        const auto options = options_of<Options>(given);
        const py::gil_scoped_release free;
        return Equations(e.model, options);
      }))
      .def_property_readonly("size", &Equations::size)
      .def_property_readonly("robot", &Equations::robot)
      .def_property_readonly("coordinates",
                             [](const Equations& e) { return written(e.coordinates()); })
      .def_property_readonly("motors", [](const Equations& e) { return written(e.motors()); })
      .def_property_readonly("symbols", [](const Equations& e) { return written(e.symbols()); })
      .def_property_readonly("without_friction", &Equations::without_friction)
      .def_property_readonly("without_carriers", &Equations::without_carriers)
      .def("name",
           [](const Equations& e, const std::string& symbol, const py::object& how) {
             Notation notation{};
             read(how, notation, "notation");
             return e.name(symbol, notation);
           })
      .def("elements", &elements)
      .def("values", &values)
      .def("equal",
           [](const Equations& e, const py::object& term, int r, int c,
              const std::string& expression) { return e.equal(term_of(term), r, c, expression); })
      .def("c_function", &c_function);
}

#else

void register_equations(py::module_&) {}

#endif

}  // namespace ulna::python
