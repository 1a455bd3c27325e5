#include "function.hpp"

#include <structmember.h>

#include <cstddef>

#include "arguments.hpp"
#include "errors.hpp"

/// The type Function, by hand: called by vectorcall, so that a call on one state costs some 100 ns beyond the C++ it
/// calls. pybind11's dispatch alone takes longer.
namespace ulna::python {
namespace {

constexpr std::size_t most_parameters = 8;

struct FunctionObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject* dict;                        ///< what the Python package hangs on it: vjp, jvp, __doc__
  PyObject* owner;                       ///< the engine's
  PyObject* make;                        ///< the named tuple of several results, or nullptr
  PyObject* names[most_parameters + 1];  ///< of the parameters, and "out"
  Engine* engine;
  const Spec* spec;
  std::size_t vectors;              ///< so many parameters, the first, are vectors
  npy_intp sizes[most_results][3];  ///< shapes of the results
};

using Given = std::array<PyObject*, most_parameters + 1>;

std::size_t parameter_count(const FunctionObject& f) { return f.spec->parameters.size(); }

[[noreturn]] void refuse_call(const FunctionObject& f, const std::string& why) {
  throw py::type_error(std::string(f.spec->name) + "(): " + why);
}

std::string signature(const FunctionObject& f) {
  std::string text = std::string(f.spec->name) + "(";
  for (const Parameter& p : f.spec->parameters)
    text += (text.back() == '(' ? "" : ", ") + std::string(p.name);
  return text + ", *, out)";
}

/// Positional and keyword arguments in the order of the parameters, then out.
void sort_arguments(const FunctionObject& f, PyObject* const* args, std::size_t count,
                    PyObject* kwnames, Given& given) {
  const std::size_t most = parameter_count(f);
  if (count > most)
    refuse_call(f, std::to_string(count) + " arguments are given; it is " + signature(f));
  for (std::size_t i = 0; i < count; ++i) given[i] = args[i];
  const Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, k);
    std::size_t i = 0;
    // keywords in source code are interned, as ours are
    while (i <= most && f.names[i] != name) ++i;
    if (i > most)
      for (i = 0; i <= most && PyUnicode_Compare(f.names[i], name) != 0;) ++i;
    if (i > most)
      refuse_call(
          f, "there is no argument '" + std::string(py::str(name)) + "'; it is " + signature(f));
    if (given[i]) refuse_call(f, "'" + std::string(py::str(name)) + "' is given twice");
    given[i] = args[count + static_cast<std::size_t>(k)];
  }
  if (given[most] == Py_None) given[most] = nullptr;
}

/// Frame, body and axes. Returns what is given as wrenches, or nullptr.
PyObject* take_options(const FunctionObject& f, const Given& given, Call& call) {
  PyObject* on = nullptr;
  for (std::size_t i = f.vectors; i < parameter_count(f); ++i) {
    const Parameter& p = f.spec->parameters[i];
    PyObject* x = given[i];
    switch (p.role) {
      case Role::frame:
        if (!x) refuse_call(f, "'frame' is missing; it is " + signature(f));
        call.frame = &f.engine->model.frame(text_of("frame", x));
        break;
      case Role::body:
        if (x && x != Py_None) call.body = f.engine->model.joint_index(text_of(p.name, x));
        break;
      case Role::axes:
        if (x && x != Py_None) call.axes = axes_of(x);
        break;
      default:
        if (x && x != Py_None) on = x;
    }
  }
  return on;
}

PyObject* new_array(const FunctionObject& f, std::size_t result, Index states, int type) {
  npy_intp shape[4] = {states};
  const int rank = f.spec->results[result].rank, many = states < 0 ? 0 : 1;
  for (int i = 0; i < rank; ++i) shape[i + many] = f.sizes[result][i];
  PyObject* made = PyArray_SimpleNew(rank + many, shape, type);
  if (!made) throw py::error_already_set();
  return made;
}

bool has_shape(const FunctionObject& f, std::size_t result, Index states, PyArrayObject* a) {
  const int rank = f.spec->results[result].rank, many = states < 0 ? 0 : 1;
  if (PyArray_NDIM(a) != rank + many || (many && PyArray_DIM(a, 0) != states)) return false;
  for (int i = 0; i < rank; ++i)
    if (PyArray_DIM(a, i + many) != f.sizes[result][i]) return false;
  return true;
}

