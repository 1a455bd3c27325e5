#include <stdio.h>
#include <ulna/ulna.h>

int main(void) {
  ulna_robot* robot;
  double q[7], tau[7];
  if (ulna_robot_load("panda", NULL, &robot) != ULNA_OK) return fprintf(stderr, "%s\n", ulna_last_error()), 1;
  if (ulna_neutral(robot, 7, q) != ULNA_OK || ulna_gravity_torque(robot, 7, q, tau) != ULNA_OK) return 1;
  printf("%s %s: %g Nm\n", ulna_robot_name(robot), ulna_version(), tau[1]);
  return ulna_robot_destroy(robot) == ULNA_OK && tau[1] < -1.0 ? 0 : 1;
}
