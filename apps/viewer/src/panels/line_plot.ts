import uPlot from 'uplot';
import { palette } from '../theme.ts';
import { clamp, significant } from '../util/format.ts';
import { h, replace } from '../util/dom.ts';

/** How one line is drawn. Colours are those of the style, by name: `series-1`, `ink`, `bad`. */
export interface LineStyle {
  color?: string;
  dashed?: boolean;
  /** Instead of straight lines between points: dots, steps that last until the next one, or bars of that width. */
  form?: 'line' | 'dots' | 'steps' | 'bars';
}

/** What a plot shows, but for its numbers. */
export interface PlotLook {
  title: string;
  unit: string;
  names: string[];
  styles?: LineStyle[];
  /** Pairs of lines between which a band is drawn, by their places in `names`. */
  bands?: [low: number, high: number][];
  log?: boolean;
  /** Marks of the vertical axis in place of numbers. */
  ticks?: { at: number; text: string }[];
  /** What the axis shows at most: numbers beyond it are cut off. */
  within?: [low: number, high: number];
  /** Values that are not to be exceeded: lines across. */
  limits?: number[];
  /** Where something happens: upright lines with a word. */
  marks?: { at: number; text: string }[];
  /** Parts of the axis that are set apart. */
  spans?: { from: number; to: number }[];
  /** What is along the axis: 's'. */
  along?: string;
  /** What the plot says, in a line below it. */
  note?: string;
}

const font = (): string => `11px ${getComputedStyle(document.documentElement).fontFamily}`;
const css = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Lines over a common axis: names that hide them, values under the pointer, limits, marks, light and dark. */
export class LinePlot {
  readonly element: HTMLElement;
  protected plot: uPlot | null = null;
  /** The page's own marks lie over the plot in here. */
  protected readonly over = h('div', { style: 'position:relative' });
  private readonly box = h('div');
  private readonly hint = h('div', { class: 'hint', hidden: true });
  private readonly keys = h('span', { class: 'keys' });
  private readonly hidden = new Set<string>();
  private readonly resize: ResizeObserver;
  private readonly forget: () => void;
  protected seen = false; // asking the page itself each time would make it compute its layout

  constructor(
    protected readonly look: PlotLook,
    private readonly height = 128,
    private readonly withKeys = true,
  ) {
    this.over.append(this.box);
    this.element = h(
      'figure',
      { class: 'plot', style: 'margin:0' },
      h('h3', {}, look.title, h('small', {}, look.unit), this.keys),
      this.over,
      look.note ? h('figcaption', {}, look.note) : null,
      this.hint,
    );
    this.resize = new ResizeObserver(() => this.fit());
    this.resize.observe(this.element);
    this.forget = palette.changed(() => this.make());
    this.element.addEventListener('pointerleave', () => (this.hint.hidden = true));
  }

  destroy(): void {
    this.resize.disconnect();
    this.forget();
    this.plot?.destroy();
    this.plot = null;
  }

  /** Shows or hides a line. */
  toggle(name: string): void {
    const k = this.look.names.indexOf(name);
    if (k < 0) return;
    if (!this.hidden.delete(name)) this.hidden.add(name);
    this.plot?.setSeries(k + 1, { show: !this.hidden.has(name) });
    this.writeKeys();
  }

  protected setData(columns: (ArrayLike<number | null> | number[])[]): void {
    this.plot?.setData(columns as unknown as uPlot.AlignedData);
  }

  /** Whether bands are seen as a whole. */
  protected get wholeBands(): boolean {
    return false;
  }

  /** Called for each new uPlot: what listens to it, and what it is to draw. */
  protected made(_plot: uPlot): void {}

