import { Quaternion, Vector3 } from 'three';
import type { Joint } from '../stream/messages.ts';
import type { Pose } from './pose.ts';

/** Directions that span the plane normal to an axis: x and y, turned as z is turned to the axis. */
function planeOf(axis: Vector3): [Vector3, Vector3] {
  const turn = new Quaternion();
  if (axis.z < -1 + 1e-12) turn.set(1, 0, 0, 0);
  else turn.setFromUnitVectors(new Vector3(0, 0, 1), axis);
  return [new Vector3(1, 0, 0).applyQuaternion(turn), new Vector3(0, 1, 0).applyQuaternion(turn)];
}

/** Pose of a joint's moved frame in its resting frame, from its numbers in q, which begin at `at`. */
export function jointMotion(
  joint: Joint,
  axis: Vector3,
  q: ArrayLike<number>,
  at: number,
  motion: Pose,
): Pose {
  motion.identity();
  switch (joint.type) {
    case 'fixed':
      break;
    case 'revolute':
    case 'continuous':
      motion.q.setFromAxisAngle(axis, q[at]);
      break;
    case 'prismatic':
      motion.p.copy(axis).multiplyScalar(q[at]);
      break;
    case 'helical':
      motion.q.setFromAxisAngle(axis, q[at]);
      motion.p.copy(axis).multiplyScalar(joint.pitch * q[at]);
      break;
    case 'planar': {
      const [x, y] = planeOf(axis);
      motion.p
        .copy(x)
        .multiplyScalar(q[at])
        .addScaledVector(y, q[at + 1]);
      motion.q.setFromAxisAngle(axis, q[at + 2]);
      break;
    }
    case 'ball':
      motion.q.set(q[at + 1], q[at + 2], q[at + 3], q[at]).normalize();
      break;
    case 'floating':
      motion.p.set(q[at], q[at + 1], q[at + 2]);
      motion.q.set(q[at + 4], q[at + 5], q[at + 6], q[at + 3]).normalize();
      break;
  }
  return motion;
}
