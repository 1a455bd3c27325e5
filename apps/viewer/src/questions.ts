import type { Session } from './session.ts';
import { Latest } from './stream/latest.ts';

interface Target {
  frame: string;
  pose: number[];
  positionOnly: boolean;
}

/** What the page asks the server: torques of poses, and poses that reach a target. */
export class Questions {
  private count = 0;
  private readonly poses: Latest<number[]>;
  private readonly targets: Latest<Target>;
  private askedAt = 0;
  private asked: Float64Array | null = null;

  constructor(
    private readonly session: Session,
    readonly send: (message: object) => boolean,
  ) {
    const number = (): number => ++this.count;
    const id = (): number => session.main?.robot.id ?? 0;
    this.poses = new Latest(
      (q, request) => send({ type: 'pose', robot: id(), q, request }),
      number,
    );
    this.targets = new Latest(
      ({ frame, pose, positionOnly }, request) =>
        send({
          type: 'ik',
          robot: id(),
          frame,
          target: pose,
          q: Array.from(session.main?.q ?? []),
          position_only: positionOnly,
          request,
        }),
      number,
    );
    session.pose.changed((answer) => {
      if (!answer) return;
      const robot = session.robot(answer.robot);
      if (robot) robot.gravityTorque = answer.gravity_torque;
      const newest = this.poses.answered(answer.request) && this.poses.idle;
      // joints in loops follow the one that was moved
      if (newest && session.posed && robot && answer.q.length === robot.q.length)
        robot.show(answer.q);
      session.shown.value++;
    });
    session.ik.changed((answer) => {
      if (!answer) return;
      if (session.can('playground')) this.goal(Float64Array.from(answer.q));
      else session.setPose(answer.robot, answer.q);
      this.targets.answered(answer.request);
    });
    session.robots.changed(() => (this.asked = null));
  }

  /** A pose set by hand. */
  pose(q: ArrayLike<number>): void {
    const { main } = this.session;
    if (main) this.session.setPose(main.robot.id, q);
  }

  /** Where the robot of the playground shall go; null: back to its usual motion. */
  goal(q: Float64Array | null): void {
    this.session.goal = q;
    this.send({ type: 'live', do: 'goal', q: q && Array.from(q) });
  }

  reach(frame: string, pose: number[], positionOnly: boolean): void {
    this.targets.put({ frame, pose, positionOnly });
  }

  /** Once a frame: asks for the torques of a pose that changed, ten times a second while it moves by itself. */
  frame(): void {
    const { session } = this;
    const { main } = session;
    if (!main || !session.can('pose')) return;
    const wait = session.posed ? 0 : 100;
    const now = performance.now();
    if (now - this.askedAt < wait || this.asked?.every((x, i) => x === main.q[i])) return;
    this.askedAt = now;
    this.asked = main.q.slice();
    this.poses.put(Array.from(main.q));
  }
}
