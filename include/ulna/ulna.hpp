#pragma once

/// All that most programs need. SIMD packs, dual and counting numbers are asked for by name:
/// ulna/num/pack.hpp, ulna/num/dual.hpp, ulna/num/counted.hpp.
#include "ulna/dynamics/gravity.hpp"
#include "ulna/io/csv.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/builder.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/model/model.hpp"
#include "ulna/model/parameters.hpp"
#include "ulna/spatial/spatial.hpp"
