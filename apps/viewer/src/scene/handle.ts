import * as THREE from 'three';
import { TransformControls } from 'three/examples/jsm/controls/TransformControls.js';
import { Pose } from '../robot/pose.ts';
import type { Stage } from './stage.ts';

/** A handle at a frame of the robot that moves and turns the target of the inverse kinematics. */
export class Handle {
  private readonly target = new THREE.Object3D();
  private readonly controls: TransformControls;

  constructor(
    private readonly stage: Stage,
    onMove: (target: Pose) => void,
    onDrag: (on: boolean) => void,
  ) {
    this.controls = new TransformControls(stage.camera, stage.canvas);
    this.controls.setSpace('local');
    this.controls.setSize(0.75);
    this.controls.setColors(0xe5484d, 0x30a46c, 0x3e7bfa, 0xf0b429);
    this.controls.addEventListener('dragging-changed', ({ value }) => {
      stage.controls.enabled = value !== true;
      onDrag(value === true);
    });
    this.controls.addEventListener('change', () => stage.invalidate());
    this.controls.addEventListener('objectChange', () => onMove(this.pose()));
    stage.scene.add(this.target);
  }

  show(at: Pose): void {
    this.target.position.copy(at.p);
    this.target.quaternion.copy(at.q);
    if (this.controls.object) return;
    this.controls.attach(this.target);
    this.stage.scene.add(this.controls.getHelper());
    this.stage.invalidate();
  }

  hide(): void {
    this.controls.detach();
    this.controls.getHelper().removeFromParent();
    this.stage.invalidate();
  }

  get shown(): boolean {
    return this.controls.object !== undefined;
  }
  get dragging(): boolean {
    return this.controls.dragging;
  }
  get hovered(): boolean {
    return this.shown && this.controls.axis !== null;
  }

  set turning(on: boolean) {
    this.controls.setMode(on ? 'rotate' : 'translate');
    this.stage.invalidate();
  }

  pose(): Pose {
    const pose = new Pose();
    pose.p.copy(this.target.position);
    pose.q.copy(this.target.quaternion);
    return pose;
  }

  /** Brings the handle to a target as a pointer would; tests use it. */
  move(to: THREE.Vector3): void {
    this.target.position.copy(to);
    this.controls.dispatchEvent({ type: 'objectChange' } as never);
  }
}
