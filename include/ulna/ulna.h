/* ulna from C: robot dynamics, identification and predictive control.
 *
 *     ulna_robot* robot;
 *     if (ulna_robot_load("panda.urdf", NULL, &robot) != ULNA_OK) die(ulna_last_error());
 *     ulna_inverse_dynamics(robot, 7, q, v, a, tau);
 *     ulna_robot_destroy(robot);
 *
 * Units    SI: m, kg, s, rad, Nm, N. Torques are those of the joints.
 * Arrays   belong to the caller, and results may overlap arguments. Matrices are stored by rows. `n` is how many degrees of freedom the
 *          caller has made its arrays for: a robot with another number of them is refused. v, a and tau have n numbers; so has q, but
 *          of robots with planar, ball or floating joints, where it has ulna_robot_nq(robot).
 * Order    of joints: ulna_robot_joint_name(robot, 0 ... n - 1).
 * Errors   Every function that can fail returns an ulna_status; what it was to write is then as it was. ulna_last_error() says in
 *          a sentence what was wrong. No exception leaves the library, nothing is printed, nothing aborts.
 * Memory   Functions marked [loop] allocate nothing, so they suit a real-time loop; nor do they wait for another thread.
 *          The others allocate.
 * Threads  An object serves one thread at a time; different objects, different threads. Copies of a robot share what does not change.
 * Choices  that are made by the caller are ints with names (ulna_axes); others are refused.
 * Structs  that begin with `size` may grow in later versions: an init function fills in size and defaults, and programs that were
 *          compiled with an older header still work.
 */
#ifndef ULNA_H
#define ULNA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ULNA_API __attribute__((visibility("default")))
#else
#define ULNA_API
#endif

/* ---------------------------------------------------------------------------------------- errors */

typedef enum ulna_status {
  ULNA_OK = 0,
  ULNA_ERROR_ARGUMENT = 1, /* NULL, a wrong size, a number that is not finite or out of range, a dead object */
  ULNA_ERROR_NAME = 2,     /* there is no joint or frame of this name, or a file cannot be written */
  ULNA_ERROR_MODEL = 3,    /* the robot's description is refused */
  ULNA_ERROR_ORDER = 4,    /* something else has to be called before */
  ULNA_ERROR_SINGULAR = 5, /* the mass matrix is not positive definite */
  ULNA_ERROR_MEMORY = 6,
  ULNA_ERROR_INTERNAL = 7
} ulna_status;

/* "0.1.0" */
ULNA_API const char* ulna_version(void);
/* What was wrong with the last call of this thread that failed; never NULL. [loop] */
ULNA_API const char* ulna_last_error(void);
/* "ULNA_ERROR_ARGUMENT" [loop] */
ULNA_API const char* ulna_status_name(ulna_status status);

/* ----------------------------------------------------------------------------------------- robot */

/* A robot with its parameters, and the scratch memory of its dynamics. */
typedef struct ulna_robot ulna_robot;

typedef enum ulna_severity { ULNA_NOTE = 0, ULNA_WARNING = 1, ULNA_ERROR = 2 } ulna_severity;

/* What was found in a description. Texts live as long as the call of `report`. */
typedef struct ulna_diagnostic {
  ulna_severity severity;
  const char* rule; /* "axis-not-unit"; all are in docs/diagnostics.md */
  const char* file;
  int line;         /* 0: none */
  const char* text; /* "panda.urdf:41: warning: joint 'elbow': ..." */
} ulna_diagnostic;

typedef struct ulna_load_options {
  size_t size;
  int strict;             /* refuses what would be repaired */
  int floating_base;      /* puts a floating joint under the base link */
  int independent_mimics; /* mimicking joints move on their own */
  /* Called for each finding, also where the description is refused. */
  void (*report)(void* user, const ulna_diagnostic* diagnostic);
  void* user;
} ulna_load_options;
ULNA_API ulna_status ulna_load_options_init(ulna_load_options* options, size_t size);

/* A file (URDF, xacro, MJCF, SDF, YAML), or an embedded robot by name ("panda"; `ulna robots` lists them). options may be NULL.
 * Where it fails, *robot is NULL. */
ULNA_API ulna_status ulna_robot_load(const char* name, const ulna_load_options* options, ulna_robot** robot);
/* A description in memory; `file` is its name in messages and may be NULL. */
ULNA_API ulna_status ulna_robot_parse(const char* text, size_t length, const char* file,
                                      const ulna_load_options* options, ulna_robot** robot);
