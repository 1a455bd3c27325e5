#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>

#include "console.hpp"

namespace ulna::cli {

/// Does what the command line asks for and returns the exit status. May throw: ModelError for a
/// robot that is refused, UsageError, or anything else for a failure.
using Action = std::function<int()>;

/// Adds a verb's arguments, options and examples (the footer) to the parser. The action is run after
/// parsing and keeps alive what the options are written to.
using Setup = Action(CLI::App& app, Console& console);

struct Verb {
  std::string_view name;
  std::string_view summary;
  Setup* setup;
};

/// Adds options with a value: their names, where it goes, what the help calls it, what it means.
struct OptionAdder {
  CLI::App& app;

  template <class T>
  CLI::Option* operator()(const char* names, T& to, const char* value, const char* meaning) const {
    return app.add_option(names, to, meaning)->option_text(value);
  }
};

// one file each; main.cpp has the table
Setup check, info, tree, convert, robots, id, fd, terms, equations, ik, count, compare, simplify,
    codegen, excite, identify, simulate, mpc;

}  // namespace ulna::cli
