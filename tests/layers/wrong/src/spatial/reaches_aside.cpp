#include "../io/private.hpp"
#include "io/private.hpp"
#include "ulna/spatial/twist.hpp"