/// The array that is given for a result; throws std::invalid_argument if it is not one for it.
PyArrayObject* out_of(const FunctionObject& f, PyObject* out, std::size_t result, Index states,
                      int type) {
  PyObject* item = out;
  if (f.spec->results.size() > 1) {
    if (!PyTuple_Check(out) || PyTuple_GET_SIZE(out) != Py_ssize_t(f.spec->results.size()))
      throw std::invalid_argument("out: a tuple of " + std::to_string(f.spec->results.size()) +
                                  " arrays is needed");
    item = PyTuple_GET_ITEM(out, static_cast<Py_ssize_t>(result));
  }
  if (!PyArray_Check(item)) throw std::invalid_argument("out: a numpy array is needed");
  auto* array = reinterpret_cast<PyArrayObject*>(item);
  const py::handle h(item);
  if (!has_shape(f, result, states, array)) {
    const auto wanted = py::reinterpret_steal<py::object>(new_array(f, result, states, type));
    throw std::invalid_argument("out has shape " + std::string(py::str(h.attr("shape"))) +
                                ", the result has " + std::string(py::str(wanted.attr("shape"))));
  }
  if (PyArray_TYPE(array) != type)
    throw std::invalid_argument("out holds " + std::string(py::str(h.attr("dtype"))) +
                                ", the result " + (type == NPY_DOUBLE ? "float64" : "float32"));
  if (!PyArray_ISWRITEABLE(array)) throw std::invalid_argument("out is read-only");
  return array;
}

bool overlaps(PyArrayObject* out, const Numbers& x, Index states) {
  const char* begin = PyArray_BYTES(out);
  const char* end = begin + PyArray_NBYTES(out);
  const auto* from = reinterpret_cast<const char*>(x.data);
  const auto* to =
      reinterpret_cast<const char*>(x.data + (std::max<Index>(states, 1) - 1) * x.stride + x.size);
  return from < end && begin < to;
}

PyObject* returned(const FunctionObject& f, PyObject* const* results) {
  const std::size_t count = f.spec->results.size();
  if (count == 1) return PyArray_Return(reinterpret_cast<PyArrayObject*>(results[0]));
  PyObject* all = nullptr;
  if (f.make) {
    all = PyObject_Vectorcall(f.make, results, count, nullptr);
  } else if ((all = PyTuple_New(static_cast<Py_ssize_t>(count)))) {
    for (std::size_t i = 0; i < count; ++i) {
      Py_INCREF(results[i]);
      PyTuple_SET_ITEM(all, static_cast<Py_ssize_t>(i), results[i]);
    }
  }
  for (std::size_t i = 0; i < count; ++i) Py_DECREF(results[i]);
  return all;
}

/// An array that C++ can write one result to, and that is no argument; otherwise the slow way looks closer.
bool is_plain_out(const FunctionObject& f, PyObject* out, const Call& call) {
  if (f.spec->results.size() != 1 || !PyArray_Check(out)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(out);
  if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY(array) || !has_shape(f, 0, -1, array))
    return false;
  for (std::size_t i = 0; i < f.vectors; ++i)
    if (overlaps(array, call.x[i], 1)) return false;
  return true;
}

/// One state in plain arrays, nothing converted: results are new or given, and nothing else is allocated.
PyObject* call_plainly(FunctionObject& f, PyObject* out, Call& call) {
  PyObject* results[most_results] = {};
  const std::size_t count = f.spec->results.size();
  try {
    for (std::size_t r = 0; r < count; ++r) {
      if (out) Py_INCREF(out);
      results[r] = out ? out : new_array(f, r, -1, NPY_DOUBLE);
      call.out[r] = data_of(results[r]);
    }
    f.spec->one(*f.engine, f.engine->scratch, call);
  } catch (...) {
    for (PyObject* r : results) Py_XDECREF(r);
    throw;
  }
  return returned(f, results);
}

