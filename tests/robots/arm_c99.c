/* The shared part of the listings of docs/robots.md, as C. */
#include "arm.h"

int main(void) {
  arm a;
  double q[7], v[7] = {0};
  if (arm_open(&a, "no such robot", 1000.0, NULL, ULNA_TORQUE_OF_LINK) == ULNA_OK) return 1;
  arm_close(&a);
  if (arm_open(&a, "panda", 1000.0, NULL, ULNA_TORQUE_OF_LINK) != ULNA_OK) return 2;
  ulna_neutral(a.described, 7, q);
  if (arm_step(&a, 0.0, q, v, NULL) != ULNA_OK || arm_learn(&a, 0.0, q, v, NULL) != ULNA_OK) return 3;
  arm_close(&a);
  return 0;
}
