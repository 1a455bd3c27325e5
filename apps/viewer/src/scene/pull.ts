import * as THREE from 'three';
import type { Stage } from './stage.ts';
import type { RobotView } from './robot_view.ts';
import type { Spring } from './spring.ts';

type Send = (message: { link: number; point: number[]; to: number[] } | null) => void;

/**
 * Pulls a link with a pointer: the point that was touched is held by a spring whose other end is under
 * the pointer, in the plane through that point that faces the camera.
 */
export class Pull {
  private held: {
    view: RobotView;
    link: number;
    local: THREE.Vector3;
    plane: THREE.Plane;
    pointer: number;
  } | null = null;
  private readonly to = new THREE.Vector3();

  constructor(
    private readonly stage: Stage,
    private readonly spring: Spring,
    private readonly send: Send,
  ) {}

  get active(): boolean {
    return this.held !== null;
  }

  begin(view: RobotView, hit: { link: number; point: THREE.Vector3 }, event: PointerEvent): void {
    const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.held = {
      view,
      link: hit.link,
      local: view.links[hit.link].worldToLocal(hit.point.clone()),
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(facing, hit.point),
      pointer: event.pointerId,
    };
    this.to.copy(hit.point);
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
  }

  move(event: PointerEvent): void {
    if (!this.held || event.pointerId !== this.held.pointer) return;
    const at = this.stage.ray(event).ray.intersectPlane(this.held.plane, new THREE.Vector3());
    if (at) this.to.copy(at);
  }

  /** Once a frame: the robot moves under the spring, and the server wants to know where it pulls. */
  frame(): void {
    if (!this.held) return;
    const { view, link, local } = this.held;
    view.links[link].updateWorldMatrix(true, false);
    this.spring.between(view.links[link].localToWorld(local.clone()), this.to);
    this.send({ link, point: local.toArray(), to: this.to.toArray() });
    this.stage.invalidate();
  }

  end(event?: PointerEvent): void {
    if (!this.held || (event && event.pointerId !== this.held.pointer)) return;
    this.held = null;
    this.spring.hide();
    this.stage.controls.enabled = true;
    this.send(null);
    this.stage.invalidate();
  }
}
