#pragma once

#include "mpc_scenario.hpp"
#include "report_page.hpp"

/// Lines that both the report and the picture of trials have.
namespace ulna::cli {

/// Errors are given in thousandths of what joints are measured in.
inline constexpr double error_scale = 1e3;
std::string_view error_unit(const Model& model);

/// How far each run is from where it should be, root mean square over the joints; the last run first.
std::vector<TimedLine> tracking_errors(const MpcResults& results);

/// Where the tip is after it should rest, in mm from its mean, along the axis of the world in which it moves most there.
struct TipAtRest {
  std::vector<TimedLine> lines;
  char axis;
  double begin, end, largest;
};
TipAtRest tip_at_rest(const MpcResults& results);

}  // namespace ulna::cli
