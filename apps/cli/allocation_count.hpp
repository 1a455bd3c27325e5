#pragma once

namespace ulna::cli {

/// How often this program has asked for memory so far; -1 where a sanitizer keeps memory itself.
long allocation_count();

}  // namespace ulna::cli
