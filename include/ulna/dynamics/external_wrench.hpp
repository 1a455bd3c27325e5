#pragma once

#include <span>
#include <type_traits>

#include "ulna/model/model.hpp"

namespace ulna {

/// In which axes, and about which point, something about a frame is given.
enum class Axes {
  local,    ///< the frame's own axes, at its origin
  world,    ///< the world's axes, at the world's origin
  aligned,  ///< the world's axes, at the frame's origin
};

/// A wrench that the surroundings exert *on* the robot at a frame.
template <Scalar T>
struct ExternalWrench {
  const Frame* frame = nullptr;  ///< from Model::frame
  Wrench<T> wrench;
  Axes axes = Axes::aligned;
};

template <Scalar T>
using ExternalWrenches = std::type_identity_t<std::span<const ExternalWrench<T>>>;

}  // namespace ulna
