#include "robot.h"
