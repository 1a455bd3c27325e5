#pragma once

#include "ulna/identify/data/screen.hpp"

/// The parts of screen(), in the order in which they are called: each may rely on those before it.
namespace ulna::identify {

/// Drops samples that make time stand still or go backwards: as few as possible.
void screen_clock(Log& log, LogFigures& figures, Diagnostics& found);
/// Drops absurd numbers.
void screen_outliers(Log& log, LogFigures& figures, Diagnostics& found);
/// Drops rows that repeat the one before them at a later time.
void screen_held(Log& log, LogFigures& figures, Diagnostics& found);
/// Rate, jitter, gaps, mixed rates; marks breaks.
void screen_steps(Log& log, LogFigures& figures, const ScreenOptions& options, Diagnostics& found);
/// Turns of angles, jumps, joints at rest, constant measurements; marks breaks.
void screen_joints(Log& log, const Model& model, Diagnostics& found);
/// Whether the velocities are the rates of the positions.
void screen_velocities(const Log& log, const LogFigures& figures, Diagnostics& found);
/// Whether the positions are within the limits.
void screen_limits(const Log& log, const Model& model, Diagnostics& found);

/// The number below which the share p of a sample lies; of long samples, of every n-th.
double quantile(const double* x, Eigen::Index stride, Eigen::Index count, double p);

}  // namespace ulna::identify
