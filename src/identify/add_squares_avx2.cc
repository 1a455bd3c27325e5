#include "add_squares.hpp"

extern "C" void ulna_add_squares_avx2(const double* Z, int rows, int count, double* sum) {
  ulna::identify::detail::add_squares_of(Z, rows, count, sum);
}
