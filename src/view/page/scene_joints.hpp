#pragma once

#include <vector>

#include "ulna/model/description.hpp"

namespace ulna::view {

/// The joints of a description, fixed ones included, in the order of a scene: depth-first.
std::vector<int> scene_joints(const Description& robot);

}  // namespace ulna::view
