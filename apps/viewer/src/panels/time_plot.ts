import uPlot from 'uplot';
import type { Clock } from '../time/clock.ts';
import type { Track } from '../time/track.ts';
import { palette } from '../theme.ts';
import { fixed, significant } from '../util/format.ts';
import { h, replace } from '../util/dom.ts';

export interface PlotData {
  title: string;
  unit: string;
  names: string[];
  columns: number[];
  /** Pairs of columns between which a band is drawn, by their places in `columns`. */
  bands?: [low: number, high: number][];
  colours?: ('accent' | 'warm')[];
  table(): Track;
}

const mostPoints = 20000;

/**
 * Lines over time. A line marks the time that is shown; a click, or a drag, goes to the time under the
 * pointer, and while the time stands still it follows the pointer.
 */
export class TimePlot {
  readonly element: HTMLElement;
  private plot: uPlot | null = null;
  private readonly box = h('div');
  private readonly now = h('div', { class: 'now', hidden: true });
  private readonly hint = h('div', { class: 'hint', hidden: true });
  private readonly keys = h('span', { class: 'keys' });
  private readonly hidden = new Set<number>();
  private drawn = { size: -1, end: NaN, at: 0 };
  private before: number | null = null; // the time that was shown before the pointer came
  private readonly resize: ResizeObserver;
  private readonly forget: () => void;
  private seen = false; // asking the page itself each time would make it compute its layout

  constructor(
    private readonly data: PlotData,
    private readonly clock: Clock,
    private readonly height = 128,
  ) {
    this.element = h(
      'figure',
      { class: 'plot', style: 'margin:0' },
      h('h3', {}, data.title, h('small', {}, data.unit), this.keys),
      h('div', { style: 'position:relative' }, this.box, this.now),
      this.hint,
    );
    this.resize = new ResizeObserver(() => this.fit());
    this.resize.observe(this.element);
    this.make();
    this.forget = palette.changed(() => this.make());
    this.element.addEventListener('pointerleave', () => this.leave());
  }

  destroy(): void {
    this.resize.disconnect();
    this.forget();
    this.plot?.destroy();
    this.plot = null;
  }

  /** Draws again if there is more to draw, and moves the line that marks the time. */
  update(table: Track): void {
    if (!this.plot || !this.seen) return;
    const { drawn } = this;
    const due = performance.now() - drawn.at > 90;
    if (due && (drawn.size !== table.size || drawn.end !== table.end)) this.fill(table);
    this.mark();
  }

  private fill(table: Track): void {
    this.drawn = { size: table.size, end: table.end, at: performance.now() };
    const step = Math.max(1, Math.ceil(table.size / mostPoints));
    const count = Math.ceil(table.size / step);
    const columns = [
      new Float64Array(count),
      ...this.data.columns.map(() => new Array<number | null>(count)),
    ];
    for (let i = 0; i < count; i++) {
      columns[0][i] = table.time(i * step);
      const row = table.row(i * step);
      this.data.columns.forEach((column, k) => {
        const value = row[column];
        columns[k + 1][i] = Number.isFinite(value) ? value : null;
      });
    }
    this.plot?.setData(columns as uPlot.AlignedData);
  }

