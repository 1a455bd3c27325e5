import * as THREE from 'three';
import type { Palette } from '../theme.ts';

const vertex = `
varying vec2 place;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xy;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

// lines one pixel wide at any distance, fading where they would be too dense and away from the robot
const fragment = `
varying vec2 place;
uniform vec3 ink;
uniform float strength, step, reach;
uniform vec2 centre;
float line(vec2 at, float spacing) {
  vec2 cell = at / spacing, width = fwidth(cell);
  vec2 near = abs(fract(cell - 0.5) - 0.5) / max(width, 1e-6);
  vec2 density = clamp(1.0 - 2.0 * width, 0.0, 1.0);
  vec2 shade = clamp(1.0 - near, 0.0, 1.0) * density;
  return max(shade.x, shade.y);
}
void main() {
  float far = length(place - centre) / reach;
  float fade = 1.0 - smoothstep(0.15, 1.0, far);
  float shade = max(0.45 * line(place, step), line(place, 5.0 * step)) * fade * strength;
  if (shade < 0.003) discard;
  gl_FragColor = vec4(ink, shade);
}`;

/** A grid that fades with distance, and the shadows on it. */
export class Floor {
  readonly group = new THREE.Group();
  private readonly grid: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private readonly shade: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;

  constructor() {
    const uniforms = {
      ink: { value: new THREE.Color() },
      strength: { value: 0.5 },
      step: { value: 0.1 },
      reach: { value: 5 },
      centre: { value: new THREE.Vector2() },
    };
    const plane = new THREE.PlaneGeometry(1, 1);
    this.grid = new THREE.Mesh(
      plane,
      new THREE.ShaderMaterial({
        vertexShader: vertex,
        fragmentShader: fragment,
        uniforms,
        transparent: true,
        depthWrite: false,
        side: THREE.DoubleSide,
      }),
    );
    this.shade = new THREE.Mesh(
      plane,
      new THREE.ShadowMaterial({ opacity: 0.2, depthWrite: false }),
    );
    this.shade.receiveShadow = true;
    this.grid.renderOrder = -1;
    this.shade.renderOrder = -2;
    this.group.add(this.shade, this.grid);
  }

  dress(palette: Palette): void {
    this.grid.material.uniforms['ink'].value.set(palette.gridLine);
    this.grid.material.uniforms['strength'].value = palette.dark ? 0.42 : 0.4;
    this.shade.material.opacity = palette.dark ? 0.5 : 0.22;
  }

  /** Lies under a box, or at z = 0 if the box reaches about there. */
  fit(box: THREE.Box3, size: number): void {
    const height =
      box.min.z > -0.03 * size && box.min.z < 0.3 * size
        ? Math.min(box.min.z, 0)
        : box.min.z - 0.04 * size;
    const rough = size / 12;
    const decade = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((d) => d * decade).find((s) => s >= rough) ?? decade;
    const extent = 14 * size;
    for (const mesh of [this.grid, this.shade]) {
      mesh.position.set(0, 0, height - 0.0005 * size);
      mesh.scale.set(extent, extent, 1);
    }
    const { uniforms } = this.grid.material;
    uniforms['step'].value = step;
    uniforms['reach'].value = 3.2 * size;
    const centre = box.getCenter(new THREE.Vector3());
    uniforms['centre'].value.set(centre.x, centre.y);
  }

  get height(): number {
    return this.shade.position.z;
  }
}
