import type { Meshes } from '../stream/meshes.ts';
import type { Session } from '../session.ts';
import type { World } from '../scene/world.ts';
import type { Choice } from '../panels/page.ts';
import { recordVideo } from './video.ts';
import { pageWith } from './offline_page.ts';
import { save } from './save.ts';

/** What can be taken away: a picture, a video, a page that shows the same without a server. */
export class Exports {
  private stop: (() => void) | null = null;

  constructor(
    private readonly session: Session,
    private readonly choice: Choice,
    private readonly meshes: Meshes,
    private readonly source: string,
    private readonly world: () => World | null,
  ) {}

  async picture(): Promise<void> {
    const world = this.world();
    if (world)
      await this.guarded(async () => save(await world.stage.picture(2560), `${this.name}.png`));
  }

  /** Begins a video, or ends the one that is recorded; of a log, from its beginning to its end. */
  async record(): Promise<void> {
    const world = this.world();
    if (!world) return;
    if (this.stop) return this.stop();
    await this.guarded(async () => {
      const { clock } = this.session;
      const { blob, stop } = recordVideo(world.stage.canvas);
      this.stop = stop;
      this.choice.recording.value = true;
      let forget = (): void => {};
      const whole = clock.range.value && !this.session.isLive;
      const looped = clock.loop.value;
      if (whole) {
        clock.loop.value = false;
        clock.go(clock.range.value!.begin);
        clock.play(true);
        forget = clock.playing.changed((playing) => void (!playing && this.stop?.()));
      }
      const video = await blob;
      this.stop = null;
      forget();
      this.choice.recording.value = false;
      if (whole) clock.loop.value = looped;
      save(video, `${this.name}.webm`);
    });
  }

  async page(): Promise<void> {
    await this.guarded(async () => {
      const { messages, binary } = this.session.recorded();
      const html = pageWith(this.source, { messages, binary, meshes: await this.meshes.raw() });
      save(new Blob([html], { type: 'text/html' }), `${this.name}.html`);
    });
  }

  private get name(): string {
    return (this.session.main?.robot.name ?? 'ulna').replace(/[^\w.-]+/g, '_');
  }

  private async guarded(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (problem) {
      this.session.error.value = `Not exported: ${problem instanceof Error ? problem.message : String(problem)}`;
    }
  }
}
