import * as THREE from 'three';
import type { Palette } from '../theme.ts';
import { mark } from './materials.ts';

const turns = 14;
const perTurn = 14;

/** A coil spring between two points: what pulls on the robot. */
export class Spring {
  readonly group = new THREE.Group();
  private readonly coil: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  private readonly ends: THREE.Mesh[];

  constructor(
    palette: Palette,
    private readonly reach: number,
  ) {
    const material = new THREE.MeshStandardMaterial({
      color: palette.warm,
      roughness: 0.35,
      metalness: 0.4,
      emissive: palette.warm,
      emissiveIntensity: 0.25,
    });
    this.coil = new THREE.Mesh(this.unitCoil(), material);
    this.coil.castShadow = true;
    this.coil.frustumCulled = false;
    this.ends = [0, 1].map(
      () =>
        new THREE.Mesh(
          new THREE.SphereGeometry(0.014 * reach, 20, 14),
          mark(palette.warm, 1, false),
        ),
    );
    this.group.add(this.coil, ...this.ends);
    this.group.visible = false;
  }

  between(from: THREE.Vector3, to: THREE.Vector3): void {
    const way = to.clone().sub(from);
    const length = way.length();
    this.group.visible = true;
    this.ends[0].position.copy(from);
    this.ends[1].position.copy(to);
    this.coil.visible = length > 0.02 * this.reach;
    this.coil.position.copy(from);
    if (length > 0)
      this.coil.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), way.normalize());
    const thin = 1 / Math.sqrt(1 + (2 * length) / this.reach);
    this.coil.scale.set(thin, thin, length);
  }

  hide(): void {
    this.group.visible = false;
  }

  /** Along z from 0 to 1, with straight ends. */
  private unitCoil(): THREE.BufferGeometry {
    const radius = 0.022 * this.reach;
    const points: THREE.Vector3[] = [new THREE.Vector3(0, 0, 0), new THREE.Vector3(0, 0, 0.06)];
    for (let k = 0; k <= turns * perTurn; k++) {
      const a = (2 * Math.PI * k) / perTurn;
      points.push(
        new THREE.Vector3(
          radius * Math.cos(a),
          radius * Math.sin(a),
          0.08 + (0.84 * k) / (turns * perTurn),
        ),
      );
    }
    points.push(new THREE.Vector3(0, 0, 0.94), new THREE.Vector3(0, 0, 1));
    return new THREE.TubeGeometry(
      new THREE.CatmullRomCurve3(points),
      turns * perTurn,
      0.0035 * this.reach,
      6,
    );
  }
}
