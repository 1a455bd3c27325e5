/* Calls every function of ulna.h from C99. Prints results as "name number number ..." in hexadecimal, which
 * tests/c/c_test.cpp compares with those of C++, bit for bit; exit status 1 if anything is wrong here already. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ulna/ulna.h>

#define N 7
#define NOT_A_NUMBER nan("")

/* ------------------------------------------------------------------------------- allocations */

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1
static long allocations = 0;
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t n, size_t size);
void* __libc_realloc(void* p, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void* malloc(size_t size) { return ++allocations, __libc_malloc(size); }
void* calloc(size_t n, size_t size) { return ++allocations, __libc_calloc(n, size); }
void* realloc(void* p, size_t size) { return ++allocations, __libc_realloc(p, size); }
void* aligned_alloc(size_t alignment, size_t size) { return ++allocations, __libc_memalign(alignment, size); }
#else
#define COUNTS_ALLOCATIONS 0
static const long allocations = 0;
#endif

/* ------------------------------------------------------------------------------------ output */

static int failures = 0;

static void show(const char* name, const double* x, int n) {
  int i;
  printf("%s", name);
  for (i = 0; i < n; ++i) printf(" %a", x[i]);
  printf("\n");
}
static void show_one(const char* name, double x) { show(name, &x, 1); }

static void expect_ok(ulna_status status, int line) {
  if (status == ULNA_OK) return;
  printf("failed line %d: %s: %s\n", line, ulna_status_name(status), ulna_last_error());
  ++failures;
}
#define OK(call) expect_ok((call), __LINE__)

/* Refused with a status, and a message that holds some words. */
static void expect_refused(ulna_status status, ulna_status expected, const char* words, int line) {
  if (status == expected && strstr(ulna_last_error(), words)) return;
  printf("failed line %d: %s, '%s'; expected %s, '%s'\n", line, ulna_status_name(status), ulna_last_error(),
         ulna_status_name(expected), words);
  ++failures;
}
#define REFUSED(call, status, words) expect_refused((call), (status), (words), __LINE__)

static void require(int holds, int line) {
  if (holds) return;
  printf("failed line %d\n", line);
  ++failures;
}
#define REQUIRE(condition) require((condition), __LINE__)

/* ------------------------------------------------------------------------------------- robot */

static void count_diagnostic(void* user, const ulna_diagnostic* d) {
  ++*(int*)user;
  REQUIRE(d->rule && d->file && d->text && strstr(d->text, d->rule));
}

static const char broken[] =
    "<robot name='broken'><link name='base'/><joint name='j' type='revolut'>"
    "<parent link='base'/><child link='a'/></joint><link name='a'/></robot>";

static ulna_robot* load(void) {
  ulna_load_options options;
  ulna_robot* robot = NULL;
  int found = 0, i;
  double lower[N], upper[N], velocity[N], effort[N], pi[10 * N];
  OK(ulna_load_options_init(&options, sizeof options));
  options.report = count_diagnostic, options.user = &found;
  REFUSED(ulna_robot_load("no/such/robot.urdf", &options, &robot), ULNA_ERROR_MODEL, "no/such/robot.urdf");
  REQUIRE(robot == NULL && found > 0);
  found = 0;
  REFUSED(ulna_robot_parse(broken, sizeof broken - 1, "broken.urdf", &options, &robot), ULNA_ERROR_MODEL, "revolut");
  REQUIRE(robot == NULL && found > 0);
  OK(ulna_robot_load("panda", &options, &robot));
  if (!robot) exit(1);
  REQUIRE(strcmp(ulna_robot_name(robot), "panda") == 0);
  REQUIRE(ulna_robot_nq(robot) == N && ulna_robot_nv(robot) == N && ulna_robot_body_count(robot) == N);
  REQUIRE(strcmp(ulna_robot_joint_name(robot, 0), "panda_joint1") == 0);
  REQUIRE(ulna_robot_joint_name(robot, N) == NULL && ulna_robot_joint_name(robot, -1) == NULL);
  for (i = 0; i < ulna_robot_frame_count(robot); ++i) {
    int frame = -1;
    OK(ulna_robot_find_frame(robot, ulna_robot_frame_name(robot, i), &frame));
    REQUIRE(frame == i);
  }
  OK(ulna_robot_find_body(robot, "panda_joint3", &i));
  REQUIRE(i == 3);
  OK(ulna_robot_limits(robot, N, lower, upper, velocity, effort));
  show("lower", lower, N), show("upper", upper, N), show("velocity", velocity, N), show("effort", effort, N);
  OK(ulna_robot_limits(robot, N, NULL, NULL, NULL, NULL));
  OK(ulna_robot_inertias(robot, 10 * N, pi));
  show("pi", pi, 10 * N);
  return robot;
}

static void dynamics(ulna_robot* robot) {
  double q[N], v[N], a[N], tau[N], back[N], M[N * N], J[6 * N], pose[16], friction[4][N];
  const double gravity[3] = {1.0, 2.0, -9.0};
  ulna_robot* copy = NULL;
  int i, frame = 0;
  long before;
  OK(ulna_robot_find_frame(robot, "panda_link8", &frame));
  before = allocations;
  OK(ulna_neutral(robot, N, q));
  for (i = 0; i < N; ++i) q[i] += 0.1 * (i + 1), v[i] = 0.3 - 0.1 * i, a[i] = 0.7 * i - 2.0;
  OK(ulna_inverse_dynamics(robot, N, q, v, a, tau));
  show("inverse_dynamics", tau, N);
  OK(ulna_forward_dynamics(robot, N, q, v, tau, back));
  show("forward_dynamics", back, N);
  for (i = 0; i < N; ++i) REQUIRE(fabs(back[i] - a[i]) < 1e-9);
  OK(ulna_bias_torque(robot, N, q, v, tau));
  show("bias_torque", tau, N);
  OK(ulna_gravity_torque(robot, N, q, tau));
  show("gravity_torque", tau, N);
  OK(ulna_mass_matrix(robot, N, q, M));
  show("mass_matrix", M, N * N);
  OK(ulna_frame_pose(robot, N, q, frame, pose));
  show("pose", pose, 16);
  OK(ulna_jacobian(robot, N, q, frame, ULNA_AXES_ALIGNED, J));
  show("jacobian_aligned", J, 6 * N);
  OK(ulna_jacobian(robot, N, q, frame, ULNA_AXES_BODY, J));
  show("jacobian_body", J, 6 * N);
  OK(ulna_jacobian(robot, N, q, frame, ULNA_AXES_WORLD, J));
  show("jacobian_world", J, 6 * N);
  OK(ulna_integrate(robot, N, q, v, back));
  show("integrate", back, N);
  OK(ulna_difference(robot, N, q, back, back));
  show("difference", back, N);
  /* results may overlap arguments */
  memcpy(back, a, sizeof back);
  OK(ulna_inverse_dynamics(robot, N, q, v, back, back));
  OK(ulna_inverse_dynamics(robot, N, q, v, a, tau));
  REQUIRE(memcmp(back, tau, sizeof tau) == 0);
  show_one("allocations_of_dynamics", (double)(allocations - before));

  OK(ulna_robot_copy(robot, &copy));
  before = allocations;
  OK(ulna_robot_set_gravity(copy, gravity));
  for (i = 0; i < N; ++i) a[i] = 0.1 * i;
  OK(ulna_robot_set_friction(copy, N, a, a, NULL, a));
  OK(ulna_robot_friction(copy, N, friction[0], friction[1], friction[2], friction[3]));
  show("friction", friction[0], 4 * N);
  OK(ulna_inverse_dynamics(copy, N, q, v, a, tau));
  show("of_copy", tau, N);
  show_one("allocations_of_parameters", (double)(allocations - before));
  OK(ulna_robot_destroy(copy));
}

/* A robot whose q has more numbers than its v. */
static void floating_base(void) {
  ulna_load_options options;
  ulna_robot* robot = NULL;
  double q[64], moved[64], v[64], back[64];
  int i, n;
  OK(ulna_load_options_init(&options, sizeof options));
  options.floating_base = 1;
  OK(ulna_robot_load("panda", &options, &robot));
  n = ulna_robot_nv(robot);
  REQUIRE(n == N + 6 && ulna_robot_nq(robot) == N + 7);
  OK(ulna_neutral(robot, n, q));
  for (i = 0; i < n; ++i) v[i] = 0.05 * i - 0.2;
  OK(ulna_integrate(robot, n, q, v, moved));
  OK(ulna_difference(robot, n, q, moved, back));
  for (i = 0; i < n; ++i) REQUIRE(fabs(back[i] - v[i]) < 1e-12);
  show("floating_moved", moved, n + 1);
  REFUSED(ulna_gravity_torque(robot, n + 1, q, v), ULNA_ERROR_ARGUMENT, "has 13");
  OK(ulna_robot_destroy(robot));
}

/* ------------------------------------------------------------------------------- the loop */

struct wave {
  double centre[N];
  int fails;
};
static int wave(void* user, double time, int n, double* q, double* v) {
  const struct wave* w = user;
  int i;
  for (i = 0; i < n; ++i) {
    q[i] = w->centre[i] + 0.1 * (1.0 - cos(3.0 * time));
    v[i] = 0.3 * sin(3.0 * time);
  }
  return w->fails;
}

/* The robot: heavier at its tip, and a step of its motion. */
struct plant {
  ulna_robot* robot;
  double q[N], v[N];
};
static void begin_plant(struct plant* p, const ulna_robot* robot) {
  double pi[10 * N];
  OK(ulna_robot_copy(robot, &p->robot));
  OK(ulna_robot_inertias(p->robot, 10 * N, pi));
  pi[10 * (N - 1)] += 1.0;
  OK(ulna_robot_set_inertias(p->robot, 10 * N, pi));
  OK(ulna_neutral(p->robot, N, p->q));
  memset(p->v, 0, sizeof p->v);
}
static void move(struct plant* p, const double* tau, double h) {
  double a[N];
  int i;
  OK(ulna_forward_dynamics(p->robot, N, p->q, p->v, tau, a));
  for (i = 0; i < N; ++i) p->v[i] += h * a[i], p->q[i] += h * p->v[i];
}

static void control(const ulna_robot* robot) {
  const double h = 0.002, ones[N] = {1, 1, 1, 1, 1, 1, 1}, nans[N] = {NOT_A_NUMBER};
  const ulna_frame_task task = {"panda_link8", 1.0, 1.0};
  double tau[N], sent[N], limits[5][N], weights[3][N], values[200], arrival = 0.0, pose[16];
  double wrench[6] = {0, 0, 0, 0, 0, -9.81}, noise[6] = {1, 1, 1, 1, 1, 1};
  ulna_controller_options options;
  ulna_supervisor_options supervision;
  ulna_estimator_options estimation;
  ulna_controller* controller = NULL;
  ulna_supervisor* supervisor = NULL;
  ulna_estimator* estimator = NULL;
  ulna_controller_state state;
  ulna_supervisor_state supervised;
  ulna_robot* known = NULL;
  ulna_outcome outcome;
  ulna_event event;
  struct plant plant;
  struct wave reference = {{0}, 0};
  int k, frame, count;
  long before, begun;

  begin_plant(&plant, robot);
  memcpy(reference.centre, plant.q, sizeof plant.q);
  OK(ulna_robot_copy(robot, &known));
  OK(ulna_robot_find_frame(robot, task.frame, &frame));

  OK(ulna_controller_options_init(&options, sizeof options));
  options.rate_hz = 1.0 / h, options.steps = 8, options.step = 0.02, options.tasks = &task, options.task_count = 1;
  OK(ulna_controller_create(robot, &options, &controller));
  OK(ulna_supervisor_options_init(&supervision, sizeof supervision));
  supervision.rate_hz = 1.0 / h, supervision.trusted_planner = 1;
  OK(ulna_supervisor_create(robot, &supervision, &supervisor));
  OK(ulna_estimator_options_init(&estimation, sizeof estimation));
  estimation.rate_hz = 1.0 / h;
  OK(ulna_estimator_create(robot, &estimation, &estimator));
  if (!controller || !supervisor || !estimator) exit(1);
  REFUSED(ulna_controller_go_to(controller, N, plant.q, NULL, NULL, NULL), ULNA_ERROR_ORDER, "first act");

  before = allocations;
  OK(ulna_controller_follow(controller, wave, &reference));
  for (k = 0; k < 400; ++k) {
    const double time = k * h;
    if (k == 100) {
      for (count = 0; count < N; ++count) limits[4][count] = 2000.0;
      OK(ulna_controller_set_limits(controller, N, NULL, NULL, NULL, NULL, limits[4]));
      OK(ulna_controller_limits(controller, N, limits[0], limits[1], limits[2], limits[3], limits[4]));
      OK(ulna_controller_weights(controller, N, weights[0], weights[1], weights[2]));
      OK(ulna_controller_set_weights(controller, N, weights[0], weights[1], weights[2]));
      OK(ulna_controller_learn(controller, 0));
    }
    if (k == 110) OK(ulna_controller_learn(controller, 1));
    if (k == 150) OK(ulna_controller_expect_change(controller));
    if (k == 200) OK(ulna_controller_go_to(controller, N, reference.centre, NULL, NULL, &arrival));
    if (k == 210) OK(ulna_controller_go_to(controller, N, reference.centre, ones, ones, &arrival));
    if (k == 250) {
      OK(ulna_frame_pose(known, N, plant.q, frame, pose));
      OK(ulna_controller_set_target(controller, 0, pose));
    }
    if (k == 260) OK(ulna_controller_go_to_target(controller, 0, pose, 0.1, 0.0, 0.0, 0.0));
    if (k == 300) OK(ulna_controller_clear_target(controller, 0));
    if (k == 320) OK(ulna_controller_reset(controller)), OK(ulna_supervisor_restart(supervisor));
    if (k == 350) OK(ulna_supervisor_request_hold(supervisor, 1));
    if (k == 360) OK(ulna_supervisor_request_hold(supervisor, 0));
    /* a reading that is none */
    begun = allocations;
    OK(ulna_controller_act(controller, N, time, time, k == 330 ? nans : plant.q, plant.v, tau));
    /* what converges allocates: the first action, and that after a reset */
    if (k == 0 || k == 320) before += allocations - begun;
    OK(ulna_controller_write_plant(controller, known));
    OK(ulna_supervisor_filter(supervisor, known, N, time, time, k == 330 ? nans : plant.q, plant.v,
                              k % 2 ? NULL : tau, tau, sent));
    OK(ulna_controller_sent(controller, N, sent));
    if (k == 50) OK(ulna_controller_update_wrench(controller, N, N, plant.q, plant.v, plant.v, wrench, noise));
    OK(ulna_estimator_learn(estimator, N, plant.q, plant.v, sent, &outcome));
    OK(ulna_controller_update(controller, N, time, plant.q, plant.v, k % 2 ? sent : NULL));
    OK(ulna_controller_get_state(controller, &state, sizeof state));
    OK(ulna_supervisor_get_state(supervisor, &supervised, sizeof supervised));
    if (k == 0) REQUIRE(state.action == ULNA_ACTION_PLANNED && state.fault == NULL && supervised.state == ULNA_RUN);
    if (k == 330) REQUIRE(state.fault && strcmp(state.fault, "not measured") == 0);
    if (k == 359) REQUIRE(supervised.state == ULNA_STOP || supervised.state == ULNA_HOLD);
    move(&plant, sent, h);
  }
  OK(ulna_controller_disturbance(controller, N, tau));
  show("disturbance", tau, N);
  OK(ulna_supervisor_external_torque(supervisor, N, tau));
  show("external_torque", tau, N);
  OK(ulna_supervisor_limits(supervisor, N, limits[0], limits[1], limits[2], limits[3], limits[4], NULL));
  show("supervisor_limits", limits[0], 5 * N);
  OK(ulna_supervisor_event(supervisor, supervised.events - 1, &event));
  REQUIRE(event.cause != NULL);
  count = ulna_controller_estimate_count(controller);
  REQUIRE(count > 70 && count < 200 && strcmp(ulna_controller_estimate_name(controller, 0), "panda_link1.m") == 0);
  OK(ulna_controller_estimates(controller, count, values));
  show_one("allocations_of_loop", (double)(allocations - before));

  show("loop_q", plant.q, N), show("loop_v", plant.v, N), show("loop_sent", sent, N);
  show_one("arrival", arrival);
  show("estimates", values, count);
  show_one("payload", state.payload_mass), show_one("samples", (double)state.samples);
  show_one("events", (double)supervised.events);
  REQUIRE(ulna_supervisor_report(supervisor) && strlen(ulna_supervisor_report(supervisor)) > 2);

  before = allocations;
  OK(ulna_estimator_expect_change(estimator));
  OK(ulna_estimator_restart_filter(estimator));
  OK(ulna_estimator_predict(estimator, N, plant.q, plant.v, ones, tau));
  OK(ulna_estimator_update(estimator, N, plant.q, plant.v, ones, tau, NULL));
  OK(ulna_estimator_write_plant(estimator, known));
  count = ulna_estimator_estimate_count(estimator);
  REQUIRE(count == 10 * N + 2 * N && ulna_estimator_estimate_name(estimator, count) == NULL);
  OK(ulna_estimator_estimates(estimator, count, values));
  show_one("allocations_of_estimator", (double)(allocations - before));
  show("predicted", tau, N), show("estimator_estimates", values, count);
  OK(ulna_estimator_deviations(estimator, count, values));
  show("deviations", values, count);

  OK(ulna_controller_set_deadline(controller, 0.001));
  OK(ulna_controller_set_plant(controller, known));
  REFUSED(ulna_controller_save_urdf(controller, "/no/such/folder/x.urdf"), ULNA_ERROR_NAME, "cannot be written");
  OK(ulna_controller_save_urdf(controller, "c_test_identified.urdf"));
  REQUIRE(remove("c_test_identified.urdf") == 0);
  REFUSED(ulna_controller_set_target(controller, 1, pose), ULNA_ERROR_ARGUMENT, "no task");
  pose[0] += 1.0;
  REFUSED(ulna_controller_set_target(controller, 0, pose), ULNA_ERROR_ARGUMENT, "rotation");
  reference.fails = 1;
  OK(ulna_controller_follow(controller, wave, &reference));
  OK(ulna_controller_update(controller, N, 0.8, plant.q, plant.v, NULL));
  OK(ulna_controller_act(controller, N, 0.802, 0.802, plant.q, plant.v, tau));
  OK(ulna_controller_get_state(controller, &state, sizeof state));
  REQUIRE(state.fault && strcmp(state.fault, "no reference") == 0);

  REFUSED(ulna_supervisor_event(supervisor, -1, &event), ULNA_ERROR_ARGUMENT, "not kept");
  for (k = 0; k < 500; ++k)
    OK(ulna_supervisor_filter(supervisor, NULL, N, 1.0 + k * h, 1.0 + k * h, nans, plant.v, NULL, nans, sent));
  for (k = 0; k < N; ++k) REQUIRE(isfinite(sent[k]));
  OK(ulna_supervisor_get_state(supervisor, &supervised, sizeof supervised));
  REQUIRE(supervised.state == ULNA_FAULT && supervised.cause != NULL && supervised.brake);
  REFUSED(ulna_supervisor_reset(supervisor), ULNA_ERROR_ORDER, "lasts");
  for (k = 0; k < 50; ++k)
    OK(ulna_supervisor_filter(supervisor, NULL, N, 3.0 + k * h, 3.0 + k * h, plant.q, tau, NULL, sent, sent));
  OK(ulna_controller_destroy(controller)), OK(ulna_supervisor_destroy(supervisor));
  OK(ulna_estimator_destroy(estimator));
  OK(ulna_robot_destroy(known)), OK(ulna_robot_destroy(plant.robot));
}

/* --------------------------------------------------------------------------------- refusals */

static void refusals(ulna_robot* robot) {
  double x[N] = {0}, bad[N] = {0}, J[6 * N];
  const double infinite = HUGE_VAL;
  ulna_robot *other = NULL, *gone = NULL;
  ulna_controller* controller = NULL;
  ulna_supervisor* supervisor = NULL;
  ulna_estimator* estimator = NULL;
  ulna_controller_options options;
  ulna_supervisor_options supervision;
  ulna_estimator_options estimation;
  ulna_load_options loading;
  int frame;
  bad[3] = NOT_A_NUMBER;

  REFUSED(ulna_inverse_dynamics(NULL, N, x, x, x, x), ULNA_ERROR_ARGUMENT, "ulna_inverse_dynamics: the robot is NULL");
  REFUSED(ulna_inverse_dynamics(robot, 6, x, x, x, x), ULNA_ERROR_ARGUMENT, "'panda' has 7");
  REFUSED(ulna_inverse_dynamics(robot, N, NULL, x, x, x), ULNA_ERROR_ARGUMENT, "q is NULL");
  REFUSED(ulna_inverse_dynamics(robot, N, x, bad, x, x), ULNA_ERROR_ARGUMENT, "v[3] is nan");
  REFUSED(ulna_inverse_dynamics(robot, N, x, x, x, NULL), ULNA_ERROR_ARGUMENT, "tau is NULL");
  REFUSED(ulna_jacobian(robot, N, x, 1000, ULNA_AXES_BODY, J), ULNA_ERROR_ARGUMENT, "no frame");
  REFUSED(ulna_jacobian(robot, N, x, -1, ULNA_AXES_BODY, J), ULNA_ERROR_ARGUMENT, "no frame");
  REFUSED(ulna_jacobian(robot, N, x, 0, (ulna_axes)7, J), ULNA_ERROR_ARGUMENT, "axes");
  REFUSED(ulna_robot_find_frame(robot, "panda_link9", &frame), ULNA_ERROR_NAME, "panda_link");
  REFUSED(ulna_robot_find_body(robot, NULL, &frame), ULNA_ERROR_ARGUMENT, "joint is NULL");
  REFUSED(ulna_robot_set_inertias(robot, 5, x), ULNA_ERROR_ARGUMENT, "70");
  REFUSED(ulna_robot_set_gravity(robot, bad + 1), ULNA_ERROR_ARGUMENT, "gravity[2]");
  REFUSED(ulna_robot_load(NULL, NULL, &other), ULNA_ERROR_ARGUMENT, "name is NULL");
  REFUSED(ulna_robot_load("panda", NULL, NULL), ULNA_ERROR_ARGUMENT, "NULL");
  REFUSED(ulna_load_options_init(&loading, 3), ULNA_ERROR_ARGUMENT, "sizeof");
  memset(&loading, 0, sizeof loading);
  REFUSED(ulna_robot_load("panda", &loading, &other), ULNA_ERROR_ARGUMENT, "_options_init");
  REQUIRE(other == NULL && ulna_robot_name(NULL) == NULL && ulna_robot_nv(NULL) == 0);

  /* an object of another kind, and one that is gone */
  REFUSED(ulna_controller_reset((ulna_controller*)(void*)robot), ULNA_ERROR_ARGUMENT, "no controller but a robot");
  OK(ulna_robot_load("ur5e", NULL, &other));
  REFUSED(ulna_controller_destroy((ulna_controller*)(void*)other), ULNA_ERROR_ARGUMENT, "robot");
  gone = other;
  OK(ulna_robot_destroy(other));
  REFUSED(ulna_robot_destroy(gone), ULNA_ERROR_ARGUMENT, "destroyed already");
  OK(ulna_robot_destroy(NULL)), OK(ulna_controller_destroy(NULL));
  OK(ulna_supervisor_destroy(NULL)), OK(ulna_estimator_destroy(NULL));

  OK(ulna_controller_options_init(&options, sizeof options));
  options.rate_hz = NOT_A_NUMBER;
  REFUSED(ulna_controller_create(robot, &options, &controller), ULNA_ERROR_ARGUMENT, "rate_hz");
  OK(ulna_controller_options_init(&options, sizeof options));
  options.steps = 0;
  REFUSED(ulna_controller_create(robot, &options, &controller), ULNA_ERROR_ARGUMENT, "steps");
  OK(ulna_controller_options_init(&options, sizeof options));
  options.task_count = 3;
  REFUSED(ulna_controller_create(robot, &options, &controller), ULNA_ERROR_ARGUMENT, "task");
  OK(ulna_controller_options_init(&options, sizeof options));
  options.payload_body = 99;
  REFUSED(ulna_controller_create(robot, &options, &controller), ULNA_ERROR_ARGUMENT, "payload_body");
  REFUSED(ulna_controller_create(NULL, NULL, &controller), ULNA_ERROR_ARGUMENT, "robot is NULL");
  OK(ulna_supervisor_options_init(&supervision, sizeof supervision));
  supervision.rate_hz = infinite;
  REFUSED(ulna_supervisor_create(robot, &supervision, &supervisor), ULNA_ERROR_ARGUMENT, "finite");
  OK(ulna_supervisor_options_init(&supervision, sizeof supervision));
  supervision.torque = bad;
  REFUSED(ulna_supervisor_create(robot, &supervision, &supervisor), ULNA_ERROR_ARGUMENT, "torque");
  OK(ulna_estimator_options_init(&estimation, sizeof estimation));
  estimation.friction = "sticky";
  REFUSED(ulna_estimator_create(robot, &estimation, &estimator), ULNA_ERROR_ARGUMENT, "sticky");
  REQUIRE(!controller && !supervisor && !estimator);

  /* what a later version of the header adds may be there, but not set */
  {
    struct {
      ulna_estimator_options known;
      double later;
    } newer;
    OK(ulna_estimator_options_init(&newer.known, sizeof newer));
    OK(ulna_estimator_create(robot, &newer.known, &estimator));
    OK(ulna_estimator_destroy(estimator));
    newer.later = 1.0;
    REFUSED(ulna_estimator_create(robot, &newer.known, &estimator), ULNA_ERROR_ARGUMENT, "does not know");
  }
}

int main(void) {
  ulna_robot* robot = load();
  REQUIRE(strlen(ulna_version()) >= 5);
  dynamics(robot);
  floating_base();
  control(robot);
  refusals(robot);
  OK(ulna_robot_destroy(robot));
  show_one("counts_allocations", COUNTS_ALLOCATIONS);
  return failures != 0;
}
