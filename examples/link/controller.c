/* A controller in C: holds a robot where it is by springs, for some seconds.
 *   cc -std=c99 -I.../include controller.c -lm -o controller && ./controller unix:/tmp/panda 5 */
#include "ulna_link.h"

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  ulna_link_controller c;
  double q0[ULNA_LINK_MAX_JOINTS], tau0[ULNA_LINK_MAX_JOINTS], tau[ULNA_LINK_MAX_JOINTS], worst = 0.0;
  const double begin = seconds(), duration = argc > 2 ? atof(argv[2]) : 5.0;
  int driven = 0;
  uint32_t session = 0;
  if (argc < 2 || ulna_link_controller_open(&c, argv[1]) != 0) {
    fprintf(stderr, "usage: controller ADDRESS [SECONDS]\n");
    return 2;
  }
  for (long k = 0; seconds() - begin < duration; ++k) {
    const double due = begin + 1e-3 * (double)k;
    struct timespec t;
    t.tv_sec = (time_t)due;
    t.tv_nsec = (long)((due - (double)t.tv_sec) * 1e9);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) continue;
    if (!ulna_link_controller_step(&c, seconds())) continue;
    /* we were late, or the robot was started again: it may have moved, so begin anew from where it is */
    if ((c.status & ULNA_LINK_SILENCED) || c.session != session) driven = 0;
    session = c.session;
    for (int i = 0; i < c.about.joints; ++i) {
      if (!driven) q0[i] = c.q[i], tau0[i] = c.tau[i];
      tau[i] = tau0[i] + 20.0 * (q0[i] - c.q[i]) - 2.0 * c.v[i];
      if (fabs(c.q[i] - q0[i]) > worst) worst = fabs(c.q[i] - q0[i]);
    }
    if (!driven) ulna_link_controller_send(&c, seconds(), NULL);
    ulna_link_controller_send(&c, seconds(), tau);
    driven = 1;
  }
  printf("%llu states, %llu commands, moved by %.4f at most\n", (unsigned long long)c.states,
         (unsigned long long)c.commands, worst);
  for (int f = 1; f < ULNA_LINK_FAULTS; ++f)
    if (c.count[f]) printf("%llu %s\n", (unsigned long long)c.count[f], ulna_link_fault_name(f));
  ulna_link_controller_close(&c); /* the robot holds itself */
  return c.states > 0 && worst < 0.1 ? 0 : 1;
}