ULNA_API ulna_status ulna_robot_copy(const ulna_robot* robot, ulna_robot** copy);
/* All destroy functions accept NULL, and refuse what has been destroyed already. */
ULNA_API ulna_status ulna_robot_destroy(ulna_robot* robot);

/* These return NULL, 0 or -1 for a robot that is none. Names live as long as the robot. [loop] */
ULNA_API const char* ulna_robot_name(const ulna_robot* robot);
ULNA_API int ulna_robot_nq(const ulna_robot* robot);
ULNA_API int ulna_robot_nv(const ulna_robot* robot);
ULNA_API const char* ulna_robot_joint_name(const ulna_robot* robot, int i);
ULNA_API int ulna_robot_body_count(const ulna_robot* robot); /* moving bodies */
ULNA_API int ulna_robot_frame_count(const ulna_robot* robot);
ULNA_API const char* ulna_robot_frame_name(const ulna_robot* robot, int frame);
/* The number of a frame (links are frames), of the body that a joint moves: 1 ... body_count. [loop] where it is found */
ULNA_API ulna_status ulna_robot_find_frame(const ulna_robot* robot, const char* name, int* frame);
ULNA_API ulna_status ulna_robot_find_body(const ulna_robot* robot, const char* joint, int* body);

/* Infinite where there is none. lower and upper have nq numbers. Each may be NULL. [loop] */
ULNA_API ulna_status ulna_robot_limits(const ulna_robot* robot, int n, double* lower, double* upper,
                                       double* velocity, double* effort);

/* The parameters that its dynamics is computed with. Inertias are ten numbers per moving body, in its frame, about its origin:
 * mass, mass times centre (3), Ixx, Ixy, Ixz, Iyy, Iyz, Izz. [loop] */
ULNA_API ulna_status ulna_robot_inertias(const ulna_robot* robot, int count, double* pi);
ULNA_API ulna_status ulna_robot_set_inertias(ulna_robot* robot, int count, const double* pi);
/* Damping, dry friction in the positive and the negative direction, rotor inertia. Of those that are NULL nothing is
 * read or set. [loop] */
ULNA_API ulna_status ulna_robot_friction(const ulna_robot* robot, int n, double* damping,
                                         double* dry_positive, double* dry_negative, double* armature);
ULNA_API ulna_status ulna_robot_set_friction(ulna_robot* robot, int n, const double* damping,
                                             const double* dry_positive, const double* dry_negative,
                                             const double* armature);
/* In the axes of the base, m/s2; of a base that is mounted otherwise. [loop] */
ULNA_API ulna_status ulna_robot_set_gravity(ulna_robot* robot, const double gravity[3]);

/* -------------------------------------------------------------------------------------- dynamics */

/* tau = M(q) a + C(q, v) v + g(q) + friction(v) [loop] */
ULNA_API ulna_status ulna_inverse_dynamics(ulna_robot* robot, int n, const double* q, const double* v,
                                           const double* a, double* tau);
/* The a of that. [loop] */
ULNA_API ulna_status ulna_forward_dynamics(ulna_robot* robot, int n, const double* q, const double* v,
                                           const double* tau, double* a);
/* C(q, v) v + g(q) [loop] */
ULNA_API ulna_status ulna_bias_torque(ulna_robot* robot, int n, const double* q, const double* v, double* tau);
/* g(q) [loop] */
ULNA_API ulna_status ulna_gravity_torque(ulna_robot* robot, int n, const double* q, double* tau);
/* M(q), n x n, rotors included [loop] */
ULNA_API ulna_status ulna_mass_matrix(ulna_robot* robot, int n, const double* q, double* M);

/* The pose of a frame in the world: a 4 x 4 matrix by rows. [loop] */
ULNA_API ulna_status ulna_frame_pose(ulna_robot* robot, int n, const double* q, int frame, double pose[16]);

typedef int ulna_axes;
enum {
  ULNA_AXES_ALIGNED = 0, /* the world's axes, at the frame's origin: what is mostly meant */
  ULNA_AXES_BODY = 1,    /* the frame's own axes */
  ULNA_AXES_WORLD = 2    /* the world's axes, at the world's origin */
};
/* J, 6 x n with angular rows first: J v is the velocity of the frame. [loop] */
ULNA_API ulna_status ulna_jacobian(ulna_robot* robot, int n, const double* q, int frame, ulna_axes axes, double* J);

