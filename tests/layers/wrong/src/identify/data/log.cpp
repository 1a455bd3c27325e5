#include "ulna/identify/data/log.hpp"
#include "ulna/control/robot/problem.hpp"
#include "ulna/identify/estimate/estimate.hpp"
