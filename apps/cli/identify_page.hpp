#pragma once

#include <string>

#include "ulna/identify/identify.hpp"

namespace ulna::cli {

/// Where the numbers came from, for people.
struct PageNames {
  std::string robot, prior, method;
};

/// The report: one HTML page with its plots in it, which needs nothing else.
std::string identify_page(const PageNames& names, const identify::Identification& result);

// --- the pictures as SVG, to stand in a page whose style names the colours

/// Torques of a joint over time, measured and predicted, with what is left; its spectrum; its histogram.
std::string torque_plot(const identify::Identification& result, int joint);

/// Which torque depends on which parameter, and what becomes of each (001, Figs. 4.3 and 4.5).
std::string structure_plot(const identify::Identification& result);

/// The singular values of the regressor's columns of base parameters, scaled to one length.
std::string singular_value_plot(const identify::Identification& result);

/// How far each body is from one that cannot exist, by plain least squares and by the estimate.
std::string margin_plot(const identify::Identification& result);

/// A number with its deviation beside the prior's, between low and high.
std::string interval_plot(double value, double deviation, double prior, double low, double high);

}  // namespace ulna::cli