/* Zero, or within the limits where zero is not. [loop] */
ULNA_API ulna_status ulna_neutral(const ulna_robot* robot, int n, double* q);
/* q moved by the displacement dv, and the displacement between two q: for robots with nq = nv, sum and difference. [loop] */
ULNA_API ulna_status ulna_integrate(ulna_robot* robot, int n, const double* q, const double* dv, double* moved);
ULNA_API ulna_status ulna_difference(ulna_robot* robot, int n, const double* from, const double* to, double* dv);

/* ------------------------------------------------------------------------------------ controller */

/* Predictive control that keeps identifying the robot that it drives (docs/mpc.md). For joints with one degree of freedom.
 *
 *     every period, as soon as the state is measured:
 *       ulna_controller_act(controller, 7, now, measured_at, q, v, tau);  send(tau);
 *       ulna_controller_update(controller, 7, now, q, v, tau_measured);   until the next period
 */
typedef struct ulna_controller ulna_controller;

typedef int ulna_torques;
enum { ULNA_TORQUES_COMMANDED = 0, ULNA_TORQUES_MEASURED = 1 };

/* A frame that has somewhere to be, and the weights of squares of metres and radians. */
typedef struct ulna_frame_task {
  const char* frame;
  double position, orientation; /* 100, 10 suit most */
} ulna_frame_task;

typedef struct ulna_controller_options {
  size_t size;
  double rate_hz;           /* how often it acts */
  int steps;                /* of the horizon */
  double step;              /* s, of each */
  int identify;             /* 0: the model stays what it was */
  int observe_disturbance;  /* 0: torques that the model does not explain are not added */
  double disturbance_rate;  /* share of a joint's effort by which that torque may change in a second */
  ulna_torques torques;     /* that the robot is identified from */
  double filter_hz;         /* below which motion and torques are compared */
  const double* torque_noise; /* n numbers, Nm; NULL: 0.5 % of the drives' efforts */
  int payload_body;         /* that carries what is picked up; 0: the last */
  double change_after;      /* s that torques stay far off before the robot counts as changed */
  double deadline;          /* s, of the solver per action; 0: none */
  double patience;          /* s that an old plan is followed when no new one is found */
  double safe_damping;      /* Nm s/rad, of joints of full effort, when there is no plan at all */
  const ulna_frame_task* tasks; /* of frames: task_count of them, numbered from 0 */
  int task_count;
} ulna_controller_options;
ULNA_API ulna_status ulna_controller_options_init(ulna_controller_options* options, size_t size);

/* For the robot as it is described; the robot may be destroyed then. options may be NULL. */
ULNA_API ulna_status ulna_controller_create(const ulna_robot* robot, const ulna_controller_options* options,
                                            ulna_controller** controller);
ULNA_API ulna_status ulna_controller_destroy(ulna_controller* controller);

/* The torques of now, from a reading of `measured_at`, on the same clock. They are finite and within the limits, whatever is
 * measured: numbers that are not finite are a fault of the reading (ulna_controller_state), not of the call. [loop], but for the
 * first call and the first after a reset: these solve their problem to convergence, which takes longer and allocates. */
ULNA_API ulna_status ulna_controller_act(ulna_controller* controller, int n, double time, double measured_at,
                                         const double* q, const double* v, double* tau);
/* Learns from what was measured, and prepares the next action. tau_measured: NULL where there are no sensors. [loop] */
ULNA_API ulna_status ulna_controller_update(ulna_controller* controller, int n, double time, const double* q,
                                            const double* v, const double* tau_measured);
/* The torques that were sent in place of those of the last act, by a supervisor say: before update. [loop] */
ULNA_API ulna_status ulna_controller_sent(ulna_controller* controller, int n, const double* tau);
/* Learns from a six-axis sensor (moment, force) in the joint of a body, before update. noise: standard deviations. [loop] */
ULNA_API ulna_status ulna_controller_update_wrench(ulna_controller* controller, int n, int body, const double* q,
                                                   const double* v, const double* a, const double wrench[6],
                                                   const double noise[6]);

/* Where the robot is to be at a time, some seconds ahead too: writes n numbers each and returns 0. Other values, and numbers that are
 * not finite, say that there is no reference. It is called by act, update and go_to, and must not call the controller. */
typedef int (*ulna_motion)(void* user, double time, int n, double* q, double* v);
/* [loop] */
ULNA_API ulna_status ulna_controller_follow(ulna_controller* controller, ulna_motion motion, void* user);
/* To a goal and at rest there, from the reference of now; after the first act. Limits have n numbers each, or both are NULL: usual
 * ones. arrival, when it is there, may be NULL. [loop] */
