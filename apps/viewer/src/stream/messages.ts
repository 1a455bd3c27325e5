/** Text messages of the stream, version 1; docs/stream.md describes them. */
import {
  finite,
  flag,
  index,
  list,
  Malformed,
  number,
  oneOf,
  or,
  orNull,
  pose,
  quaternion,
  record,
  text,
  vector,
  type Read,
  type Reader,
} from './reader.ts';
import { report } from './report.ts';

const identity: [number, number, number, number, number, number, number] = [0, 0, 0, 1, 0, 0, 0];

const placed = {
  pose: or(pose, identity),
  color: orNull(list(finite)),
  name: or(text, ''),
};
const shapeKinds = {
  box: record({ ...placed, size: vector }),
  cylinder: record({ ...placed, radius: finite, length: finite }),
  capsule: record({ ...placed, radius: finite, length: finite }),
  sphere: record({ ...placed, radius: finite }),
  mesh: record({ ...placed, mesh: index, scale: or(vector, [1, 1, 1]) }),
  plane: record(placed),
};
type ShapeKind = keyof typeof shapeKinds;
export type Shape = { [K in ShapeKind]: { kind: K } & Read<(typeof shapeKinds)[K]> }[ShapeKind];
const shape: Reader<Shape> = (value, at) => {
  const { kind } = record({ kind: text })(value, at);
  if (!Object.hasOwn(shapeKinds, kind)) throw new Malformed(`${at}: unknown shape ${kind}`);
  return { kind, ...shapeKinds[kind as ShapeKind](value, at) } as Shape;
};

/** How many numbers of q a joint of each type has. */
export const positions = {
  fixed: 0,
  revolute: 1,
  continuous: 1,
  prismatic: 1,
  helical: 1,
  planar: 3,
  ball: 4,
  floating: 7,
};
/** And how many velocities. */
export const velocities = { ...positions, ball: 3, floating: 6 };
type JointType = keyof typeof positions;

const joint = record({
  name: text,
  type: oneOf(...(Object.keys(positions) as JointType[])),
  pitch: or(finite, 0),
  axis: or(vector, [0, 0, 1]),
  parent: index,
  child: index,
  pose,
  q: index,
  nq: index,
  v: orNull(index),
  mimic: orNull(record({ joint: index, multiplier: finite, offset: finite })),
  lower: orNull(list(number)),
  upper: orNull(list(number)),
  velocity: orNull(number),
  effort: orNull(number),
  unit: or(text, ''),
});
export type Joint = Read<typeof joint>;

const link = record({
  name: text,
  mass: or(number, 0),
  com: or(vector, [0, 0, 0]),
  inertia: orNull(record({ moments: vector, axes: quaternion })),
  physical: or(flag, true),
  reason: or(text, ''),
  visuals: or(list(shape), []),
  collisions: or(list(shape), []),
});
export type Link = Read<typeof link>;

const frame = record({ name: text, link: index, pose });
export type Frame = Read<typeof frame>;

const robotFields = record({
  id: index,
  name: text,
  ghost: or(flag, false),
  color: orNull(index),
  base: or(pose, identity),
  nq: index,
  nv: index,
  gravity: or(vector, [0, 0, -9.81]),
  joints: list(joint),
  links: list(link),
  frames: or(list(frame), []),
  q: list(finite),
});
export type Robot = Read<typeof robotFields>;

/** Indices are checked here once, so that nothing that draws has to. */
const robot: Reader<Robot> = (value, at) => {
  const r = robotFields(value, at);
  const inside = (i: number, size: number) => i >= 0 && i < size;
  if (r.q.length !== r.nq) throw new Malformed(`${at}.q: ${r.nq} numbers expected`);
  if (r.id < 0 || r.id > 255) throw new Malformed(`${at}.id: 0 to 255 expected`);
  for (const [k, j] of r.joints.entries())
    if (
      !inside(j.parent, r.links.length) ||
      !inside(j.child, r.links.length) ||
      (j.q >= 0 && (j.q + positions[j.type] > r.nq || j.type === 'fixed')) ||
      (j.mimic !== null && !inside(j.mimic.joint, r.joints.length))
    )
      throw new Malformed(`${at}.joints[${k}]: an index is out of range`);
  for (const [k, f] of r.frames.entries())
    if (!inside(f.link, r.links.length))
      throw new Malformed(`${at}.frames[${k}].link: out of range`);
  return r;
};

