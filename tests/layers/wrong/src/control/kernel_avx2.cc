#include "ulna/num/scalar.hpp"
#include "ulna/model/model.hpp"
