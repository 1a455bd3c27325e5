import assert from 'node:assert/strict';
import test from 'node:test';
import { RobotState } from '../../src/robot/robot_state.ts';
import { parseMessage, readMessage, type Report } from '../../src/stream/messages.ts';
import type { BlockOf } from '../../src/stream/report.ts';
import { robotNamed } from './robots.ts';

const report = (...blocks: object[]): Report =>
  readMessage({ type: 'report', title: 'a trial', blocks }) as Report;

test('blocks of a report are read, and those of kinds that are not known are left out', () => {
  const { blocks } = report(
    { kind: 'heading', text: 'one' },
    { kind: 'hologram', text: 'of a later version' },
    { kind: 'columns', blocks: [{ kind: 'text', text: 'two' }, { kind: 'hologram' }] },
    { kind: 'plots', plots: [{ group: 0 }, { x: [1], lines: [{ name: 'a', y: [null] }] }] },
  );
  assert.deepEqual(
    blocks.map((each) => each.kind),
    ['heading', 'columns', 'plots'],
  );
  assert.equal((blocks[1] as { blocks: object[] }).blocks.length, 1);
});

test('what is malformed in a report is refused as a whole', () => {
  for (const block of [
    { kind: 'heading' },
    { kind: 'table', columns: [{ name: 'a' }], rows: [{ cells: [1] }] },
    { kind: 'plots', plots: [{ group: 0, limits: ['1'] }] },
    { kind: 'cards', cards: [{ value: '1', text: 'x', tone: 'loud' }] },
    { kind: 'columns', blocks: [{ kind: 'text' }] },
  ])
    assert.equal(parseMessage(JSON.stringify({ type: 'report', title: '', blocks: [block] })), null);
});

test('colours are names, so that nothing else can stand in a style', () => {
  const cell = (color: string): string =>
    JSON.stringify({
      type: 'report',
      title: '',
      blocks: [{ kind: 'table', columns: [], rows: [{ cells: [{ color }] }] }],
    });
  assert.ok(parseMessage(cell('series-3')));
  for (const wrong of ['red;x:y', 'url(x)', '', 'series-3)'])
    assert.equal(parseMessage(cell(wrong)), null, wrong);
});

test('colours of reports of earlier programs, which had another name, are read', () => {
  const { blocks } = report(
    { kind: 'table', columns: [], rows: [{ cells: [{ text: 'a', colour: 'bad' }] }] },
    { kind: 'plots', plots: [{ group: 0, styles: [{ colour: 'good' }, { color: 'ink' }, {}] }] },
    { kind: 'matrix', rows: [], groups: [], cells: [], kinds: [{ name: 'a', colour: 'faint' }] },
  );
  const [table, plots, matrix] = blocks as [
    BlockOf<'table'>,
    BlockOf<'plots'>,
    BlockOf<'matrix'>,
  ];
  assert.equal(table.rows[0].cells[0].color, 'bad');
  assert.deepEqual(
    plots.plots[0].styles.map(({ color }) => color),
    ['good', 'ink', 'series-1'],
  );
  assert.equal(matrix.kinds[0].color, 'faint');
});

test('where a track has no numbers, the robot is not there; where it has some again, it is', () => {
  const state = new RobotState(robotNamed('double_pendulum'));
  state.record(Float64Array.of(0, 1, 2, 3), Float32Array.of(NaN, NaN, 1, 2, 3, 4, NaN, NaN));
  for (const [time, there, q] of [
    [0, false, [0, 0]],
    [0.5, false, [0, 0]],
    [1.5, true, [2, 3]],
    [3, false, [2, 3]],
  ] as const) {
    state.showAt(time);
    assert.equal(state.present, there, `${time}`);
    assert.deepEqual(Array.from(state.q), q);
  }
});

test('a base that stands elsewhere carries all links with it', () => {
  const robot = robotNamed('double_pendulum');
  const here = new RobotState(robot);
  const there = new RobotState({ ...robot, base: [1, 2, 3, Math.SQRT1_2, 0, 0, Math.SQRT1_2] });
  for (const state of [here, there]) state.show([0.4, -0.7]);
  here.kinematics.links.forEach(({ p }, k) => {
    const moved = there.kinematics.links[k].p;
    // a quarter of a turn about z, then the way
    assert.ok(Math.abs(moved.x - (1 - p.y)) < 1e-12);
    assert.ok(Math.abs(moved.y - (2 + p.x)) < 1e-12);
    assert.ok(Math.abs(moved.z - (3 + p.z)) < 1e-12);
  });
});
