#include <ulna/ulna.hpp>

#include "../../src/io/private.hpp"
