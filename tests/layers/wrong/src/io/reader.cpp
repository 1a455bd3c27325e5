#include <tinyxml2.h>

#include "private.hpp"
#include "ulna/dynamics/gravity.hpp"
#include "ulna/model/model.hpp"
