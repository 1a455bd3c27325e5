#include "ulna/rig/reality.hpp"

namespace ulna::rig {

const Frame& tip_frame(const Model& model) {
  const Frame* last = &model.frames().front();
  for (const Frame& frame : model.frames())
    if (frame.body >= last->body) last = &frame;
  return *last;
}

Eigen::VectorXd nominal_efforts(const Model& model) {
  return model.effort_limit().array().isFinite().select(model.effort_limit(), 50.0);
}

}  // namespace ulna::rig
