import * as THREE from 'three';
import type { Pose } from '../robot/pose.ts';
import type { Palette } from '../theme.ts';

/** What hangs on the robot of the playground: a cube that stands on a frame. */
export class Weight {
  readonly group = new THREE.Group();

  constructor(palette: Palette) {
    const cube = new THREE.Mesh(
      new THREE.BoxGeometry(1, 1, 1).translate(0, 0, 0.5),
      new THREE.MeshStandardMaterial({ color: palette.warm, roughness: 0.55 }),
    );
    cube.castShadow = true;
    this.group.add(cube);
    this.group.visible = false;
  }

  /** Hides it without a frame, or if it has no size. */
  show(frame: Pose | null, edge: number): void {
    this.group.visible = frame !== null && edge > 0;
    if (!frame || !this.group.visible) return;
    this.group.position.copy(frame.p);
    this.group.quaternion.copy(frame.q);
    this.group.scale.setScalar(edge);
  }
}
