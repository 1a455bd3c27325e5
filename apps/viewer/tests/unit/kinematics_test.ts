import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { coordinatesOf, velocityOffsets } from '../../src/robot/coordinates.ts';
import { ellipsoid } from '../../src/robot/bodies.ts';
import { Kinematics } from '../../src/robot/kinematics.ts';
import { Pose } from '../../src/robot/pose.ts';
import { RobotState } from '../../src/robot/robot_state.ts';
import { robotNamed, viewer } from './robots.ts';

interface Case {
  robot: string;
  q: number[];
  poses: Record<string, number[]>;
}
const cases = JSON.parse(readFileSync(join(viewer, 'tests/unit/fk_values.json'), 'utf8')) as Case[];

/** Two poses are one if their positions are, and their quaternions up to the sign. */
function assertSamePose(actual: number[], expected: number[], what: string): void {
  const sign = [3, 4, 5, 6].reduce((sum, i) => sum + actual[i] * expected[i], 0) < 0 ? -1 : 1;
  actual.forEach((x, i) =>
    assert.ok(
      Math.abs((i < 3 ? x : sign * x) - expected[i]) < 1e-12,
      `${what}: ${actual} is not ${expected}`,
    ),
  );
}

for (const { robot, q, poses } of cases)
  test(`links and frames of ${robot} are where the program computes them`, () => {
    const described = robotNamed(robot);
    const at = new Kinematics(described);
    at.set(q);
    let compared = 0;
    described.links.forEach(({ name }, k) => {
      if (!poses[name]) return;
      assertSamePose(at.links[k].numbers(), poses[name], name);
      compared++;
    });
    for (const frame of described.frames) {
      assertSamePose(
        new Pose().product(at.links[frame.link], Pose.of(frame.pose)).numbers(),
        poses[frame.name],
        frame.name,
      );
      compared++;
    }
    assert.equal(compared, Object.keys(poses).length);
  });

test('joints that mimic in a circle stand still instead of hanging', () => {
  const robot = robotNamed('odd_joints');
  const thumb = robot.joints.findIndex((j) => j.name === 'thumb');
  const slide = robot.joints.findIndex((j) => j.name === 'slide');
  robot.joints[thumb].mimic = { joint: slide, multiplier: 1, offset: 1 };
  const at = new Kinematics(robot);
  assert.equal(at.value(slide, robot.q), 0);
});

test('each coordinate moves what it reads, and nothing else', () => {
  const robot = robotNamed('odd_joints');
  for (const coordinate of coordinatesOf(robot)) {
    const q = Float64Array.from(robot.q);
    const before = coordinatesOf(robot).map((c) => c.get(q));
    coordinate.set(q, 0.37);
    coordinatesOf(robot).forEach((c, k) => {
      const expected = c.label === coordinate.label ? 0.37 : before[k];
      assert.ok(Math.abs(c.get(q) - expected) < 1e-12, `${c.label} after ${coordinate.label}`);
    });
  }
});

test('velocities are numbered in the order of q', () => {
  const robot = robotNamed('odd_joints');
  const offsets = Object.fromEntries(
    robot.joints.map((j, k) => [j.name, velocityOffsets(robot)[k]]),
  );
  assert.deepEqual(offsets, {
    free: 0,
    plane: 6,
    thread: 9,
    finger: 10,
    thumb: -1,
    slide: -1,
    ball: 11,
  });
});

test('the ellipsoid of a solid ellipsoid has its half axes', () => {
  const [a, b, c, mass] = [0.3, 0.2, 0.1, 5];
  const moments: [number, number, number] = [
    (mass / 5) * (b * b + c * c),
    (mass / 5) * (a * a + c * c),
    (mass / 5) * (a * a + b * b),
  ];
  const link = {
    ...robotNamed('pendulum').links[0],
    mass,
    inertia: { moments, axes: [1, 0, 0, 0] as [number, number, number, number] },
  };
  ellipsoid(link)!.forEach((half, k) => assert.ok(Math.abs(half - [a, b, c][k]) < 1e-12));
});

test('between two samples a turning body takes the short way, whatever the signs of its quaternions', () => {
  const state = new RobotState(robotNamed('ball_wrist'));
  const still = [0, 0];
  state.record(
    Float64Array.of(0, 1),
    Float32Array.of(...still, 1, 0, 0, 0, ...still, -Math.cos(0.2), 0, 0, -Math.sin(0.2)),
  );
  state.showAt(0.5);
  const [w, , , z] = state.q.slice(2);
  assert.ok(Math.abs(2 * Math.atan2(z, w) - 0.2) < 1e-6);
});
