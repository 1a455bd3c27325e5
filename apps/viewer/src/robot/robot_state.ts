import type { Robot } from '../stream/messages.ts';
import { Track } from '../time/track.ts';
import { coordinatesOf, type Coordinate } from './coordinates.ts';
import { Kinematics } from './kinematics.ts';

/** A robot that is shown: what it is, where it is, and where it was. */
export class RobotState {
  readonly kinematics: Kinematics;
  readonly coordinates: Coordinate[];
  readonly q: Float64Array;
  readonly track: Track;
  /** Torques that hold the pose, as the server computed them; empty if unknown. */
  gravityTorque: number[] = [];
  trail = new Float32Array(0);
  /** False while a track has it nowhere: its numbers there are NaN. */
  present = true;
  private readonly next: Float64Array;
  private readonly quaternions: number[];

  constructor(readonly robot: Robot) {
    this.kinematics = new Kinematics(robot);
    this.coordinates = coordinatesOf(robot);
    this.q = Float64Array.from(robot.q);
    this.next = new Float64Array(robot.nq);
    this.track = new Track(robot.nq);
    this.quaternions = robot.joints
      .filter((j) => j.q >= 0 && (j.type === 'ball' || j.type === 'floating'))
      .map((j) => (j.type === 'ball' ? j.q : j.q + 3));
  }

  /** A body that no joint holds. */
  get isLoose(): boolean {
    const { joints } = this.robot;
    return joints.length === 1 && joints[0].type === 'floating';
  }

  record(times: Float64Array, rows: Float32Array): void {
    if (rows.length !== times.length * this.robot.nq) return;
    this.alignQuaternions(rows);
    this.track.appendBlock(times, rows);
  }

  show(q: ArrayLike<number>): void {
    if (q.length !== this.q.length) return;
    this.present = true;
    this.q.set(q);
    this.kinematics.set(this.q);
  }

  showAt(time: number): void {
    if (!this.track.interpolate(time, this.next)) return;
    this.present = this.next.every(Number.isFinite);
    if (this.present) this.show(this.next);
  }

  /** Of the two quaternions that mean the same, the one nearer to that of the row before: between them lie straight lines. */
  private alignQuaternions(rows: Float32Array): void {
    if (this.quaternions.length === 0) return;
    let before =
      this.track.size > 0 ? this.track.row(this.track.size - 1) : rows.subarray(0, this.robot.nq);
    for (let start = 0; start < rows.length; start += this.robot.nq) {
      const row = rows.subarray(start, start + this.robot.nq);
      for (const at of this.quaternions) {
        let dot = 0;
        for (let i = at; i < at + 4; i++) dot += row[i] * before[i];
        if (dot < 0) for (let i = at; i < at + 4; i++) row[i] = -row[i];
      }
      before = row;
    }
  }
}