const hello = record({
  version: finite,
  program: or(text, 'ulna'),
  mode: oneOf('robot', 'log', 'simulation', 'live', 'feed', 'report'),
  title: or(text, ''),
  can: or(list(text), []),
  robots: or(list(text), []),
});
const scene = record({ robots: list(robot), fixed: or(list(shape), []) });
const series = record({ name: text, robot: orNull(index), joint: orNull(index) });
const channels = record({
  groups: list(record({ name: text, unit: or(text, ''), series: list(series) })),
});
const diagnostics = record({
  file: or(text, ''),
  id: or(index, -1),
  errors: or(index, 0),
  warnings: or(index, 0),
  notes: or(index, 0),
  text: or(text, ''),
  items: list(
    record({
      severity: oneOf('error', 'warning', 'note'),
      line: or(index, 0),
      rule: or(text, ''),
      message: text,
      remedy: or(text, ''),
    }),
  ),
});
const request = or(index, -1);
const poseAnswer = record({
  robot: or(index, 0),
  q: or(list(finite), []),
  gravity_torque: or(list(number), []),
  com: orNull(vector),
  energy: orNull(number),
  request,
});
const ikAnswer = record({
  robot: or(index, 0),
  q: list(finite),
  reached: flag,
  error_m: or(number, 0),
  error_rad: or(number, 0),
  request,
});
const estimate = { true: or(number, NaN), estimate: or(number, NaN), deviation: or(number, NaN) };
const live = record({
  running: or(flag, true),
  time: or(finite, 0),
  period_ms: or(number, NaN),
  realtime: or(number, NaN),
  speed: or(finite, 1),
  identify: or(flag, false),
  blinded: or(list(index), []),
  friction: or(finite, 1),
  payload: orNull(record({ ...estimate, frame: or(text, ''), density: or(finite, 500) })),
  masses: or(list(record({ link: text, ...estimate })), []),
  tracking_mrad: or(number, NaN),
  step_us: orNull(record({ p50: number, p99: number })),
  state: or(text, ''),
  findings: or(list(text), []),
});
const end = record({ what: or(text, ''), reason: or(text, '') });
const error = record({ message: or(text, 'the server reports an error'), request });

const readers = {
  hello,
  scene,
  channels,
  diagnostics,
  report,
  pose: poseAnswer,
  ik: ikAnswer,
  live,
  end,
  error,
};
type Kind = keyof typeof readers;
export type Message = { [K in Kind]: { type: K } & Read<(typeof readers)[K]> }[Kind];
export type MessageOf<K extends Kind> = Extract<Message, { type: K }>;

export type Hello = MessageOf<'hello'>;
export type Scene = MessageOf<'scene'>;
export type Channels = MessageOf<'channels'>;
export type Diagnostics = MessageOf<'diagnostics'>;
export type Live = MessageOf<'live'>;
export type Report = MessageOf<'report'>;
export type Estimate = Read<Reader<{ true: number; estimate: number; deviation: number }>>;

/** The message in a JSON value; null if its type is unknown; throws Malformed if its fields are wrong. */
export function readMessage(value: unknown): Message | null {
  const { type } = record({ type: text })(value, '');
  if (!Object.hasOwn(readers, type)) return null;
  const kind = type as Kind;
  return { type: kind, ...readers[kind](value, kind) } as Message;
}

/** The message in a text frame; null for one that cannot be read, which is ignored. */
export function parseMessage(frame: string): Message | null {
  try {
    return readMessage(JSON.parse(frame));
  } catch (problem) {
    if (problem instanceof Malformed || problem instanceof SyntaxError) {
      console.warn(`ignored a message: ${problem.message}`);
      return null;
    }
    throw problem;
  }
}
