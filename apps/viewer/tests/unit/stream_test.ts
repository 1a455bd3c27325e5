import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import {
  decode,
  decodeMesh,
  encodeArrows,
  encodeBlock,
  type Block,
} from '../../src/stream/binary.ts';
import { base64Of, bytesOf } from '../../src/stream/base64.ts';
import { Latest } from '../../src/stream/latest.ts';
import { parseMessage, readMessage } from '../../src/stream/messages.ts';
import { viewer, robotNamed } from './robots.ts';

// written after the page of documentation, in plain JavaScript: independent of what is tested
const make = (await import(join(viewer, 'tests/mock/messages.mjs'))) as Record<
  string,
  (...given: unknown[]) => Buffer
>;
const bufferOf = (bytes: Buffer): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
const samples = [
  make['state'](3, 1.25, [0.5, -0.25]),
  make['values'](2, [1, 2, 3]),
  make['arrows'](2.5, [0, 0, 1, 10, 20, 30]),
  make['trail'](1, 3, [0, 0, 0, 1, 1, 1]),
  make['track'](
    2,
    [0, 0.5, 1],
    [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
  ),
  make['table'](
    [0, 1],
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
  ),
  make['arrowLog']([
    { time: 0, arrows: [1, 2, 3, 4, 5, 6] },
    { time: 1, arrows: [] },
  ]),
];

test('each kind of binary message is read as it was written', () => {
  const [state, values, arrows, trail, track, table, log] = samples.map((bytes) =>
    decode(bufferOf(bytes)),
  );
  assert.deepEqual(state, { kind: 'state', robot: 3, time: 1.25, q: Float32Array.of(0.5, -0.25) });
  assert.deepEqual(values, { kind: 'values', time: 2, values: Float32Array.of(1, 2, 3) });
  assert.deepEqual(arrows, {
    kind: 'arrows',
    time: 2.5,
    arrows: Float32Array.of(0, 0, 1, 10, 20, 30),
  });
  assert.deepEqual(trail, {
    kind: 'trail',
    robot: 1,
    time: 3,
    points: Float32Array.of(0, 0, 0, 1, 1, 1),
  });
  assert.deepEqual(track, {
    kind: 'track',
    robot: 2,
    width: 2,
    times: Float64Array.of(0, 0.5, 1),
    rows: Float32Array.of(1, 2, 3, 4, 5, 6),
  });
  assert.deepEqual(table, {
    kind: 'table',
    robot: 0,
    width: 3,
    times: Float64Array.of(0, 1),
    rows: Float32Array.of(1, 2, 3, 4, 5, 6),
  });
  assert.equal(log?.kind, 'arrow-log');
  assert.deepEqual(log.kind === 'arrow-log' && log.samples.map((s) => [s.time, [...s.arrows]]), [
    [0, [1, 2, 3, 4, 5, 6]],
    [1, []],
  ]);
});

test('a binary message that is cut anywhere is ignored', () => {
  for (const whole of samples)
    for (let size = 0; size < whole.length; size++)
      assert.equal(decode(bufferOf(whole.subarray(0, size))), null);
});

test('a hundred thousand garbage messages are read without an exception, a hang or an array larger than they are', () => {
  let seed = 12345;
  const random = (): number => (seed = (1103515245 * seed + 12345) % 2 ** 31) / 2 ** 31;
  for (let k = 0; k < 100000; k++) {
    const bytes = Uint8Array.from({ length: Math.floor(64 * random()) }, () =>
      Math.floor(256 * random()),
    );
    if (bytes.length > 0 && random() < 0.9) bytes[0] = Math.floor(9 * random());
    const message = decode(bytes.buffer);
    if (message && 'q' in message) assert.ok(message.q.byteLength <= bytes.length);
    decodeMesh(bytes.buffer);
  }
});

test('times that run backwards or are no numbers are refused', () => {
  assert.equal(decode(bufferOf(make['track'](0, [0, 2, 1], [[1], [2], [3]]))), null);
  assert.equal(decode(bufferOf(make['track'](0, [0, NaN, 1], [[1], [2], [3]]))), null);
  assert.equal(decode(bufferOf(make['state'](0, NaN, [1]))), null);
  assert.equal(decode(bufferOf(make['state'](0, 0, [NaN]))), null);
});

test('a mesh whose triangles have corners that are not there is refused', () => {
  assert.equal(decodeMesh(bufferOf(make['mesh']([0, 0, 0, 1, 0, 0, 0, 1, 0], [0, 1, 3]))), null);
  assert.notEqual(decodeMesh(bufferOf(make['mesh']([0, 0, 0, 1, 0, 0, 0, 1, 0], [0, 1, 2]))), null);
});

test('a mesh has a colour for each triangle, or none', () => {
  const bare = bufferOf(make['mesh']([0, 0, 0, 1, 0, 0, 0, 1, 0], [0, 1, 2]));
  assert.equal(decodeMesh(bare)?.colours, null);
  const painted = new Uint8Array(bare.byteLength + 4);
  painted.set(new Uint8Array(bare));
  painted.set([51, 102, 153, 255], bare.byteLength);
  assert.deepEqual(decodeMesh(painted.buffer)?.colours, Uint8Array.of(51, 102, 153, 255));
  assert.equal(decodeMesh(painted.buffer.slice(0, -1))?.colours, null, 'truncated');
});

test('what is encoded for a page of its own is decoded as it was', () => {
  const block: Block = {
    kind: 'track',
    robot: 4,
    width: 2,
    times: Float64Array.of(0, 0.1),
    rows: Float32Array.of(1, 2, 3, 4),
  };
  assert.deepEqual(decode(encodeBlock(block)), block);
  const arrows = [{ kind: 'arrows' as const, time: 1, arrows: Float32Array.of(1, 2, 3, 4, 5, 6) }];
  assert.deepEqual(decode(encodeArrows(arrows)), { kind: 'arrow-log', samples: arrows });
  assert.deepEqual(decode(bytesOf(base64Of(encodeBlock(block)))), block);
});

test('text messages that are no JSON, of unknown types or with wrong fields are ignored', () => {
  const quiet = console.warn;
  console.warn = () => {};
  for (const bad of [
    '',
    '{',
    '[]',
    '7',
    'null',
    '{}',
    '{"type":7}',
    '{"type":"constructor"}',
    '{"type":"unknown"}',
    '{"type":"scene"}',
    '{"type":"scene","robots":[{}]}',
    '{"type":"ik","q":["x"],"reached":true}',
    '{"type":"hello","version":1,"mode":"other"}',
  ])
    assert.equal(parseMessage(bad), null, bad);
  console.warn = quiet;
});

test('a scene whose indices are out of range is refused', () => {
  const robot = robotNamed('pendulum');
  const scene = (change: object) => ({ type: 'scene', robots: [{ ...robot, ...change }] });
  assert.notEqual(readMessage(scene({})), null);
  assert.throws(() => readMessage(scene({ q: [] })), /q/);
  assert.throws(
    () => readMessage(scene({ joints: [{ ...robot.joints[0], child: 99 }] })),
    /out of range/,
  );
  assert.throws(
    () => readMessage(scene({ joints: [{ ...robot.joints[0], q: 5 }] })),
    /out of range/,
  );
  assert.throws(
    () => readMessage(scene({ frames: [{ name: 'f', link: -1, pose: [0, 0, 0, 1, 0, 0, 0] }] })),
    /out of range/,
  );
});

test('of many questions only the newest follows the one that is under way', () => {
  const asked: [string, number][] = [];
  let count = 0;
  const latest = new Latest<string>(
    (question, request) => asked.push([question, request]) > 0,
    () => ++count,
  );
  for (const question of ['a', 'b', 'c', 'd']) latest.put(question);
  assert.deepEqual(asked, [['a', 1]]);
  assert.equal(latest.answered(7), false);
  assert.equal(latest.answered(1), true);
  assert.deepEqual(asked, [
    ['a', 1],
    ['d', 2],
  ]);
  latest.answered(2);
  assert.ok(latest.idle);
});
