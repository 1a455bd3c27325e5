import type uPlot from 'uplot';
import type { Clock } from '../time/clock.ts';
import type { Track } from '../time/track.ts';
import { h } from '../util/dom.ts';
import { LinePlot, type PlotLook } from './line_plot.ts';

export interface PlotData extends PlotLook {
  columns: number[];
  table(): Track;
}

const mostPoints = 20000;

/**
 * Lines over time. A line marks the time that is shown; a click, or a drag, goes to the time under the
 * pointer, and while the time stands still it follows the pointer.
 */
export class TimePlot extends LinePlot {
  private readonly now = h('div', { class: 'now', hidden: true });
  private drawn = { size: -1, end: NaN, at: 0 };
  private before: number | null = null; // the time that was shown before the pointer came

  constructor(
    private readonly data: PlotData,
    private readonly clock: Clock,
    height = 128,
    withKeys = true,
  ) {
    super(data, height, withKeys);
    this.over.append(this.now);
    this.element.addEventListener('pointerleave', () => this.leave());
    this.make();
  }

  /** Draws again if there is more to draw, and moves the line that marks the time. */
  update(table: Track): void {
    if (!this.plot || !this.seen) return;
    const { drawn } = this;
    const due = performance.now() - drawn.at > 90;
    if (due && (drawn.size !== table.size || drawn.end !== table.end)) this.fill(table);
    this.mark();
  }

  protected override made({ over }: uPlot): void {
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
    this.update(this.data.table());
  }

  private fill(table: Track): void {
    this.drawn = { size: table.size, end: table.end, at: performance.now() };
    const step = Math.max(1, Math.ceil(table.size / mostPoints));
    const count = Math.ceil(table.size / step);
    const columns = [
      new Float64Array(count),
      ...this.data.columns.map(() => new Array<number | null>(count)),
    ];
    const drawable = (y: number): boolean => Number.isFinite(y) && (!this.data.log || y > 0);
    for (let i = 0; i < count; i++) {
      columns[0][i] = table.time(i * step);
      const row = table.row(i * step);
      this.data.columns.forEach((column, k) => {
        columns[k + 1][i] = drawable(row[column]) ? row[column] : null;
      });
    }
    this.setData(columns);
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
    if (this.before !== null && !this.clock.playing.value) this.clock.go(this.before);
    this.before = null;
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
}
