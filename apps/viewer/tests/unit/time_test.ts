import assert from 'node:assert/strict';
import test from 'node:test';
import { Clock } from '../../src/time/clock.ts';
import { Track } from '../../src/time/track.ts';
import { fixed, significant } from '../../src/util/format.ts';

function ramp(samples: number): Track {
  const track = new Track(1);
  for (let k = 0; k < samples; k++) track.append(0.1 * k, Float32Array.of(k));
  return track;
}

test('between samples a track is a straight line, and before and after them it stands', () => {
  const track = ramp(1000);
  const out = new Float64Array(1);
  for (const [time, expected] of [
    [50.05, 500.5],
    [0, 0],
    [-1, 0],
    [99.9, 999],
    [1000, 999],
  ]) {
    assert.ok(track.interpolate(time, out));
    assert.ok(Math.abs(out[0] - expected) < 1e-6, `${time}: ${out[0]}`);
  }
});

test('pieces of a track follow each other as if they had come at once', () => {
  const pieces = new Track(1);
  pieces.appendBlock(Float64Array.of(0, 1, 2), Float32Array.of(0, 10, 20));
  pieces.appendBlock(Float64Array.of(3, 4), Float32Array.of(30, 40));
  assert.deepEqual(pieces.block(), {
    times: Float64Array.of(0, 1, 2, 3, 4),
    rows: Float32Array.of(0, 10, 20, 30, 40),
  });
});

test('a track that keeps ten seconds does not grow, and has the last ten', () => {
  const track = new Track(1);
  for (let k = 0; k < 100000; k++) {
    track.append(0.01 * k, Float32Array.of(k));
    track.keep(10);
  }
  assert.ok(track.size <= 1002, String(track.size));
  assert.equal(track.row(track.size - 1)[0], 99999);
  assert.equal(track.row(0)[0], 99999 - track.size + 1);
});

test('a run that begins anew replaces the one before', () => {
  const track = ramp(10);
  track.append(0, Float32Array.of(7));
  assert.equal(track.size, 1);
});

test('rows of another width are left out', () => {
  const track = ramp(3);
  track.append(5, Float32Array.of(1, 2));
  assert.equal(track.size, 3);
});

test('a clock plays at its speed, stops at the end, or begins again', () => {
  const clock = new Clock();
  clock.range.value = { begin: 2, end: 4 };
  clock.go(2);
  clock.speed.value = 0.5;
  clock.play(true);
  clock.tick(1);
  assert.equal(clock.time.value, 2.5);
  clock.loop.value = false;
  clock.tick(10);
  assert.deepEqual([clock.time.value, clock.playing.value], [4, false]);
  clock.play(true);
  assert.equal(clock.time.value, 2);
  clock.loop.value = true;
  clock.tick(100);
  assert.deepEqual([clock.time.value, clock.playing.value], [2, true]);
});

test('a clock that follows is where the newest is, until it is told to stand', () => {
  const clock = new Clock();
  clock.range.value = { begin: 0, end: 1 };
  clock.follow();
  clock.range.value = { begin: 0, end: 5 };
  clock.tick(0.016);
  assert.equal(clock.time.value, 5);
  clock.go(3);
  clock.range.value = { begin: 0, end: 6 };
  clock.playing.value = false;
  clock.tick(0.016);
  assert.equal(clock.time.value, 3);
});

test('numbers have no more digits than they mean', () => {
  assert.deepEqual(
    [
      fixed(-0.0001, 2),
      fixed(-1.005, 1),
      fixed(NaN, 1),
      significant(0.00123456),
      significant(-123456),
      significant(0),
      significant(1234567),
    ],
    ['0.00', '−1.0', '–', '0.00123', '−123000', '0', '1.23e+6'],
  );
});
