/** Rows of numbers over time; grows at its end, and forgets its beginning if it shall. */
export class Track {
  private times = new Float64Array(64);
  private rows: Float32Array;
  private first = 0; // rows before it are forgotten
  private last = 0;

  constructor(readonly width: number) {
    this.rows = new Float32Array(64 * width);
  }

  get size(): number {
    return this.last - this.first;
  }
  get begin(): number {
    return this.size > 0 ? this.times[this.first] : 0;
  }
  get end(): number {
    return this.size > 0 ? this.times[this.last - 1] : 0;
  }

  time(i: number): number {
    return this.times[this.first + i];
  }
  row(i: number): Float32Array {
    const at = (this.first + i) * this.width;
    return this.rows.subarray(at, at + this.width);
  }

  append(time: number, row: Float32Array): void {
    if (row.length !== this.width) return;
    if (this.size > 0 && time < this.end) this.clear(); // the clock was set back: another run
    this.makeRoom(1);
    this.times[this.last] = time;
    this.rows.set(row, this.last * this.width);
    this.last++;
  }

  /** Rows that follow those that are there. */
  appendBlock(times: Float64Array, rows: Float32Array): void {
    if (rows.length !== times.length * this.width || times.length === 0) return;
    if (this.size > 0 && times[0] <= this.end) this.clear(); // another run
    this.makeRoom(times.length);
    this.times.set(times, this.last);
    this.rows.set(rows, this.last * this.width);
    this.last += times.length;
  }

  clear(): void {
    this.first = this.last = 0;
  }

  /** Forgets what is older than so many seconds before the end. */
  keep(seconds: number): void {
    const since = this.end - seconds;
    while (this.first < this.last && this.times[this.first] < since) this.first++;
  }

  /** The last row at or before a time, as an index; the first row if all are later; -1 if there are none. */
  at(time: number): number {
    let [low, high] = [this.first, this.last];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return this.size === 0 ? -1 : Math.max(low - 1 - this.first, 0);
  }

  /** Writes the row at a time, between two rows by straight lines. */
  interpolate(time: number, out: Float64Array): boolean {
    const i = this.at(time);
    if (i < 0 || out.length !== this.width) return false;
    const here = this.row(i);
    const next = i + 1 < this.size ? this.row(i + 1) : here;
    const span = i + 1 < this.size ? this.time(i + 1) - this.time(i) : 0;
    const share = span > 0 ? Math.min(Math.max((time - this.time(i)) / span, 0), 1) : 0;
    for (let k = 0; k < this.width; k++) out[k] = (1 - share) * here[k] + share * next[k];
    return true;
  }

  /** All that is kept, as arrays of their own. */
  block(): { times: Float64Array; rows: Float32Array } {
    return {
      times: this.times.slice(this.first, this.last),
      rows: this.rows.slice(this.first * this.width, this.last * this.width),
    };
  }

  private makeRoom(more: number): void {
    const size = this.size;
    if (this.last + more <= this.times.length) return;
    if (this.first > size && size + more <= this.times.length) {
      this.times.copyWithin(0, this.first, this.last);
      this.rows.copyWithin(0, this.first * this.width, this.last * this.width);
    } else {
      const { times, rows } = this.block();
      const room = Math.max(2 * (size + more), 64);
      this.times = new Float64Array(room);
      this.rows = new Float32Array(room * this.width);
      this.times.set(times);
      this.rows.set(rows);
    }
    this.first = 0;
    this.last = size;
  }
}
