#pragma once

namespace ulna::cli {

/// How many allocations this program has made so far; -1 where a sanitizer keeps memory itself.
long allocation_count();

}  // namespace ulna::cli