ULNA_API ulna_status ulna_controller_go_to(ulna_controller* controller, int n, const double* q_goal,
                                           const double* velocity, const double* acceleration, double* arrival);

/* Poses in the world, 4 x 4 by rows, for the frames of the tasks: to be there, to go there smoothly (at most this fast and this
 * accelerated; 0: the usual 0.25 m/s, 1 m/s2, 1 rad/s, 4 rad/s2), or no matter, as at first. [loop] */
ULNA_API ulna_status ulna_controller_set_target(ulna_controller* controller, int task, const double pose[16]);
ULNA_API ulna_status ulna_controller_go_to_target(ulna_controller* controller, int task, const double pose[16],
                                                  double velocity, double acceleration,
                                                  double angular_velocity, double angular_acceleration);
ULNA_API ulna_status ulna_controller_clear_target(ulna_controller* controller, int task);

/* Limits and weights of the plan, n numbers each; what is NULL stays, or is not asked for. They may be infinite. [loop] */
ULNA_API ulna_status ulna_controller_limits(const ulna_controller* controller, int n, double* lower,
                                            double* upper, double* velocity, double* torque,
                                            double* torque_rate);
ULNA_API ulna_status ulna_controller_set_limits(ulna_controller* controller, int n, const double* lower,
                                                const double* upper, const double* velocity,
                                                const double* torque, const double* torque_rate);
ULNA_API ulna_status ulna_controller_weights(const ulna_controller* controller, int n, double* position,
                                             double* velocity, double* torque);
ULNA_API ulna_status ulna_controller_set_weights(ulna_controller* controller, int n, const double* position,
                                                 const double* velocity, const double* torque);
/* The parameters that it computes with from now on, where it does not identify them. [loop] */
ULNA_API ulna_status ulna_controller_set_plant(ulna_controller* controller, const ulna_robot* robot);
/* s, of the solver per action; 0: none. [loop] */
ULNA_API ulna_status ulna_controller_set_deadline(ulna_controller* controller, double seconds);

/* Whether it learns from now on; at first it does. [loop] */
ULNA_API ulna_status ulna_controller_learn(ulna_controller* controller, int on);
/* Something is about to be grasped or released: what the tip carries is learned anew. [loop] */
ULNA_API ulna_status ulna_controller_expect_change(ulna_controller* controller);
/* State and plan begin anew with the next reading; what was identified stays. [loop] */
ULNA_API ulna_status ulna_controller_reset(ulna_controller* controller);

typedef enum ulna_action {
  ULNA_ACTION_PLANNED = 0, /* from a plan of now */
  ULNA_ACTION_OLDER = 1,   /* from the last plan, at the time that has passed since */
  ULNA_ACTION_SAFE = 2     /* held against gravity and slowed down */
} ulna_action;
typedef enum ulna_outcome {
  ULNA_LEARNED = 0,
  ULNA_DOUBTED = 1,  /* a torque was far from what was expected, and did not count */
  ULNA_CHANGED = 2,  /* torques stayed far off: what may have changed is learned anew */
  ULNA_IGNORED = 3,  /* a number was not finite, or absurd */
  ULNA_RESTORED = 4  /* torques are again as before the last change: so are the numbers */
} ulna_outcome;

typedef struct ulna_controller_state {
  size_t size;
  ulna_action action;
  const char* fault; /* of the last action; NULL: none. "not measured", "stale", "late", ... (docs/mpc.md) */
  ulna_outcome outcome;
  int payload_known;
  double payload_mass, payload_deviation; /* kg; more than the model, since the robot first changed */
  double payload_center[3];               /* m, in the frame of the body; 0 while the mass is not known */
  int reading_delay;                      /* periods that readings are late beyond what their time stamps say */
  double drive_lag;                       /* s */
  long samples, changes;                  /* learned from, and noticed */
  double act_us, update_us;               /* durations of the last ones */
} ulna_controller_state;
/* [loop] */
ULNA_API ulna_status ulna_controller_get_state(const ulna_controller* controller, ulna_controller_state* state,
                                               size_t size);
/* The torques that the plant does not explain. [loop] */
ULNA_API ulna_status ulna_controller_disturbance(const ulna_controller* controller, int n, double* tau);

