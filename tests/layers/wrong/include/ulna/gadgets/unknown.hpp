#pragma once

#include "ulna/spatial/twist.hpp"
