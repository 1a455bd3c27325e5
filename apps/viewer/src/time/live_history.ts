import type { Live } from '../stream/messages.ts';
import { Track } from './track.ts';

/** What the controller reports about itself, over time: error, step times, the payload's estimate and its band. */
export class LiveHistory {
  static readonly columns = ['tracking', 'p50', 'p99', 'payload', 'low', 'high', 'truth'] as const;
  readonly track = new Track(LiveHistory.columns.length);

  add(live: Live): void {
    const payload = live.payload;
    const estimate = payload?.estimate ?? NaN;
    const band = 2 * (payload?.deviation ?? NaN);
    const row = Float32Array.of(
      live.tracking_mrad,
      live.step_us?.p50 ?? NaN,
      live.step_us?.p99 ?? NaN,
      estimate,
      estimate - band,
      estimate + band,
      payload?.true ?? NaN,
    );
    this.track.append(live.time, row);
    this.track.keep(60);
  }

  clear(): void {
    this.track.clear();
  }
}