  /** In a constructor that has all it needs, or when the colours have changed. */
  protected make(): void {
    this.plot?.destroy();
    const { look } = this;
    const bands = (look.bands ?? []).filter((band) =>
      band.every((k) => k >= 0 && k < look.names.length),
    );
    const soft = css('soft');
    const grid = { stroke: css('line'), width: 1 };
    const isBand = (k: number): boolean => bands.some((band) => band.includes(k));
    const axis = { stroke: soft, grid, ticks: { show: false }, font: font(), gap: 4 };
    const { ticks } = look;
    // bars stand on zero
    const stands = look.styles?.some(({ form }) => form === 'bars') ?? false;
    const always = [...(look.limits ?? []), ...(stands ? [0] : [])];
    this.plot = new uPlot(
      {
        width: Math.max(this.element.clientWidth, 120),
        height: this.height,
        legend: { show: false },
        padding: [6, 16, 0, 0],
        scales: {
          x: { time: false },
          y: {
            distr: look.log ? 3 : 1,
            range: (_, low, high) =>
              look.log ? decades(low, high) : range(low, high, always, ticks, look.within),
          },
        },
        axes: [
          { ...axis, size: 20, values: (_, at) => withUnit(at.map(short), look.along ?? 's') },
          ticks
            ? {
                ...axis,
                size: 68,
                splits: () => ticks.map((t) => t.at),
                values: () => ticks.map((t) => t.text),
              }
            : {
                ...axis,
                size: 52,
                values: (_, at) => at.map(short),
                space: 26,
                ...(look.log && {
                  splits: (_: uPlot, __: number, low: number, high: number) =>
                    roundNumbers(low, high),
                  filter: (_: uPlot, at: number[]) => at,
                }),
              },
        ],
        series: [{}, ...look.names.map((name, k) => this.line(name, k, isBand(k)))],
        bands: bands.map(([low, high]) => ({
          series: [high + 1, low + 1],
          fill: `${palette.value.accent}33`,
        })),
        cursor: { drag: { x: false, y: false }, points: { size: 6 }, y: false },
        hooks: {
          setCursor: [(plot) => this.pointed(plot)],
          drawClear: [(plot) => this.drawSpans(plot)],
          draw: [(plot) => this.drawMarks(plot)],
        },
      },
      [[], ...look.names.map(() => [])] as unknown as uPlot.AlignedData,
      this.box,
    );
    this.writeKeys();
    this.made(this.plot);
  }

  private colour(k: number): string {
    const { series } = palette.value;
    const name = this.look.styles?.[k]?.color;
    return (name && css(name)) || series[k % series.length];
  }

  private line(name: string, k: number, band: boolean): uPlot.Series {
    const style = this.look.styles?.[k] ?? {};
    const colour = this.colour(k);
    const form = style.form ?? 'line';
    const line: uPlot.Series = {
      label: name,
      stroke: band || form === 'dots' ? 'transparent' : colour,
      width: style.dashed ? 1.1 : 1.5,
      points: { show: form === 'dots', size: 6, stroke: colour, fill: colour },
      auto: !band || this.wholeBands, // what is unknown at first does not set the scale
      show: !this.hidden.has(name),
    };
    if (style.dashed) line.dash = [4, 3];
    if (form === 'steps') line.paths = uPlot.paths.stepped!({ align: 1 });
    if (form === 'bars') {
      line.paths = uPlot.paths.bars!({ size: [1, 100] });
      line.fill = `${colour}88`;
      line.width = 0;
    }
    return line;
  }

  private writeKeys(): void {
    const { names, bands } = this.look;
    if (names.length < 2 || !this.withKeys) return;
    const short = shortened(names);
    replace(
      this.keys,
      ...names.map((name, k) =>
        bands?.some((band) => band.includes(k))
          ? null
          : key(short[k], this.colour(k), this.hidden.has(name), () => this.toggle(name), name),
      ),
    );
  }

  /** What the lines are worth under the pointer. */
  private pointed(plot: uPlot): void {
    const { idx, left } = plot.cursor;
    if (idx === null || idx === undefined || left === undefined || left < 0) {
      this.hint.hidden = true;
      return;
    }
    const at = significant(plot.data[0][idx], 5);
    const rows: Node[] = [h('b', {}, `${at} ${this.look.along ?? 's'}`)];
    this.look.names.forEach((name, k) => {
      const value = plot.data[k + 1][idx];
      if (this.hidden.has(name) || rows.length > 36) return;
      rows.push(
        h('i', { style: `background:${this.colour(k)}` }),
        h('span', {}, name),
        h('em', {}, value === null || value === undefined ? '–' : significant(value, 4)),
      );
    });
    replace(this.hint, ...rows);
    this.hint.hidden = false;
    const x = plot.over.offsetLeft + left;
    const right = x < this.element.clientWidth / 2;
    this.hint.style.left = right ? `${x + 14}px` : '';
    this.hint.style.right = right ? '' : `${this.element.clientWidth - x + 14}px`;
    this.hint.style.bottom = '26px';
  }

  private drawSpans(plot: uPlot): void {
    const { ctx, bbox } = plot;
    for (const { from, to } of this.look.spans ?? []) {
      const left = plot.valToPos(from, 'x', true);
      ctx.fillStyle = css('caution-soft');
      ctx.fillRect(left, bbox.top, plot.valToPos(to, 'x', true) - left, bbox.height);
    }
  }

