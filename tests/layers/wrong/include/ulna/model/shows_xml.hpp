#pragma once

#include <tinyxml2.h>

#include <Eigen/Core>
#include <map>

#include "ulna/num/scalar.hpp"
