#pragma once

/// All that most programs need. SIMD packs, dual and counting numbers are asked for by name:
/// ulna/num/pack.hpp, ulna/num/dual.hpp, ulna/num/counted.hpp.
#include "ulna/derivatives/derivatives.hpp"
#include "ulna/derivatives/regressor.hpp"
#include "ulna/dynamics/batch.hpp"
#include "ulna/dynamics/coriolis.hpp"
#include "ulna/dynamics/energy.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/kinematics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/dynamics/operational_space.hpp"
#include "ulna/io/csv.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/builder.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/model/model.hpp"
#include "ulna/model/plant.hpp"
#include "ulna/robot/robot.hpp"
#include "ulna/spatial/spatial.hpp"
