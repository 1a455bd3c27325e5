#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

#include "verb.hpp"

namespace ulna::cli {

/// What `ulna help` prints.
std::string overview(const Stream& stream, std::span<const Verb> verbs);

/// What `ulna VERB --help` prints: usage, arguments, options, and the footer as examples.
std::string help(const Stream& stream, const Verb& verb, const CLI::App& app);

}  // namespace ulna::cli
