#pragma once

#include "report_page.hpp"
#include "ulna/identify/identify.hpp"

/// What an identification leaves unexplained, as blocks of its report.
namespace ulna::cli {

/// Those of the identification; of one without motion in its traces, spectra and autocorrelation.
identify::Residuals residuals_shown(const identify::Identification& r);

/// Which share of each joint's residual follows what; null if that is not known.
Json pattern_table(const identify::Identification& r, const identify::Residuals& residuals);

/// Plots of a joint: spectrum, histogram, autocorrelation, and the mean over what the residual follows.
std::vector<Json> residual_plots(const identify::Identification& r,
                                 const identify::Residuals& residuals, int joint);

/// What spectrum and autocorrelation of a joint mean: the plots of the others say it themselves.
std::vector<std::string> other_meanings(const identify::Residuals& residuals, int joint);

/// The models that were tried.
Json choice_report(const identify::Choice& choice);

}  // namespace ulna::cli
