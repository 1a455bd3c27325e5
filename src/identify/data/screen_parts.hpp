#pragma once

#include "ulna/identify/data/screen.hpp"

/// The parts of screen() by joints, in the order in which they are called.
namespace ulna::identify {

/// Turns of angles, jumps, joints at rest, constant measurements; marks breaks.
void screen_joints(Log& log, const Model& model, Diagnostics& found);
/// Whether the velocities are the rates of the positions.
void screen_velocities(const Log& log, const LogFigures& figures, Diagnostics& found);
/// Whether the positions are within the limits.
void screen_limits(const Log& log, const Model& model, Diagnostics& found);

/// From each number to the next.
inline Vector steps_of(const Vector& t) { return t.tail(t.size() - 1) - t.head(t.size() - 1); }

/// The number below which the share p of a sample lies; of long samples, of every n-th.
double quantile(const Eigen::Ref<const Vector, 0, Eigen::InnerStride<>>& x, double p);

}  // namespace ulna::identify
