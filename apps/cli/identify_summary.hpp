#pragma once

#include <string>
#include <utility>
#include <vector>

#include "table.hpp"
#include "ulna/identify/identify.hpp"

/// What an identification says of itself, in a few lines.
namespace ulna::cli {

/// A line of the summary: what it is of, and the text.
using SummaryLine = std::pair<std::string, std::string>;

/// The model, and by what it was chosen.
std::string model_in_words(const identify::Identification& r);
/// What is known how well, what is suspicious, and what to do next. `robot` is how the command line calls the robot.
std::vector<SummaryLine> explanation_of(const identify::Identification& r,
                                        const std::string& robot);

/// The models that were tried.
std::string choice_table(const identify::Choice& choice, const Stream& out);

}  // namespace ulna::cli
