#include <benchmark/benchmark.h>

#include "ulna/dynamics/gravity.hpp"
#include "ulna/io/urdf.hpp"
#include "ulna/ulna.hpp"
