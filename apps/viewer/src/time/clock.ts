import { Signal } from '../util/signal.ts';
import { clamp } from '../util/format.ts';

/** The time that is shown: it stands, plays, or follows what arrives. */
export class Clock {
  readonly time = new Signal(0);
  readonly playing = new Signal(false);
  readonly following = new Signal(false);
  readonly speed = new Signal(1);
  readonly loop = new Signal(true);
  readonly range = new Signal<{ begin: number; end: number } | null>(null);

  play(on: boolean): void {
    const range = this.range.value;
    if (!range) return;
    if (on && !this.following.value && this.time.value >= range.end) this.time.value = range.begin;
    this.playing.value = on;
    if (!on) this.following.value = false;
  }

  /** Goes to a time and stands there, unless it plays. */
  go(time: number): void {
    const range = this.range.value;
    if (!range) return;
    this.following.value = false;
    this.time.value = clamp(time, range.begin, range.end);
  }

  /** Shows what arrives, as it arrives. */
  follow(): void {
    this.following.value = true;
    this.playing.value = true;
    if (this.range.value) this.time.value = this.range.value.end;
  }

  tick(seconds: number): void {
    const range = this.range.value;
    if (!range || !this.playing.value) return;
    if (this.following.value) {
      this.time.value = range.end;
      return;
    }
    const next = this.time.value + seconds * this.speed.value;
    if (next < range.end) this.time.value = Math.max(next, range.begin);
    else if (this.loop.value) this.time.value = range.begin;
    else {
      this.time.value = range.end;
      this.playing.value = false;
    }
  }
}
