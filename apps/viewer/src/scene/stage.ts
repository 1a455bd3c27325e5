import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/examples/jsm/environments/RoomEnvironment.js';
import { Floor } from './floor.ts';
import { Pace } from './pace.ts';
import type { Palette } from '../theme.ts';

THREE.Object3D.DEFAULT_UP.set(0, 0, 1);

/** Renderer, camera, light and floor. Draws only when something changed. */
export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 200);
  readonly controls: OrbitControls;
  readonly floor = new Floor();
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.2);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0x8a93a0, 0.55);
  private readonly backdrop = new THREE.Color();
  private dirty = true;
  private readonly pace = new Pace(() => this.drawLess());
  private flight: { from: THREE.Vector3[]; to: THREE.Vector3[]; since: number } | null = null;

  /** Throws where there is no WebGL. */
  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({
      canvas,
      antialias: true,
      preserveDrawingBuffer: true,
    });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;

    const surroundings = new THREE.PMREMGenerator(this.renderer);
    this.scene.environment = surroundings.fromScene(new RoomEnvironment(), 0.04, 0.1, 100, {
      size: 128, // what is reflected is blurred anyway
    }).texture;
    this.scene.environmentRotation.x = Math.PI / 2; // the room stands on z
    surroundings.dispose();

    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 7;
    this.scene.add(this.sun, this.sun.target, this.sky, this.floor.group);
    this.scene.background = this.backdrop;

    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.minDistance = 0.05;
    this.controls.maxDistance = 60;
    this.controls.addEventListener('change', () => this.invalidate());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  invalidate(): void {
    this.dirty = true;
  }

  dress(palette: Palette): void {
    this.backdrop.set(palette.backdrop);
    this.floor.dress(palette);
    this.sky.intensity = palette.dark ? 0.12 : 0.2;
    this.scene.environmentIntensity = palette.dark ? 0.38 : 0.44;
    this.sun.intensity = palette.dark ? 1.5 : 1.5;
    this.invalidate();
  }

  /** Sets light, floor and camera for what is shown. */
  frame(box: THREE.Box3, gently = false): void {
    if (box.isEmpty()) box.set(new THREE.Vector3(-0.5, -0.5, 0), new THREE.Vector3(0.5, 0.5, 1));
    const size = Math.max(box.getSize(new THREE.Vector3()).length(), 0.1);
    const centre = box.getCenter(new THREE.Vector3());
    this.floor.fit(box, size);
    const reach = 1.1 * size;
    this.sun.target.position.copy(centre);
    this.sun.position
      .set(0.45, -0.6, 1.25)
      .normalize()
      .multiplyScalar(3 * reach)
      .add(centre);
    const { camera } = this.sun.shadow;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0.5 * reach;
    camera.far = 6 * reach;
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.006 * reach;

    this.camera.near = size / 80;
    this.camera.far = size * 60;
    const direction = new THREE.Vector3(0.82, -1.05, 0.52).normalize();
    const distance = this.distanceOf(box, direction);
    const to = [centre.clone(), centre.clone().addScaledVector(direction, distance)];
    if (gently)
      this.flight = {
        from: [this.controls.target.clone(), this.camera.position.clone()],
        to,
        since: performance.now(),
      };
    else this.look(to);
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  /** Once per frame of the page; returns true if it drew. */
  draw(): boolean {
    this.fly();
    this.controls.update();
    this.pace.frame(this.dirty);
    if (!this.dirty) return false;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    return true;
  }

  /** The picture as it is, in as many pixels as asked for. */
  async picture(width: number): Promise<Blob> {
    const { renderer, camera } = this;
    const before = renderer.getPixelRatio();
    renderer.setPixelRatio(width / Math.max(this.canvas.clientWidth, 1));
    renderer.render(this.scene, camera);
    const blob = await new Promise<Blob | null>((done) => this.canvas.toBlob(done, 'image/png'));
    renderer.setPixelRatio(before);
    this.invalidate();
    if (!blob) throw new Error('this browser makes no picture of the canvas');
    return blob;
  }

  /** Where a point of the world is on the page, in pixels of the canvas; null behind the camera. */
  project(point: THREE.Vector3): { x: number; y: number } | null {
    const p = point.clone().project(this.camera);
    if (p.z > 1) return null;
    return {
      x: ((p.x + 1) / 2) * this.canvas.clientWidth,
      y: ((1 - p.y) / 2) * this.canvas.clientHeight,
    };
  }

  /** The ray under a pointer. */
  ray(event: { clientX: number; clientY: number }): THREE.Raycaster {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    const at = new THREE.Vector2(
      ((event.clientX - left) / width) * 2 - 1,
      1 - ((event.clientY - top) / height) * 2,
    );
    ray.setFromCamera(at, this.camera);
    return ray;
  }

  /** How far from the middle of a box, in a direction, one sees all of it with a margin. */
  private distanceOf(box: THREE.Box3, direction: THREE.Vector3): number {
    const margin = 1.16;
    const tall = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) / margin;
    const wide = tall * this.camera.aspect;
    const right = new THREE.Vector3().crossVectors(THREE.Object3D.DEFAULT_UP, direction).normalize();
    const up = new THREE.Vector3().crossVectors(direction, right);
    const half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      const corner = new THREE.Vector3(
        k & 1 ? half.x : -half.x,
        k & 2 ? half.y : -half.y,
        k & 4 ? half.z : -half.z,
      );
      const beside = Math.abs(corner.dot(right)) / wide;
      const above = Math.abs(corner.dot(up)) / tall;
      distance = Math.max(distance, corner.dot(direction) + Math.max(beside, above));
    }
    return distance;
  }

  /** Where drawing is slow, first fewer pixels, then no shadows. */
  private drawLess(): boolean {
    if (this.renderer.getPixelRatio() > 1) {
      this.renderer.setPixelRatio(1);
      this.resize();
    } else if (this.sun.castShadow) this.sun.castShadow = false;
    else return false;
    this.invalidate();
    return true;
  }

  private look([target, position]: THREE.Vector3[]): void {
    this.controls.target.copy(target);
    this.camera.position.copy(position);
    this.controls.update();
  }

  private fly(): void {
    if (!this.flight) return;
    const share = Math.min((performance.now() - this.flight.since) / 350, 1);
    const eased = 1 - (1 - share) ** 3;
    this.look(this.flight.from.map((from, i) => from.clone().lerp(this.flight!.to[i], eased)));
    this.invalidate();
    if (share === 1) this.flight = null;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }
}
