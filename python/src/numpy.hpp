#pragma once

// one table of numpy's functions for all files: module.cpp fills it
#define PY_ARRAY_UNIQUE_SYMBOL ulna_numpy
#ifndef ULNA_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#include <pybind11/pybind11.h>
// after pybind11, which includes Python.h as it must be
#include <numpy/arrayobject.h>

namespace py = pybind11;
