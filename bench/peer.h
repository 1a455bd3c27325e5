#ifndef ULNA_BENCH_PEER_H
#define ULNA_BENCH_PEER_H

/* A library that is measured. Each lives in a shared object of its own, which exports bench_peer();
   only plain C crosses the border, so that no two libraries share a template or an alignment. */

#ifdef __cplusplus
extern "C" {
#endif

enum BenchJoint { BENCH_REVOLUTE, BENCH_PRISMATIC, BENCH_FLOATING };

/* A moving body and the joint that carries it. Matrices are row by row. */
typedef struct BenchBody {
  int parent; /* index of a body, -1: the ground */
  enum BenchJoint joint;
  double R[9], p[3]; /* pose in the parent at q = 0 */
  double axis[3];    /* of the joint, in the body */
  double mass;
  double com[3];
  double inertia[9]; /* about the centre of mass, in the axes of the body */
} BenchBody;

/* A floating joint has q = quaternion w, x, y, z and position, v = angular and linear velocity, both in
   the axes of the body, and a = dv/dt. There is no friction and there are no rotors. */
typedef struct BenchRobot {
  const char* name;
  int nq, nv, body_count; /* coordinates are in the order of the bodies; the last body is the tip */
  const BenchBody* bodies;
  double gravity[3];
} BenchRobot;

/* What is measured, always from bare numbers to bare numbers:

   inverse_dynamics   q, v, a    -> tau (nv)
   bias_torque        q, v       -> C v + g (nv)
   mass_matrix        q          -> M (nv x nv), full
   forward_dynamics   q, v, tau  -> a (nv)
   inverse_mass       q          -> M^-1 (nv x nv), full
   jacobian           q          -> 6 x nv, column by column: angular, then linear velocity of the tip's
                                    origin, in world axes
   kinematics         q          -> poses of all bodies; writes the tip's R (9) and p (3)

   and derivatives, matrices column by column, where all joints have one degree of freedom:

   inverse_dynamics_derivatives         q, v, a    -> dtau/dq, dtau/dv, M (nv x nv each)
   forward_dynamics_derivatives         q, v, tau  -> da/dq, da/dv, M^-1 (nv x nv each)
   inverse_dynamics_second_derivatives  q, v, a    -> d2tau/dq dq, dv dv, dq dv, dM/dq (nv^3 each, the
                                                      row first, then as said)
   torque_regressor                     q, v, a    -> Y (nv x 10 bodies), row by row */
enum BenchAlgorithm {
  BENCH_INVERSE_DYNAMICS,
  BENCH_BIAS_TORQUE,
  BENCH_MASS_MATRIX,
  BENCH_FORWARD_DYNAMICS,
  BENCH_INVERSE_MASS,
  BENCH_JACOBIAN,
  BENCH_KINEMATICS,
  BENCH_INVERSE_DYNAMICS_DERIVATIVES,
  BENCH_FORWARD_DYNAMICS_DERIVATIVES,
  BENCH_SECOND_DERIVATIVES,
  BENCH_REGRESSOR,
  BENCH_ALGORITHMS
};

/* x is a or tau, whichever the algorithm takes. */
typedef void (*BenchFunction)(void* robot, const double* q, const double* v, const double* x,
                              double* out);

typedef struct BenchPeer {
  const char* name;
  const char* version;
  void* (*load)(const BenchRobot* robot); /* NULL if the library cannot represent it */
  void (*unload)(void* robot);
  /* NULL where the library has none. Derivatives that are not exact are finite differences. */
  BenchFunction functions[BENCH_ALGORITHMS];
  int exact_derivatives;
} BenchPeer;

const BenchPeer* bench_peer(void);

#ifdef __cplusplus
}
#endif

#endif
