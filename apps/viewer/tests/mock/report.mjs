/** A report with blocks of all kinds, of a run that never was. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { motionOf, sceneOf } from './server.mjs';
import { table, track } from './messages.mjs';

const dist = fileURLToPath(new URL('../../dist/index.html', import.meta.url));

/** The page with messages in it, as the program writes it. */
export function pageOf(messages, binary) {
  const data = JSON.stringify({
    messages,
    binary: binary.map((bytes) => bytes.toString('base64')),
    meshes: {},
  }).replaceAll('<', '\\u003c');
  return readFileSync(dist, 'utf8').replace(
    '<head>',
    () => `<head><script id="ulna-data" type="application/json">${data}</script>`,
  );
}

const cube = {
  name: 'payload',
  mass: 1,
  visuals: [{ kind: 'box', size: [0.1, 0.1, 0.1], color: [0.9, 0.66, 0.22, 1] }],
};
/** A body that no joint holds. */
export const loose = (id, name, link = cube) => ({
  id,
  name,
  nq: 7,
  nv: 6,
  joints: [
    {
      name: 'floating',
      type: 'floating',
      parent: 0,
      child: 1,
      pose: [0, 0, 0, 1, 0, 0, 0],
      q: 0,
      v: 0,
      nq: 7,
    },
  ],
  links: [{ name: 'world' }, link],
  q: [0, 0, 0, 1, 0, 0, 0],
});

const seconds = 4;
export const payloadAt = 2;
const times = Array.from({ length: 121 }, (_, k) => (k * seconds) / 120);

/** A Panda, its reference, and a payload that is there from two seconds on. */
export function motionReport() {
  const [arm] = sceneOf('panda').robots;
  const motion = motionOf(arm);
  const ghost = { ...arm, id: 1, name: 'reference', ghost: true, color: 8 };
  const messages = [
    { type: 'hello', version: 1, mode: 'report', title: 'trial' },
    {
      type: 'scene',
      robots: [{ ...arm, name: 'identified' }, ghost, loose(2, 'payload')],
      fixed: [],
    },
    {
      type: 'channels',
      groups: [
        { name: 'tracking error', unit: 'mrad', series: [{ name: 'identified' }] },
        { name: 'elbow', unit: 'Nm', series: [{ name: 'identified' }, { name: 'true' }] },
        { name: 'wrist', unit: 'Nm', series: [{ name: 'identified' }, { name: 'true' }] },
      ],
    },
    { type: 'report', title: 'A trial: payload <b>', lead: 'It follows.', blocks: blocks() },
  ];
  const binary = [
    track(0, times, times.map(motion)),
    track(
      1,
      times,
      times.map((t) => motion(t + 0.1)),
    ),
    track(
      2,
      times,
      times.map((t) => (t < payloadAt ? Array(7).fill(NaN) : [0.5, 0, 0.5, 1, 0, 0, 0])),
    ),
    table(
      times,
      times.map((t) => [0.1 * 10 ** Math.sin(t), Math.sin(3 * t), 1, Math.cos(t), 0.5]),
    ),
  ];
  return pageOf(messages, binary);
}

const styles = [{ color: 'series-1' }, { color: 'series-8', dashed: true }];
const blocks = () => [
  {
    kind: 'cards',
    cards: [
      { value: '0.14 mrad', text: 'tracking error' },
      { value: 'physical', text: 'every body', tone: 'good' },
    ],
  },
  { kind: 'remarks', items: [{ text: 'a finding', tone: 'bad' }] },
  { kind: 'scene', hidden: [1], events: [{ at: payloadAt, text: 'payload of 1 kg' }] },
  {
    kind: 'columns',
    blocks: [
      {
        kind: 'table',
        title: 'errors',
        columns: [{ name: 'run' }, { name: 'rms', number: true }, { name: '' }],
        rows: [
          { group: 'of all joints' },
          {
            cells: [
              { text: 'identified', color: 'series-1' },
              '0.14',
              {
                scale: {
                  low: -1,
                  high: 1,
                  bar: [0.1, 0.5],
                  shade: [-1, 0],
                  dots: [{ at: 0.3, color: 'accent' }],
                },
              },
            ],
          },
          { tone: 'soft', cells: ['fixed', { text: '<i>9</i>', tone: 'bad' }, { share: 0.4 }] },
        ],
      },
      {
        kind: 'matrix',
        rows: ['elbow', 'wrist'],
        groups: [{ name: 'link 1', size: 10 }],
        kinds: [
          { name: 'base parameter', color: 'series-1' },
          { name: 'dependent', color: 'series-5' },
        ],
        cells: ['1120000000', '0000211111'],
      },
    ],
  },
  { kind: 'heading', text: 'Tracking error' },
  {
    kind: 'plots',
    size: 'wide',
    plots: [
      { group: 0, log: true, styles, marks: [{ at: payloadAt, text: '2 s: payload of 1 kg' }] },
    ],
  },
  {
    kind: 'plots',
    size: 'small',
    plots: [
      { group: 1, styles, limits: [-2, 2] },
      { group: 2, styles, spans: [{ from: 1, to: 2 }] },
    ],
  },
  {
    kind: 'plots',
    size: 'row',
    plots: [
      {
        title: 'spectrum',
        along: 'Hz',
        log: true,
        x: [1, 2, 3],
        // numbers that are not round, over many decades
        lines: [{ name: 'measured', y: [0.11764, 1.41e-6, null] }],
      },
      {
        title: 'residuals',
        along: 'Nm',
        x: [-1, 0, 1],
        lines: [{ name: 'fit', y: [0.1, 0.4, 0.1] }],
        styles: [{ form: 'bars' }],
      },
    ],
  },
];
