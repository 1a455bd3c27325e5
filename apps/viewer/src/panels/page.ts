import { Signal } from '../util/signal.ts';
import type { Session } from '../session.ts';
import type { World } from '../scene/world.ts';

/** What is chosen on the page; panels show it and change it. */
export class Choice {
  /** Angles are shown in degrees or radians. */
  readonly degrees = new Signal(true);
  /** The link that is selected, -1 for none. */
  readonly link = new Signal(-1);
  readonly recording = new Signal(false);
  /** On a narrow page, which panel is seen. */
  readonly page = new Signal<Page>('joints');
}
export type Page = 'joints' | 'links' | 'side' | 'plots' | 'check';

/** What every panel works with. */
export interface Context {
  session: Session;
  choice: Choice;
  /** Null where the browser has no WebGL: panels work without it. */
  world: World | null;
  send(message: object): boolean;
  /** A pose that the user sets by hand. */
  pose(q: ArrayLike<number>): void;
  /** Where the robot of the playground shall go; null: back to its usual motion. */
  goal(q: Float64Array | null): void;
}
