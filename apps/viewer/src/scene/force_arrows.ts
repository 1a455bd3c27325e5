import * as THREE from 'three';
import type { Palette } from '../theme.ts';

/** Forces as arrows: the longer and thicker the stronger, the longest as long as a share of the robot. */
export class ForceArrows {
  readonly group = new THREE.Group();
  private strongest = 1; // N, over all that was shown: lengths do not jump
  private readonly material: THREE.MeshStandardMaterial;
  private readonly rod = new THREE.CylinderGeometry(1, 1, 1, 16)
    .rotateX(Math.PI / 2)
    .translate(0, 0, 0.5);
  private readonly head = new THREE.ConeGeometry(2.6, 1, 24)
    .rotateX(Math.PI / 2)
    .translate(0, 0, 0.5);

  constructor(palette: Palette) {
    this.material = new THREE.MeshStandardMaterial({ color: palette.bad, roughness: 0.5 });
  }

  show(arrows: Float32Array | null, reach: number): void {
    const count = arrows ? arrows.length / 6 : 0;
    while (this.group.children.length < count) this.group.add(this.make());
    this.group.children.forEach((arrow, k) => {
      arrow.visible = k < count;
      if (arrows && k < count)
        this.place(arrow as THREE.Group, arrows.subarray(6 * k, 6 * k + 6), reach);
    });
  }

  private make(): THREE.Group {
    const arrow = new THREE.Group();
    for (const geometry of [this.rod, this.head]) {
      const mesh = new THREE.Mesh(geometry, this.material);
      mesh.castShadow = true;
      arrow.add(mesh);
    }
    return arrow;
  }

  private place(arrow: THREE.Group, [px, py, pz, fx, fy, fz]: Float32Array, reach: number): void {
    const force = new THREE.Vector3(fx, fy, fz);
    const size = force.length();
    if (!(size > 0) || !Number.isFinite(size + px + py + pz)) {
      arrow.visible = false;
      return;
    }
    this.strongest = Math.max(this.strongest, size);
    const length = 0.45 * reach * Math.sqrt(size / this.strongest);
    const width = 0.008 * reach;
    const tip = Math.min(5 * width, 0.5 * length);
    arrow.position.set(px, py, pz);
    arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), force.normalize());
    const [rod, head] = arrow.children;
    rod.scale.set(width, width, length - tip);
    head.scale.set(width, width, tip);
    head.position.z = length - tip;
  }
}
