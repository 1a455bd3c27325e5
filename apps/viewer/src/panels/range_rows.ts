import type { Estimate } from '../stream/messages.ts';
import { clamp, significant } from '../util/format.ts';
import { h, setText } from '../util/dom.ts';

/** Estimates as ranges of two deviations beside the truth, one a row, on a scale of their own that does not jump. */
export class RangeRows {
  readonly element = h('div', { class: 'ranges' });
  private readonly rows = new Map<string, Row>();

  constructor(
    private readonly unit: string,
    private readonly kind = '',
  ) {}

  show(estimates: (Estimate & { name: string })[]): void {
    for (const { name } of estimates)
      if (!this.rows.has(name)) {
        const row = new Row(name, this.unit, this.kind);
        this.rows.set(name, row);
        this.element.append(...row.parts);
      }
    for (const [name, row] of this.rows) {
      const estimate = estimates.find((e) => e.name === name);
      row.show(estimate ?? null);
    }
  }

  clear(): void {
    this.rows.clear();
    this.element.replaceChildren();
  }
}

class Row {
  readonly parts: HTMLElement[];
  private readonly band = h('i', { class: 'band' });
  private readonly dot = h('i', { class: 'dot' });
  private readonly truth = h('i', { class: 'truth' });
  private readonly figure = h('b');
  private readonly deviation = h('small');
  private low = Infinity;
  private high = -Infinity;

  constructor(
    name: string,
    private readonly unit: string,
    kind: string,
  ) {
    this.parts = [
      h('span', { class: 'name', title: name }, name),
      h('div', { class: `range ${kind}` }, this.band, this.truth, this.dot),
      h('span', { class: 'figure' }, this.figure, ' ', this.deviation),
    ];
  }

  show(given: Estimate | null): void {
    for (const part of this.parts) part.hidden = given === null;
    if (!given) return;
    const { true: truth, estimate, deviation } = given;
    this.widen(
      [truth, estimate, estimate - 2 * deviation, estimate + 2 * deviation].filter(Number.isFinite),
    );
    const at = (x: number): number =>
      100 * clamp((x - this.low) / (this.high - this.low || 1), 0, 1);
    this.put(this.truth, truth, at);
    this.put(this.dot, estimate, at);
    const known = Number.isFinite(estimate) && Number.isFinite(deviation);
    this.band.hidden = !known;
    if (known) {
      const left = at(estimate - 2 * deviation);
      this.band.style.left = `${left}%`;
      this.band.style.width = `${Math.max(at(estimate + 2 * deviation) - left, 0.5)}%`;
    }
    setText(this.figure, significant(estimate));
    setText(this.deviation, known ? `± ${significant(2 * deviation, 2)} ${this.unit}` : this.unit);
  }

  private put(mark: HTMLElement, x: number, at: (x: number) => number): void {
    mark.hidden = !Number.isFinite(x);
    if (!mark.hidden) mark.style.left = `${at(x)}%`;
  }

  /** The scale grows at once and shrinks slowly towards what is shown. */
  private widen(values: number[]): void {
    if (values.length === 0) return;
    const air = Math.max(
      0.15 * (Math.max(...values) - Math.min(...values)),
      0.02 * Math.max(...values.map(Math.abs)),
      1e-6,
    );
    const low = Math.min(...values) - air;
    const high = Math.max(...values) + air;
    const slow = 0.04;
    this.low =
      low < this.low || !Number.isFinite(this.low) ? low : this.low + slow * (low - this.low);
    this.high =
      high > this.high || !Number.isFinite(this.high)
        ? high
        : this.high + slow * (high - this.high);
  }
}
