import * as THREE from 'three';
import type { Palette } from '../theme.ts';
import { mark } from './materials.ts';

/** The plan of a tip: a line that fades out, with a point at each step. */
export class PlanTrail {
  readonly group = new THREE.Group();
  private readonly line: THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly points: THREE.InstancedMesh;
  private readonly colour: THREE.Color;
  private static readonly most = 256;

  constructor(palette: Palette, reach: number) {
    const material = new THREE.LineBasicMaterial({
      vertexColors: true,
      transparent: true,
      toneMapped: false,
    });
    this.line = new THREE.Line(new THREE.BufferGeometry(), material);
    this.points = new THREE.InstancedMesh(
      new THREE.SphereGeometry(0.008 * reach, 12, 8),
      mark(palette.accent, 0.9, false),
      PlanTrail.most,
    );
    this.points.count = 0;
    this.points.frustumCulled = this.line.frustumCulled = false;
    this.group.add(this.line, this.points);
    this.colour = new THREE.Color(palette.accent);
  }

  show(points: Float32Array): void {
    const n = Math.min(points.length / 3, PlanTrail.most);
    this.group.visible = n > 1;
    if (n < 2) return;
    const colours = new Float32Array(4 * n);
    const at = new THREE.Matrix4();
    for (let k = 0; k < n; k++) {
      const share = 1 - (0.8 * k) / (n - 1);
      colours.set([this.colour.r, this.colour.g, this.colour.b, share], 4 * k);
      at.makeScale(share, share, share).setPosition(
        points[3 * k],
        points[3 * k + 1],
        points[3 * k + 2],
      );
      this.points.setMatrixAt(k, at);
    }
    this.points.count = n;
    this.points.instanceMatrix.needsUpdate = true;
    const { geometry } = this.line;
    geometry.setAttribute('position', new THREE.BufferAttribute(points.slice(0, 3 * n), 3));
    geometry.setAttribute('color', new THREE.BufferAttribute(colours, 4));
  }
}