/* What was identified: "link7.mass", "joint3.viscous", ... Names live as long as the controller. [loop] */
ULNA_API int ulna_controller_estimate_count(const ulna_controller* controller);
ULNA_API const char* ulna_controller_estimate_name(const ulna_controller* controller, int i);
ULNA_API ulna_status ulna_controller_estimates(const ulna_controller* controller, int count, double* values);
/* The parameters that it computes with, into a copy of its robot. [loop] */
ULNA_API ulna_status ulna_controller_write_plant(const ulna_controller* controller, ulna_robot* robot);
/* The identified robot as a URDF. */
ULNA_API ulna_status ulna_controller_save_urdf(const ulna_controller* controller, const char* path);

/* ------------------------------------------------------------------------------------- estimator */

/* Identifies a robot while anything moves it. */
typedef struct ulna_estimator ulna_estimator;

typedef struct ulna_estimator_options {
  size_t size;
  double rate_hz;
  double filter_hz;     /* of ulna_estimator_learn: below which motion and torques are compared */
  const char* friction; /* "viscous,coulomb", as `ulna identify --friction` has it */
  const double* noise;  /* n numbers, Nm: how far off the torques of the right parameters are; NULL: 0.5 % of the effort limits */
  double memory;        /* s of motion that excites everything: how long what was seen counts */
  double outlier;       /* deviations beyond which a torque is not believed */
  int patience;         /* samples in a row beyond: then the robot has changed */
  double deviation;     /* how far off the bodies of the description may well be, relative */
} ulna_estimator_options;
ULNA_API ulna_status ulna_estimator_options_init(ulna_estimator_options* options, size_t size);

ULNA_API ulna_status ulna_estimator_create(const ulna_robot* robot, const ulna_estimator_options* options,
                                           ulna_estimator** estimator);
ULNA_API ulna_status ulna_estimator_destroy(ulna_estimator* estimator);

/* A reading, once a period: filtered, and accelerations made of it. IGNORED until the filter has settled. outcome may be NULL. For
 * robots with nq = nv. [loop] */
ULNA_API ulna_status ulna_estimator_learn(ulna_estimator* estimator, int n, const double* q, const double* v,
                                          const double* tau, ulna_outcome* outcome);
/* A sample with its acceleration, as it is. [loop] */
ULNA_API ulna_status ulna_estimator_update(ulna_estimator* estimator, int n, const double* q, const double* v,
                                           const double* a, const double* tau, ulna_outcome* outcome);
/* The torques of a motion by the numbers of now. [loop] */
ULNA_API ulna_status ulna_estimator_predict(ulna_estimator* estimator, int n, const double* q, const double* v,
                                            const double* a, double* tau);
/* After a gap in the readings. [loop] */
ULNA_API ulna_status ulna_estimator_restart_filter(ulna_estimator* estimator);
/* [loop] */
ULNA_API ulna_status ulna_estimator_expect_change(ulna_estimator* estimator);

/* As of a controller. */
ULNA_API int ulna_estimator_estimate_count(const ulna_estimator* estimator);
ULNA_API const char* ulna_estimator_estimate_name(const ulna_estimator* estimator, int i);
ULNA_API ulna_status ulna_estimator_estimates(const ulna_estimator* estimator, int count, double* values);
/* Standard deviations of them. Takes longer than a sample. */
ULNA_API ulna_status ulna_estimator_deviations(ulna_estimator* estimator, int count, double* deviations);
ULNA_API ulna_status ulna_estimator_write_plant(const ulna_estimator* estimator, ulna_robot* robot);

/* ------------------------------------------------------------------------------------ supervisor */

/* Between any controller and any robot: limits, plausibility of sensors, collisions (docs/supervisor.md). */
typedef struct ulna_supervisor ulna_supervisor;

typedef int ulna_torque_side;
enum {
  ULNA_TORQUE_OF_MOTOR = 0, /* sensors that measure what motors exert, by their currents */
  ULNA_TORQUE_OF_LINK = 1   /* behind the gear: neither friction nor rotors */
};
typedef int ulna_reaction;
enum {
  ULNA_REACTION_REPORT = 0,
  ULNA_REACTION_STOP = 1,
  ULNA_REACTION_COMPLIANT = 2,
  ULNA_REACTION_RETREAT = 3
};

