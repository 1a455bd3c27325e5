import { RobotState } from './robot/robot_state.ts';
import { encodeArrows, encodeBlock, type Arrows, type BinaryMessage } from './stream/binary.ts';
import type {
  Channels,
  Diagnostics,
  Hello,
  Live,
  Message,
  MessageOf,
  Report,
  Scene,
  Shape,
} from './stream/messages.ts';
import { LiveHistory } from './time/live_history.ts';
import { Clock } from './time/clock.ts';
import { Track } from './time/track.ts';
import { Signal } from './util/signal.ts';

const kept = 60; // seconds of what arrives live
const keptArrows = 20000;
const hung = LiveHistory.columns.indexOf('truth');

/** All that the page knows: what arrived, and what is shown of it. Panels and the scene read it. */
export class Session {
  readonly clock = new Clock();
  readonly hello = new Signal<Hello | null>(null);
  readonly scene = new Signal<Scene | null>(null);
  readonly robots = new Signal<RobotState[]>([]);
  readonly channels = new Signal<Channels | null>(null);
  readonly diagnostics = new Signal<Diagnostics | null>(null);
  readonly live = new Signal<Live | null>(null);
  readonly report = new Signal<Report | null>(null);
  readonly error = new Signal<string>('');
  readonly ik = new Signal<MessageOf<'ik'> | null>(null);
  readonly pose = new Signal<MessageOf<'pose'> | null>(null);
  readonly ended = new Signal(0);
  /** Counts changes of what is shown: poses, torques, arrows. */
  readonly shown = new Signal(0);
  table = new Track(0);
  readonly history = new LiveHistory();
  arrows: Arrows[] = [];
  /** While a pose that was set by hand is shown instead of that of the time. */
  posed = false;
  /** Where the robot of the playground was told to go. */
  goal: Float64Array | null = null;
  /** The messages that describe the scene, as they came: an export repeats them. */
  private description: { hello?: object; scene?: object; channels?: object; diagnostics?: object } =
    {};

  constructor() {
    this.clock.time.changed(() => {
      this.posed = false;
    });
    this.clock.playing.changed((playing) => {
      if (playing) this.posed = false;
    });
  }

  get fixed(): Shape[] {
    return this.scene.value?.fixed ?? [];
  }
  get isLive(): boolean {
    const mode = this.hello.value?.mode;
    return mode === 'live' || mode === 'feed';
  }
  can(what: string): boolean {
    return this.hello.value?.can.includes(what) ?? false;
  }
  robot(id: number): RobotState | undefined {
    return this.robots.value.find((r) => r.robot.id === id);
  }
  /** The one that panels speak of: the first that is no ghost, rather a robot than a loose body. */
  get main(): RobotState | undefined {
    const solid = this.robots.value.filter((r) => !r.robot.ghost);
    return solid.find((r) => !r.isLoose) ?? solid[0] ?? this.robots.value[0];
  }

  receive(message: Message): void {
    switch (message.type) {
      case 'hello':
        this.description = { hello: message };
        this.hello.value = message;
        break;
      case 'scene':
        this.description = { ...this.description, scene: message };
        delete this.description.channels;
        this.clearTracks();
        this.scene.value = message;
        this.robots.value = message.robots.map((robot) => new RobotState(robot));
        this.channels.value = null;
        this.error.value = '';
        if (this.isLive) this.clock.follow();
        this.changed();
        break;
      case 'channels':
        this.description.channels = message;
        if (message.groups.length === 0) {
          this.channels.value = null;
          break;
        }
        this.table = new Track(message.groups.reduce((sum, group) => sum + group.series.length, 0));
        this.channels.value = message;
        break;
      case 'diagnostics':
        this.description.diagnostics = message;
        this.diagnostics.value = message;
        break;
      case 'report':
        this.report.value = message;
        break;
      case 'pose':
        this.pose.value = message;
        break;
      case 'ik':
        this.ik.value = message;
        break;
      case 'live':
        this.history.add(message);
        this.live.value = message;
        break;
      case 'end':
        if (message.reason) this.error.value = message.reason;
        this.ended.value++;
        break;
      case 'error':
        this.error.value = message.message;
        break;
    }
  }

