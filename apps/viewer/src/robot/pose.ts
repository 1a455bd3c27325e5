import { Quaternion, Vector3 } from 'three';
import type { PoseNumbers } from '../stream/reader.ts';

/** A rigid pose: of B in A, if it maps coordinates in B to coordinates in A. */
export class Pose {
  readonly p = new Vector3();
  readonly q = new Quaternion();

  static of([x, y, z, qw, qx, qy, qz]: PoseNumbers): Pose {
    const pose = new Pose();
    pose.p.set(x, y, z);
    pose.q.set(qx, qy, qz, qw).normalize();
    return pose;
  }

  copy(other: Pose): this {
    this.p.copy(other.p);
    this.q.copy(other.q);
    return this;
  }

  identity(): this {
    this.p.set(0, 0, 0);
    this.q.identity();
    return this;
  }

  /** this = A B; may be one of the two. */
  product(A: Pose, B: Pose): this {
    const p = B.p.clone().applyQuaternion(A.q).add(A.p);
    this.q.multiplyQuaternions(A.q, B.q);
    this.p.copy(p);
    return this;
  }

  /** A point given in B, in A. */
  apply(point: Vector3): Vector3 {
    return point.applyQuaternion(this.q).add(this.p);
  }

  /** A point given in A, in B. */
  inverseApply(point: Vector3): Vector3 {
    return point.sub(this.p).applyQuaternion(this.q.clone().conjugate());
  }

  numbers(): PoseNumbers {
    const { p, q } = this;
    return [p.x, p.y, p.z, q.w, q.x, q.y, q.z];
  }
}