typedef struct ulna_supervisor_options {
  size_t size;
  double rate_hz;
  /* n numbers each; NULL: those of the model, and usual ones for what it lacks */
  const double *lower, *upper, *speed, *acceleration, *braking, *torque, *torque_rate;
  int trusted_planner;         /* accelerations up to all that drives can do: docs/supervisor.md */
  double drive_delay;          /* s from a torque that is sent to one that acts, at most */
  double position_noise;       /* rad or m, standard deviation */
  double late_after;           /* s: older readings are not used */
  double patience;             /* s without a plausible reading that are bridged */
  double blind_after, release; /* s without one until drives are released, and for how long they are */
  ulna_torque_side torque_side;
  double observer_gain;         /* 1/s */
  ulna_reaction reaction;       /* to a collision */
  const double* collision_torque; /* n numbers; NULL: a share of the torque limits, */
  double collision_share;         /* this one, */
  double collision_time;          /* s that it has to last */
  double resume_after;            /* s without a cause before the robot goes on */
} ulna_supervisor_options;
ULNA_API ulna_status ulna_supervisor_options_init(ulna_supervisor_options* options, size_t size);

ULNA_API ulna_status ulna_supervisor_create(const ulna_robot* robot, const ulna_supervisor_options* options,
                                            ulna_supervisor** supervisor);
ULNA_API ulna_status ulna_supervisor_destroy(ulna_supervisor* supervisor);

/* The torques to send, once a period: finite and within the limits, whatever is wanted and measured. `plant` is the robot as it is
 * known now (ulna_controller_write_plant), NULL: as its description has it. tau_measured: NULL where there are no sensors. Numbers that
 * are not finite are a cause to stop, not an error of the call. [loop] */
ULNA_API ulna_status ulna_supervisor_filter(ulna_supervisor* supervisor, const ulna_robot* plant, int n,
                                            double time, double reading_time, const double* q,
                                            const double* v, const double* tau_measured,
                                            const double* tau_wanted, double* tau);
/* Goes on after a fault, or a stop that does not end by itself. While its cause lasts, it is refused (ULNA_ERROR_ORDER). [loop] */
ULNA_API ulna_status ulna_supervisor_reset(ulna_supervisor* supervisor);
/* Stops and holds the robot for as long as it is not 0. [loop] */
ULNA_API ulna_status ulna_supervisor_request_hold(ulna_supervisor* supervisor, int hold);
/* As new: for a robot that was moved elsewhere. [loop] */
ULNA_API ulna_status ulna_supervisor_restart(ulna_supervisor* supervisor);

typedef enum ulna_supervision {
  ULNA_RUN = 0,  /* the wanted torques are sent, within the limits */
  ULNA_HOLD = 1, /* the robot is kept where it is */
  ULNA_STOP = 2, /* it is braked; then it is held */
  ULNA_FAULT = 3 /* damped and held against gravity, or braked blindly, until reset */
} ulna_supervision;

typedef struct ulna_supervisor_state {
  size_t size;
  ulna_supervision state;
  const char* cause;  /* why it does not run; NULL if it does. "collision", ... */
  int brake;          /* whether the mechanical brakes are to be closed */
  int unchanged;      /* whether the last torques are those that were wanted, bit for bit */
  double drive_lag;   /* s */
  int64_t events;     /* so far */
} ulna_supervisor_state;
/* [loop] */
ULNA_API ulna_status ulna_supervisor_get_state(const ulna_supervisor* supervisor, ulna_supervisor_state* state,
                                               size_t size);
/* State, cause, joint and figures in one line, valid until the next call with this supervisor; NULL if it is none. */
ULNA_API const char* ulna_supervisor_report(ulna_supervisor* supervisor);

typedef struct ulna_event {
  double time;
  const char* cause;
  int ended;    /* whether it began or ended */
  int joint;    /* -1: of none in particular */
  double value; /* what was found, in the limit's unit, */
  double limit; /* and what it was held against */
} ulna_event;
/* Number 0 is the first ever; the last 256 are kept, and the others ULNA_ERROR_ARGUMENT. [loop] */
ULNA_API ulna_status ulna_supervisor_event(const ulna_supervisor* supervisor, int64_t number, ulna_event* event);

/* What the surroundings exert. [loop] */
ULNA_API ulna_status ulna_supervisor_external_torque(const ulna_supervisor* supervisor, int n, double* tau);
/* Each may be NULL. [loop] */
ULNA_API ulna_status ulna_supervisor_limits(const ulna_supervisor* supervisor, int n, double* lower,
                                            double* upper, double* speed, double* acceleration,
                                            double* torque, double* torque_rate);

#ifdef __cplusplus
}
#endif

#endif