  private make(): void {
    this.plot?.destroy();
    const { data } = this;
    const colours = palette.value;
    const style = getComputedStyle(document.documentElement);
    const soft = style.getPropertyValue('--soft');
    const grid = { stroke: style.getPropertyValue('--line'), width: 1 };
    const font = `11px ${style.fontFamily}`;
    const colour = (k: number): string => {
      const name = data.colours?.[k];
      return name ? colours[name] : colours.series[k % colours.series.length];
    };
    const axis = { stroke: soft, grid, ticks: { show: false }, font, gap: 4 };
    this.plot = new uPlot(
      {
        width: Math.max(this.element.clientWidth, 120),
        height: this.height,
        legend: { show: false },
        padding: [6, 6, 0, 0],
        scales: { x: { time: false }, y: { range: (_, low, high) => range(low, high) } },
        axes: [
          { ...axis, size: 20, values: (_, ticks) => ticks.map((t) => `${Number(t.toFixed(6))}`) },
          { ...axis, size: 44, values: (_, ticks) => ticks.map((y) => significant(y)), space: 26 },
        ],
        series: [
          {},
          ...data.names.map((name, k) => ({
            label: name,
            stroke: data.bands?.some((band) => band.includes(k)) ? 'transparent' : colour(k),
            width: 1.5,
            points: { show: false },
            auto: !data.bands?.some((band) => band.includes(k)), // what is unknown at first does not set the scale
            show: !this.hidden.has(k),
          })),
        ],
        bands: (data.bands ?? []).map(([low, high]) => ({
          series: [high + 1, low + 1],
          fill: `${colours.accent}33`,
        })),
        cursor: { drag: { x: false, y: false }, points: { size: 6 }, y: false },
        hooks: { setCursor: [(plot) => this.pointed(plot)] },
      },
      [[], ...data.names.map(() => [])] as unknown as uPlot.AlignedData,
      this.box,
    );
    const over = this.plot.over;
    over.style.cursor = 'crosshair';
    over.addEventListener('pointerdown', (event) => {
      over.setPointerCapture(event.pointerId);
      this.clock.playing.value = false;
      this.before = null;
      this.goTo(event);
    });
    over.addEventListener('pointermove', (event) => {
      if (event.buttons > 0) this.goTo(event);
      else this.preview(event);
    });
    this.drawn = { size: -1, end: NaN, at: 0 };
    this.writeKeys(colour);
    this.update(data.table());
  }

  private writeKeys(colour: (k: number) => string): void {
    const { names, bands } = this.data;
    if (names.length < 2) return;
    replace(
      this.keys,
      ...names.map((name, k) =>
        bands?.some((band) => band.includes(k))
          ? null
          : h(
              'span',
              {
                class: this.hidden.has(k) ? 'off' : '',
                onclick: () => {
                  if (!this.hidden.delete(k)) this.hidden.add(k);
                  this.plot?.setSeries(k + 1, { show: !this.hidden.has(k) });
                  this.writeKeys(colour);
                },
              },
              h('i', { style: `background:${colour(k)}` }),
              name,
            ),
      ),
    );
  }

  private timeUnder(event: PointerEvent): number | null {
    if (!this.plot) return null;
    const { left } = this.plot.over.getBoundingClientRect();
    return this.plot.posToVal(event.clientX - left, 'x');
  }

  private goTo(event: PointerEvent): void {
    const time = this.timeUnder(event);
    if (time !== null) this.clock.go(time);
  }

  /** While the time stands, the scene shows what was under the pointer. */
  private preview(event: PointerEvent): void {
    if (this.clock.playing.value || event.pointerType === 'touch') return;
    const time = this.timeUnder(event);
    if (time === null) return;
    this.before ??= this.clock.time.value;
    this.clock.go(time);
  }

  private leave(): void {
    this.hint.hidden = true;
    if (this.before !== null && !this.clock.playing.value) this.clock.go(this.before);
    this.before = null;
  }

  /** What the lines are worth under the pointer. */
  private pointed(plot: uPlot): void {
    const { idx, left } = plot.cursor;
    if (idx === null || idx === undefined || left === undefined || left < 0) {
      this.hint.hidden = true;
      return;
    }
    const rows: Node[] = [h('b', {}, `${fixed(plot.data[0][idx], 3)} s`)];
    this.data.names.forEach((name, k) => {
      const value = plot.data[k + 1][idx];
      if (this.hidden.has(k) || rows.length > 36) return;
      rows.push(
        h('i', { style: `background:${palette.value.series[k % 8]}` }),
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

  private mark(): void {
    const { plot } = this;
    if (!plot) return;
    const x = plot.valToPos(this.clock.time.value, 'x');
    const area = [plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height].map(
      (x) => x / devicePixelRatio,
    );
    const inside = Number.isFinite(x) && x >= -1 && x <= area[2] + 1 && plot.data[0].length > 1;
    this.now.hidden = !inside;
    if (!inside) return;
    this.now.style.transform = `translate(${(area[0] + x).toFixed(1)}px, ${area[1]}px)`;
    this.now.style.height = `${area[3]}px`;
  }

  private fit(): void {
    const width = this.element.clientWidth;
    this.seen = width > 0;
    if (this.plot && this.seen && width !== this.plot.width)
      this.plot.setSize({ width, height: this.height });
  }
}

/** A range with some air, and never of no height. */
function range(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low + high)) return [0, 1];
  const air = 0.08 * (high - low) || Math.max(0.1 * Math.abs(high), 1e-6);
  return [low - air, high + air];
}
