#pragma once

#include <experimental/simd>
#include <vector>

#include <ulna/num/scalar.hpp>
#include "ulna/dynamics/gravity.hpp"
