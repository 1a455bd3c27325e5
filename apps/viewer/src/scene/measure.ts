import * as THREE from 'three';
import type { Palette } from '../theme.ts';
import { fixed } from '../util/format.ts';
import { Labels } from './labels.ts';
import { mark } from './materials.ts';
import { raise } from './marks.ts';

/** The distance between two points that were picked; each stays on the link that it was picked on. */
export class Measure {
  readonly group = new THREE.Group();
  private readonly points: { carrier: THREE.Object3D; local: THREE.Vector3; ball: THREE.Mesh }[] =
    [];
  private readonly line: THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly ball: THREE.SphereGeometry;

  constructor(
    private readonly palette: Palette,
    reach: number,
    private readonly labels: Labels,
  ) {
    this.line = new THREE.Line(
      new THREE.BufferGeometry(),
      new THREE.LineBasicMaterial({ color: palette.accent, depthTest: false, toneMapped: false }),
    );
    this.line.frustumCulled = false;
    this.ball = new THREE.SphereGeometry(0.009 * reach, 16, 12);
    this.group.add(this.line);
    raise(this.group);
  }

  /** Adds a point in the world; a third begins anew. */
  pick(carrier: THREE.Object3D, point: THREE.Vector3): void {
    if (this.points.length === 2) this.clear();
    const ball = new THREE.Mesh(this.ball, mark(this.palette.accent));
    raise(ball);
    this.group.add(ball);
    this.points.push({ carrier, local: carrier.worldToLocal(point.clone()), ball });
    this.update();
  }

  update(): void {
    const at = this.points.map(({ carrier, local, ball }) => {
      const point = carrier.localToWorld(local.clone());
      ball.position.copy(point);
      return point;
    });
    this.line.visible = at.length === 2;
    if (at.length < 2) return this.labels.remove('measure');
    const [a, b] = at;
    this.line.geometry.setFromPoints([a, b]);
    const way = b.clone().sub(a);
    const millimetres = (x: number): string => fixed(1000 * x, 1);
    this.labels.put(
      'measure',
      a.clone().lerp(b, 0.5),
      `${millimetres(way.length())} mm`,
      `x ${millimetres(way.x)}  y ${millimetres(way.y)}  z ${millimetres(way.z)}`,
    );
  }

  clear(): void {
    for (const { ball } of this.points) ball.removeFromParent();
    this.points.length = 0;
    this.line.visible = false;
    this.labels.remove('measure');
  }
}