  private drawMarks(plot: uPlot): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
    const stroke = (colour: string, from: [number, number], to: [number, number]): void => {
      ctx.strokeStyle = css(colour);
      ctx.beginPath();
      ctx.moveTo(...from);
      ctx.lineTo(...to);
      ctx.stroke();
    };
    for (const limit of this.look.limits ?? []) {
      const y = plot.valToPos(limit, 'y', true);
      stroke('bad', [bbox.left, y], [bbox.left + bbox.width, y]);
    }
    ctx.font = `${11 * devicePixelRatio}px ${getComputedStyle(document.documentElement).fontFamily}`;
    (this.look.marks ?? []).forEach(({ at, text }, k) => {
      const x = plot.valToPos(at, 'x', true);
      stroke('caution', [x, bbox.top], [x, bbox.top + bbox.height]);
      // a word where there is room for it
      if (this.height < 180) return;
      const late = x > bbox.left + 0.75 * bbox.width;
      ctx.textAlign = late ? 'right' : 'left';
      ctx.fillStyle = css('caution');
      ctx.fillText(
        text,
        x + (late ? -4 : 4) * devicePixelRatio,
        bbox.top + (12 + 14 * (k % 2)) * devicePixelRatio,
      );
    });
    ctx.restore();
  }

  private fit(): void {
    const width = this.element.clientWidth;
    this.seen = width > 0;
    if (this.plot && this.seen && width !== this.plot.width)
      this.plot.setSize({ width, height: this.height });
  }
}

/** Names without what several of them begin with: there is room for few words beside a title. */
export function shortened(names: string[]): string[] {
  if (names.length < 5) return names;
  let common = 0;
  while (names.every((name) => common + 1 < name.length && name[common] === names[0][common]))
    common++;
  return names.map((name) => name.slice(common));
}

/** A name of a line, which hides it and shows it again. */
export function key(
  name: string,
  colour: string,
  off: boolean,
  act: () => void,
  title = name,
): HTMLElement {
  return h(
    'button',
    { class: off ? 'off' : '', 'aria-pressed': String(!off), onclick: act, title },
    h('i', { style: `background:${colour}` }),
    name,
  );
}

/** Numbers over an axis of their own: spectra, histograms, singular values. */
export class CurvePlot extends LinePlot {
  constructor(
    look: PlotLook,
    private readonly x: number[],
    private readonly lines: (number | null)[][],
    height = 128,
    withKeys = true,
  ) {
    super(look, height, withKeys);
    this.make();
  }

  protected override get wholeBands(): boolean {
    return true;
  }

  protected override made(): void {
    const positive = (y: number | null): number | null =>
      y !== null && (!this.look.log || y > 0) ? y : null;
    this.setData([this.x, ...this.lines.map((line) => line.map(positive))]);
  }
}

/** A number of an axis: without needless zeros. */
const short = (x: number): string => significant(Number(x.toPrecision(6))).replace(/\.?0+e/, 'e');

/** The unit stands at the last number. */
const withUnit = (numbers: string[], unit: string): string[] =>
  numbers.map((text, k) => (k === numbers.length - 1 && unit ? `${text} ${unit}` : text));

/** A range with some air, and never of no height. */
function range(
  low: number | null,
  high: number | null,
  limits: number[],
  ticks: { at: number }[] = [],
  [lowest, highest]: [number, number] = [-Infinity, Infinity],
): [number, number] {
  if (ticks.length > 0) {
    const at = ticks.map((t) => t.at);
    return [Math.min(...at) - 0.4, Math.max(...at) + 0.6];
  }
  if (low === null || high === null || !Number.isFinite(low + high)) return [0, 1];
  const least = clamp(Math.min(low, ...limits), lowest, highest);
  const most = clamp(Math.max(high, ...limits), lowest, highest);
  // what does not move is not blown up to fill the plot
  const air = Math.max(0.08 * (most - least), 1e-3 * Math.max(Math.abs(least), Math.abs(most)));
  return [least - (air || 1e-6), most + (air || 1e-6)];
}

/** What a logarithmic axis names: decades, and where they are few, twice and five times of each. */
function roundNumbers(low: number, high: number): number[] {
  const digits = high / low > 300 ? [1] : [1, 2, 5];
  const list: number[] = [];
  for (let k = Math.floor(Math.log10(low)); k <= Math.log10(high); k++)
    list.push(...digits.map((digit) => Number(`${digit}e${k}`)));
  return list.filter((y) => y >= low && y <= high);
}

/** The same of a logarithmic axis, of five decades at most: what is below them is as good as zero. */
function decades(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !(high > 0)) return [0.1, 1];
  return [Math.min(Math.max(low, 1e-5 * high), 0.5 * high) / 1.2, high * 1.3];
}