void run_many(const FunctionObject& f, Call& call, WrenchArgument& on, Index states) {
  const auto make = [&] { return std::make_unique<Crew>(f.engine->model, f.engine->threads()); };
  std::unique_ptr<Crew> crew = f.engine->crews.take(make);
  try {
    const py::gil_scoped_release free;
    if (!on.is_many()) call.wrenches = on.at(0);
    const bool batched =
        states > 0 && !on.is_many() && f.spec->many && f.spec->many(*f.engine, *crew, call, states);
    for (Index s = 0; s < states && !batched; ++s) {
      Call one = call;
      for (Numbers& x : one.x)
        if (x.data) x = x.row(s);
      for (std::size_t r = 0; r < f.spec->results.size(); ++r) {
        Index size = 1;
        for (int i = 0; i < f.spec->results[r].rank; ++i) size *= f.sizes[r][i];
        one.out[r] += s * size;
      }
      one.wrenches = on.at(s);
      f.spec->one(*f.engine, crew->scratch, one);
    }
  } catch (...) {
    if (crew->threads() == f.engine->threads()) f.engine->crews.give_back(std::move(crew));
    refuse_if_not_finite(*f.spec, call, states, f.engine->model);
    throw;
  }
  if (crew->threads() == f.engine->threads()) f.engine->crews.give_back(std::move(crew));
}

/// Everything else: lists, dicts, other types, views, many states, out.
PyObject* call_any(FunctionObject& f, const Given& given, Call& call, PyObject* wrenches) {
  Index states = -1;
  const char* counted = "";
  const auto count_states = [&](bool many, Index n, const char* name) {
    if (!many) return;
    if (states >= 0 && states != n)
      throw std::invalid_argument(std::string(name) + " has " + std::to_string(n) + " states, " +
                                  counted + " has " + std::to_string(states));
    states = n;
    counted = name;
  };

  std::vector<VectorArgument> x;
  bool some_float32 = false, other = false;
  for (std::size_t i = 0; i < f.vectors; ++i) {
    x.emplace_back(f.spec->parameters[i], given[i], *f.engine);
    count_states(x[i].is_many(), x[i].states(), x[i].name());
    some_float32 |= x[i].is_float32();
    other |= x[i].is_array() && !x[i].is_float32();
  }
  WrenchArgument on(wrenches, *f.engine, call.axes);
  count_states(on.is_many(), on.states(), "wrenches");
  for (std::size_t i = 0; i < f.vectors; ++i) call.x[i] = x[i].numbers(std::max<Index>(states, 1));

  // results go where they are asked for if C++ can write there, and are copied there otherwise
  const int type = some_float32 && !other ? NPY_FLOAT32 : NPY_DOUBLE;
  PyObject* out = given[parameter_count(f)];
  const std::size_t count = f.spec->results.size();
  std::vector<py::object> results(count), written(count);
  for (std::size_t r = 0; r < count; ++r) {
    PyArrayObject* to = out ? out_of(f, out, r, states, type) : nullptr;
    bool direct = to && type == NPY_DOUBLE && PyArray_ISCARRAY(to);
    for (std::size_t i = 0; i < f.vectors && direct; ++i) direct = !overlaps(to, call.x[i], states);
    if (to) results[r] = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(to));
    written[r] = direct ? results[r]
                        : py::reinterpret_steal<py::object>(new_array(f, r, states, NPY_DOUBLE));
    call.out[r] = data_of(written[r].ptr());
  }

  if (states >= 0) {
    run_many(f, call, on, states);
  } else {
    call.wrenches = on.at(0);
    f.spec->one(*f.engine, f.engine->scratch, call);
  }

  PyObject* all[most_results] = {};
  for (std::size_t r = 0; r < count; ++r) {
    auto* from = reinterpret_cast<PyArrayObject*>(written[r].ptr());
    if (!results[r] && type == NPY_DOUBLE) results[r] = written[r];
    if (!results[r])
      results[r] = py::reinterpret_steal<py::object>(PyArray_Cast(from, NPY_FLOAT32));
    else if (results[r].ptr() != written[r].ptr() &&
             PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(results[r].ptr()), from) != 0)
      throw py::error_already_set();
    if (!results[r]) throw py::error_already_set();
  }
  for (std::size_t r = 0; r < count; ++r) all[r] = results[r].release().ptr();
  return returned(f, all);
}

