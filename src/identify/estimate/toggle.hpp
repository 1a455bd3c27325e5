#pragma once
#include <cstdlib>
inline bool toggled(const char* name) { return std::getenv(name) != nullptr; }
inline double tuned(const char* name, double usual) { const char* s = std::getenv(name); return s ? std::atof(s) : usual; }
