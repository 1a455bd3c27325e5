import { Euler, Quaternion } from 'three';
import type { Joint, Robot } from '../stream/messages.ts';
import { positions, velocities } from '../stream/messages.ts';

export type Unit = 'rad' | 'm';

/** Something of q that a slider moves: a number of it, or an angle (roll, pitch, yaw) of a quaternion. */
export interface Coordinate {
  joint: number;
  label: string;
  unit: Unit;
  lower: number;
  upper: number;
  limited: boolean; // lower and upper are the robot's limits, not only a range to move in
  velocity: number; // index in v of the torque shown with it, or -1
  effort: number | null;
  get(q: ArrayLike<number>): number;
  set(q: Float64Array, value: number): void;
}

/** All coordinates of a robot, in the order of its joints; mimicking joints have none. */
export function coordinatesOf(robot: Robot): Coordinate[] {
  const list: Coordinate[] = [];
  const first = velocityOffsets(robot);
  robot.joints.forEach((joint, k) => {
    if (joint.q < 0 || joint.mimic) return;
    list.push(...ofJoint(joint, k, first[k]));
  });
  return list;
}

/** Index in v of each joint's first velocity: as given, or else in the order of q. */
export function velocityOffsets(robot: Robot): number[] {
  const offsets = robot.joints.map(() => -1);
  const moving = robot.joints
    .map((_, k) => k)
    .filter((k) => robot.joints[k].q >= 0 && !robot.joints[k].mimic);
  moving.sort((a, b) => robot.joints[a].q - robot.joints[b].q);
  let next = 0;
  for (const k of moving) {
    offsets[k] = robot.joints[k].v ?? next;
    next += velocities[robot.joints[k].type];
  }
  return offsets;
}

function ofJoint(joint: Joint, k: number, velocity: number): Coordinate[] {
  const plain = (i: number, label: string, unit: Unit, reach: number): Coordinate => {
    const lower = joint.lower?.[i] ?? NaN;
    const upper = joint.upper?.[i] ?? NaN;
    const limited =
      Number.isFinite(lower) && Number.isFinite(upper) && upper > lower && upper - lower < 1e4;
    return {
      joint: k,
      label,
      unit,
      lower: limited ? lower : -reach,
      upper: limited ? upper : reach,
      limited,
      velocity: positions[joint.type] === 1 ? velocity : -1,
      effort:
        joint.effort !== null && Number.isFinite(joint.effort) && joint.effort > 0
          ? joint.effort
          : null,
      get: (q) => q[joint.q + i],
      set: (q, value) => {
        q[joint.q + i] = value;
      },
    };
  };
  const { name } = joint;
  switch (joint.type) {
    case 'fixed':
      return [];
    case 'revolute':
    case 'continuous':
      return [plain(0, name, 'rad', Math.PI)];
    case 'helical':
      return [plain(0, name, 'rad', 2 * Math.PI)];
    case 'prismatic':
      return [plain(0, name, 'm', 1)];
    case 'planar':
      return [
        plain(0, `${name} x`, 'm', 1),
        plain(1, `${name} y`, 'm', 1),
        plain(2, `${name} angle`, 'rad', Math.PI),
      ];
    case 'ball':
      return turning(name, k, joint.q);
    case 'floating':
      return [
        ...['x', 'y', 'z'].map((axis, i) => ({
          ...plain(i, `${name} ${axis}`, 'm', 2),
          limited: false,
        })),
        ...turning(name, k, joint.q + 3),
      ];
  }
}

/** Roll, pitch and yaw of the quaternion whose scalar part is q[at]. */
function turning(name: string, joint: number, at: number): Coordinate[] {
  const angles = (q: ArrayLike<number>): Euler =>
    new Euler().setFromQuaternion(
      new Quaternion(q[at + 1], q[at + 2], q[at + 3], q[at]).normalize(),
      'ZYX',
    );
  return (['x', 'y', 'z'] as const).map((axis, i) => ({
    joint,
    label: `${name} ${['roll', 'pitch', 'yaw'][i]}`,
    unit: 'rad',
    lower: i === 1 ? -Math.PI / 2 : -Math.PI,
    upper: i === 1 ? Math.PI / 2 : Math.PI,
    limited: false,
    velocity: -1,
    effort: null,
    get: (q) => angles(q)[axis],
    set: (q, value) => {
      const turned = angles(q);
      turned[axis] = value;
      const { w, x, y, z } = new Quaternion().setFromEuler(turned);
      q.set([w, x, y, z], at);
    },
  }));
}
