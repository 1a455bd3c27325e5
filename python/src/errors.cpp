#include "errors.hpp"

namespace ulna::python {

py::tuple diagnostics_of(const Diagnostics& diagnostics) {
  const py::object type = py::module_::import("ulna._errors").attr("Diagnostic");
  py::list list;
  for (const Diagnostic& d : diagnostics.list()) {
    const std::string remedy = d.remedy.empty() && d.rule ? std::string(d.rule->remedy) : d.remedy;
    list.append(type(std::string(to_string(d.severity)),
                     d.rule ? std::string(d.rule->name) : std::string(), d.source.file,
                     d.source.line, d.source.column, d.subject, d.seen, d.assumed, remedy,
                     d.str()));
  }
  return py::tuple(list);
}

void set_error() noexcept {
  try {
    try {
      throw;
    } catch (const ModelError& e) {
      const py::object type = py::module_::import("ulna._errors").attr("ModelError");
      const py::object error = type(e.what(), diagnostics_of(e.diagnostics()));
      PyErr_SetObject(type.ptr(), error.ptr());
    }
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (const py::builtin_exception& e) {
    e.set_error();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::logic_error& e) {
    // wrong sizes, NaN, unknown names and robots that cannot move: all are wrong values
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

void register_errors() {
  py::register_exception_translator([](std::exception_ptr p) {
    if (!p) return;
    try {
      std::rethrow_exception(p);
    } catch (const py::error_already_set&) {
      throw;
    } catch (const py::builtin_exception&) {
      throw;
    } catch (...) {
      set_error();
    }
  });
}

}  // namespace ulna::python
