#include "ulna/identify/data/log.hpp"
#include "ulna/identify/estimate/estimate.hpp"
#include "ulna/control/robot/problem.hpp"