  receiveBinary(message: BinaryMessage): void {
    switch (message.kind) {
      case 'state':
        this.robot(message.robot)?.record(Float64Array.of(message.time), message.q.slice());
        this.robot(message.robot)?.track.keep(kept);
        break;
      case 'track':
        this.robot(message.robot)?.record(message.times, message.rows.slice());
        break;
      case 'values':
        this.table.append(message.time, message.values);
        this.table.keep(kept);
        break;
      case 'table':
        if (message.width === this.table.width) this.table.appendBlock(message.times, message.rows);
        break;
      case 'trail': {
        const robot = this.robot(message.robot);
        if (robot) robot.trail = message.points.slice();
        break;
      }
      case 'arrows':
        this.addArrows(message);
        break;
      case 'arrow-log':
        message.samples.forEach((sample) => this.addArrows(sample));
        break;
    }
    this.extendTime();
    this.changed();
  }

  /** Shows a pose by hand. */
  setPose(id: number, q: ArrayLike<number>): void {
    if (!this.posed) this.clock.play(false);
    this.posed = true;
    this.robot(id)?.show(q);
    this.changed();
  }

  /** Brings robots where they are at the time shown. */
  showTime(): void {
    if (this.posed) return;
    const { time } = this.clock;
    for (const robot of this.robots.value) robot.showAt(time.value);
  }

  /** Arrows at the time shown. */
  arrowsNow(): Float32Array | null {
    const time = this.clock.time.value;
    let [low, high] = [0, this.arrows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.arrows[middle].time <= time) low = middle + 1;
      else high = middle;
    }
    return low > 0 ? this.arrows[low - 1].arrows : null;
  }

  /** The mass that hung on the robot at the time shown, kg; 0 if nothing is known of one. */
  hungNow(): number {
    const { track } = this.history;
    const i = track.at(this.clock.time.value);
    const live = this.live.value?.payload?.true;
    const mass = this.clock.following.value || i < 0 ? live : track.row(i)[hung];
    return mass !== undefined && mass > 0 ? mass : 0;
  }

  clearTracks(): void {
    for (const robot of this.robots.value) {
      robot.track.clear();
      robot.trail = new Float32Array(0);
    }
    this.table.clear();
    this.history.clear();
    this.arrows = [];
    this.posed = false;
    this.goal = null;
    this.clock.range.value = null;
    this.clock.time.value = 0;
    this.clock.playing.value = false;
    this.clock.following.value = false;
  }

  /** What a page that shows the same without a server needs. */
  recorded(): { messages: object[]; binary: ArrayBuffer[] } {
    const { hello, scene, channels, diagnostics } = this.description;
    const still = { ...hello, mode: 'log', can: [], robots: [] };
    const present = structuredClone(scene) as Scene | undefined;
    present?.robots.forEach((r) => (r.q = [...(this.robot(r.id)?.q ?? r.q)]));
    const messages = [still, present, channels, diagnostics].filter((m) => m !== undefined);
    const binary: ArrayBuffer[] = [];
    for (const { robot, track } of this.robots.value)
      if (track.size > 0)
        binary.push(
          encodeBlock({ kind: 'track', robot: robot.id, width: robot.nq, ...track.block() }),
        );
    if (this.table.size > 0)
      binary.push(
        encodeBlock({ kind: 'table', robot: 0, width: this.table.width, ...this.table.block() }),
      );
    if (this.arrows.length > 0) binary.push(encodeArrows(this.arrows));
    return { messages, binary };
  }

  private addArrows(sample: Arrows): void {
    if (this.arrows.length > 0 && sample.time < this.arrows[this.arrows.length - 1].time)
      this.arrows = [];
    this.arrows.push(sample);
    if (this.isLive && this.arrows.length > keptArrows) this.arrows.splice(0, keptArrows / 2);
  }

  private extendTime(): void {
    let [begin, end] = [Infinity, -Infinity];
    for (const track of [this.table, ...this.robots.value.map((r) => r.track)]) {
      if (track.size === 0) continue;
      begin = Math.min(begin, track.begin);
      end = Math.max(end, track.end);
    }
    if (begin > end) return;
    const { clock } = this;
    const before = clock.range.value;
    if (before && before.begin === begin && before.end === end) return;
    clock.range.value = { begin, end };
    if (!before) {
      clock.time.value = this.isLive ? end : begin;
      if (this.isLive) clock.follow();
    } else if (clock.following.value) clock.time.value = end;
  }

  private changed(): void {
    this.shown.value++;
  }
}