PyObject* call_function(PyObject* self, PyObject* const* args, std::size_t nargs,
                        PyObject* kwnames) {
  auto& f = *reinterpret_cast<FunctionObject*>(self);
  try {
    Given given{};
    sort_arguments(f, args, static_cast<std::size_t>(PyVectorcall_NARGS(nargs)), kwnames, given);
    Call call;
    call.spec = f.spec;
    bool plain = true;
    for (std::size_t i = 0; i < f.vectors; ++i) {
      if (!given[i])
        refuse_call(f, "'" + std::string(f.spec->parameters[i].name) + "' is missing; it is " +
                           signature(f));
      plain = plain && is_plain_vector(given[i]);
      if (!plain) continue;
      const Index size = PyArray_DIM(reinterpret_cast<PyArrayObject*>(given[i]), 0);
      call.x[i] = {data_of(given[i]), size, size};
    }
    PyObject* on = take_options(f, given, call);
    PyObject* out = given[parameter_count(f)];
    plain = plain && !on && (!out || is_plain_out(f, out, call));
    return plain ? call_plainly(f, out, call) : call_any(f, given, call, on);
  } catch (...) {
    set_error();
    return nullptr;
  }
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  auto& f = *reinterpret_cast<FunctionObject*>(self);
  Py_VISIT(f.dict);
  Py_VISIT(f.owner);
  Py_VISIT(f.make);
  return 0;
}
int clear(PyObject* self) {
  auto& f = *reinterpret_cast<FunctionObject*>(self);
  Py_CLEAR(f.dict);
  Py_CLEAR(f.make);
  return 0;
}
void deallocate(PyObject* self) {
  PyObject_GC_UnTrack(self);
  auto& f = *reinterpret_cast<FunctionObject*>(self);
  clear(self);
  for (PyObject*& name : f.names) Py_CLEAR(name);
  Py_CLEAR(f.owner);
  PyObject_GC_Del(self);
}
PyObject* represent(PyObject* self) {
  auto& f = *reinterpret_cast<FunctionObject*>(self);
  return PyUnicode_FromFormat("<ulna function %s of robot '%s'>", signature(f).c_str(),
                              f.engine->model.name().c_str());
}

PyMemberDef members[] = {{"result_type", T_OBJECT, offsetof(FunctionObject, make), 0,
                          "named tuple that several results are returned in"},
                         {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject* function_type() {
  static PyTypeObject type = [] {
    PyTypeObject t{};
    t.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
    t.tp_name = "ulna._core.Function";
    t.tp_basicsize = sizeof(FunctionObject);
    t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL;
    t.tp_vectorcall_offset = offsetof(FunctionObject, call);
    t.tp_call = PyVectorcall_Call;
    t.tp_dictoffset = offsetof(FunctionObject, dict);
    t.tp_dealloc = deallocate;
    t.tp_traverse = traverse;
    t.tp_clear = clear;
    t.tp_repr = represent;
    t.tp_members = members;
    t.tp_getset = properties;
    t.tp_getattro = PyObject_GenericGetAttr;
    t.tp_setattro = PyObject_GenericSetAttr;
    t.tp_doc = "A function of a robot that reads and writes numpy arrays.";
    return t;
  }();
  return &type;
}

Index size_of(int size, const Engine& e) {
  switch (size) {
    case nq:
      return e.model.nq();
    case nv:
      return e.model.nv();
    case parameters:
      return e.plant.inertial_size();
    case drive_parameters:
      return 5 * e.model.nv();
    case gears:
      return static_cast<Index>(e.model.drives().gears.size());
    case bodies:
      return e.model.body_count();
    default:
      return size;
  }
}

}  // namespace

void register_function(py::module_& module) {
  if (PyType_Ready(function_type()) < 0) throw py::error_already_set();
  module.add_object("Function", reinterpret_cast<PyObject*>(function_type()));
}

py::object make_function(const py::object& owner, Engine& engine, const Spec& spec) {
  auto* f = PyObject_GC_New(FunctionObject, function_type());
  if (!f) throw py::error_already_set();
  f->call = call_function;
  f->dict = f->make = nullptr;
  f->owner = owner.inc_ref().ptr();
  f->engine = &engine;
  f->spec = &spec;
  f->vectors = 0;
  for (PyObject*& name : f->names) name = nullptr;
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    f->names[i] = PyUnicode_InternFromString(spec.parameters[i].name);
    if (is_vector(spec.parameters[i].role)) ++f->vectors;
  }
  f->names[spec.parameters.size()] = PyUnicode_InternFromString("out");
  for (std::size_t r = 0; r < spec.results.size(); ++r)
    for (std::size_t i = 0; i < 3; ++i) f->sizes[r][i] = size_of(spec.results[r].sizes[i], engine);
  PyObject_GC_Track(f);
  return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(f));
}

}  // namespace ulna::python
