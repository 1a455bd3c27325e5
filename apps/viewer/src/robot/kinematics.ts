import { Vector3 } from 'three';
import type { Joint, Robot } from '../stream/messages.ts';
import { jointMotion } from './joint_motion.ts';
import { Pose } from './pose.ts';

interface Step {
  joint: Joint;
  axis: Vector3;
  rest: Pose; // of the joint frame in the parent link
  follow: { at: number; multiplier: number; offset: number } | null; // of a mimicking joint
}

/** Where all links and joints of a robot are for a q. */
export class Kinematics {
  readonly links: Pose[];
  /** The joint frames before they move: their axes and limits are drawn there. */
  readonly joints: Pose[];
  private readonly steps: Step[];
  private readonly order: number[];
  private readonly motion = new Pose();

  constructor(readonly robot: Robot) {
    this.links = robot.links.map(() => new Pose());
    this.joints = robot.joints.map(() => new Pose());
    this.steps = robot.joints.map((joint) => ({
      joint,
      axis: unit(joint.axis),
      rest: Pose.of(joint.pose),
      follow: followed(robot.joints, joint),
    }));
    this.order = fromTheRoot(robot.joints);
    const carried = new Set(robot.joints.map((joint) => joint.child));
    const base = Pose.of(robot.base);
    this.links.forEach((pose, k) => carried.has(k) || pose.copy(base));
    this.set(robot.q);
  }

  set(q: ArrayLike<number>): void {
    for (const k of this.order) {
      const { joint, axis, rest, follow } = this.steps[k];
      const frame = this.joints[k].product(this.links[joint.parent], rest);
      if (follow)
        jointMotion(
          joint,
          axis,
          [follow.multiplier * q[follow.at] + follow.offset],
          0,
          this.motion,
        );
      else if (joint.q >= 0) jointMotion(joint, axis, q, joint.q, this.motion);
      else this.motion.identity();
      this.links[joint.child].product(frame, this.motion);
    }
  }

  /** The number that a joint of one number has for this q. */
  value(k: number, q: ArrayLike<number>): number {
    const { joint, follow } = this.steps[k];
    if (follow) return follow.multiplier * q[follow.at] + follow.offset;
    return joint.q >= 0 ? q[joint.q] : 0;
  }

  axis(k: number): Vector3 {
    return this.steps[k].axis.clone().applyQuaternion(this.joints[k].q);
  }
}

function unit([x, y, z]: [number, number, number]): Vector3 {
  const axis = new Vector3(x, y, z);
  return axis.length() > 1e-9 ? axis.normalize() : axis.set(0, 0, 1);
}

/** What a mimicking joint follows in q, through joints that mimic themselves; null if it moves by itself. */
function followed(joints: Joint[], joint: Joint): Step['follow'] {
  if (!joint.mimic) return null;
  let [multiplier, offset, leader] = [
    joint.mimic.multiplier,
    joint.mimic.offset,
    joints[joint.mimic.joint],
  ];
  for (let n = 0; leader.mimic && n < joints.length; n++) {
    offset += multiplier * leader.mimic.offset;
    multiplier *= leader.mimic.multiplier;
    leader = joints[leader.mimic.joint];
  }
  return leader.q >= 0 && !leader.mimic ? { at: leader.q, multiplier, offset } : null;
}

/** Joints ordered so that each comes after the one that carries its parent link; those in a circle are left out. */
function fromTheRoot(joints: Joint[]): number[] {
  const carried = new Set(joints.map((j) => j.child));
  const placed = new Set<number>();
  const order: number[] = [];
  let left = joints.map((_, k) => k);
  while (left.length > 0) {
    const ready = left.filter(
      (k) => placed.has(joints[k].parent) || !carried.has(joints[k].parent),
    );
    if (ready.length === 0) break;
    for (const k of ready) {
      order.push(k);
      placed.add(joints[k].child);
    }
    left = left.filter((k) => !ready.includes(k));
  }
  return order;
}
