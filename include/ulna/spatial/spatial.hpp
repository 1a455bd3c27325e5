#pragma once

/// All of the spatial algebra.
#include "ulna/spatial/consistency.hpp"
#include "ulna/spatial/inertia.hpp"
#include "ulna/spatial/rotation.hpp"
#include "ulna/spatial/screw.hpp"
#include "ulna/spatial/solid.hpp"
#include "ulna/spatial/transform.hpp"
#include "ulna/spatial/twist.hpp"
#include "ulna/spatial/wrench.hpp"
