/** The message `report`: what is read from top to bottom, as data; docs/stream.md describes it. */
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
  record,
  text,
  type Read,
  type Reader,
} from './reader.ts';

/** A name of the style's colours: it becomes part of a style, so that nothing else may be in it. */
const color: Reader<string> = (value, at) => {
  const name = text(value, at);
  if (!/^[a-z]+(-[a-z0-9]+)?$/.test(name)) throw new Malformed(`${at}: name of a colour expected`);
  return name;
};
/** A record whose field `color` may be called `colour`, as in reports of earlier programs. */
function colored<T>(read: Reader<T>): Reader<T> {
  return (value, at) =>
    read(
      typeof value === 'object' && value !== null && 'colour' in value
        ? { color: value.colour, ...value }
        : value,
      at,
    );
}
const tone = or(oneOf('', 'good', 'bad', 'soft'), '');

const scale = record({
  low: finite,
  high: finite,
  bar: orNull(list(finite, 2)),
  shade: orNull(list(finite, 2)),
  dots: or(list(colored(record({ at: finite, color, hollow: or(flag, false) }))), []),
});
export type Scale = Read<typeof scale>;
const fullCell = colored(
  record({
    text: or(text, ''),
    tone,
    color: orNull(color),
    code: or(flag, false),
    share: orNull(finite),
    scale: orNull(scale),
  }),
);
export type Cell = Read<typeof fullCell>;
const cell: Reader<Cell> = (value, at) =>
  fullCell(typeof value === 'string' ? { text: value } : value, at);

const style = colored(
  record({
    color: or(color, 'series-1'),
    dashed: or(flag, false),
    form: or(oneOf('line', 'dots', 'steps', 'bars'), 'line'),
  }),
);
const look = {
  title: or(text, ''),
  unit: or(text, ''),
  note: or(text, ''),
  styles: or(list(style), []),
  bands: or(list(list(index, 2) as Reader<[low: number, high: number]>), []),
  log: or(flag, false),
  ticks: orNull(list(record({ at: finite, text }))),
  limits: or(list(finite), []),
  marks: or(list(record({ at: finite, text: or(text, '') })), []),
  spans: or(list(record({ from: finite, to: finite })), []),
};
const timePlot = record({ ...look, group: index });
const curvePlot = record({
  ...look,
  along: or(text, ''),
  x: list(finite),
  lines: list(record({ name: text, y: list(number) })),
});
export type ReportPlot = Read<typeof timePlot> | Read<typeof curvePlot>;
const plot: Reader<ReportPlot> = (value, at) =>
  (record({ group: orNull(index) })(value, at).group === null ? curvePlot : timePlot)(value, at);

const blocks = {
  heading: record({ text }),
  text: record({ text, tone }),
  remarks: record({ items: list(record({ text, tone })) }),
  cards: record({ cards: list(record({ value: text, text, tone })) }),
  table: record({
    title: or(text, ''),
    columns: list(record({ name: text, number: or(flag, false) })),
    rows: list(record({ group: or(text, ''), tone, cells: or(list(cell), []) })),
  }),
  scene: record({
    hidden: or(list(index), []),
    events: or(list(record({ at: finite, text })), []),
  }),
  plots: record({
    size: or(oneOf('wide', 'small', 'row'), 'small'),
    plots: list(plot),
  }),
  matrix: record({
    rows: list(text),
    groups: list(record({ name: text, size: index })),
    kinds: list(colored(record({ name: text, color }))),
    cells: list(text),
  }),
};
type Kind = keyof typeof blocks;
export type BlockOf<K extends Kind> = { kind: K } & Read<(typeof blocks)[K]>;
export interface Columns {
  kind: 'columns';
  blocks: Block[];
}
export type Block = { [K in Kind]: BlockOf<K> }[Kind] | Columns;

/** Kinds that are not known are left out. */
const block: Reader<Block | null> = (value, at) => {
  const { kind } = record({ kind: text })(value, at);
  if (kind === 'columns') return { kind, ...record({ blocks: known })(value, at) };
  if (!Object.hasOwn(blocks, kind)) return null;
  return { kind, ...blocks[kind as Kind](value, at) } as Block;
};
const known: Reader<Block[]> = (value, at) =>
  list(block)(value, at).filter((each): each is Block => each !== null);

export const report = record({
  title: text,
  subtitle: or(text, ''),
  lead: or(text, ''),
  note: or(text, ''),
  blocks: known,
});
