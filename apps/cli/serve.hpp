#pragma once

#include "verb.hpp"

/// A server that a person looks at, until Ctrl-C.
namespace ulna::cli {

/// Prints where a page is, with --json as a document with other fields, and opens it in the browser if that is asked for.
/// Returns when Ctrl-C has come or `goes_on` is false.
void serve(Console& console, const std::string& url, bool open, const Json& about,
           const std::function<bool()>& goes_on = {});

}  // namespace ulna::cli
