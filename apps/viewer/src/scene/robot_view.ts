import * as THREE from 'three';
import { Pose } from '../robot/pose.ts';
import type { RobotState } from '../robot/robot_state.ts';
import { ellipsoid, wholeMass } from '../robot/bodies.ts';
import type { Palette } from '../theme.ts';
import { arrowMark, comMark, frameMark, limitMark } from './marks.ts';
import { depthOnly, ghostPaint, mark, paintOf } from './materials.ts';
import { shapeObject, type MeshSource } from './shapes.ts';
import { reachOf, standIn } from './stand_in.ts';

/** What can be shown of a robot or hidden. */
export const layers = [
  'shapes',
  'collisions',
  'frames',
  'axes',
  'limits',
  'masses',
  'inertias',
] as const;
export type Layer = (typeof layers)[number];

/** A robot as objects of the scene: a group per link, moved to where the link is. */
export class RobotView {
  readonly group = new THREE.Group();
  readonly links: THREE.Group[];
  readonly reach: number;
  private readonly parts: Record<Layer, THREE.Object3D[]>;
  private readonly jointMarks: {
    object: THREE.Object3D;
    joint: number;
    pointer: THREE.Object3D | null;
  }[] = [];
  private readonly whole: THREE.Object3D | null;

  constructor(
    readonly state: RobotState,
    private readonly palette: Palette,
    private readonly meshes: MeshSource,
    private readonly onLoad: () => void,
  ) {
    const { robot } = state;
    this.reach = reachOf(robot);
    this.parts = Object.fromEntries(
      layers.map((layer) => [layer, []]),
    ) as unknown as typeof this.parts;
    this.links = robot.links.map((link, k) => {
      const group = new THREE.Group();
      group.name = link.name;
      group.userData['link'] = k;
      this.group.add(group);
      return group;
    });
    const scale = 0.07 * this.reach;
    this.addShapes();
    this.addBodies(scale);
    this.addJoints(scale);
    this.addFrames(scale);
    const whole = wholeMass(robot, state.kinematics);
    this.whole =
      whole && robot.links.filter((l) => l.mass > 0).length > 1
        ? comMark(0.32 * scale, palette.warm)
        : null;
    if (this.whole) this.add('masses', this.group, this.whole);
    this.update();
  }

  /** Shows or hides a layer. */
  show(layer: Layer, on: boolean): void {
    for (const part of this.parts[layer]) part.visible = on;
  }

  /** Moves all objects to where the robot is now. */
  update(): void {
    const { kinematics, q, robot } = this.state;
    kinematics.links.forEach((pose, k) => place(this.links[k], pose));
    for (const { object, joint, pointer } of this.jointMarks) {
      place(object, kinematics.joints[joint]);
      if (!pointer) continue;
      const value = kinematics.value(joint, q);
      if (robot.joints[joint].type === 'prismatic') pointer.position.z = value;
      else pointer.rotation.z = value;
    }
    const whole = this.whole && wholeMass(robot, kinematics);
    if (this.whole && whole) this.whole.position.copy(whole.com);
  }

  /** The pose of a frame, or of a link by its name, in the world. */
  framePose(name: string): Pose | null {
    const { robot, kinematics } = this.state;
    const frame = robot.frames.find((f) => f.name === name);
    if (frame) return new Pose().product(kinematics.links[frame.link], Pose.of(frame.pose));
    const link = robot.links.findIndex((l) => l.name === name);
    return link >= 0 ? new Pose().copy(kinematics.links[link]) : null;
  }

  /** The link's surface that a ray hits first. */
  hit(ray: THREE.Raycaster): { link: number; point: THREE.Vector3; distance: number } | null {
    const solids = this.parts.shapes.filter((part) => part.visible);
    const [first] = ray.intersectObjects(solids, true);
    if (!first) return null;
    for (let at: THREE.Object3D | null = first.object; at; at = at.parent)
      if (typeof at.userData['link'] === 'number')
        return { link: at.userData['link'], point: first.point, distance: first.distance };
    return null;
  }

  /** The box about all shapes. */
  box(): THREE.Box3 {
    this.group.updateMatrixWorld(true);
    const box = new THREE.Box3();
    for (const part of this.parts.shapes) box.union(withoutPlanes(part));
    return box;
  }

  /** Lets a link stand out; -1: none. */
  highlight(link: number): void {
    for (const part of this.parts.shapes)
      part.traverse((object) => {
        if (
          !(object instanceof THREE.Mesh) ||
          !(object.material instanceof THREE.MeshStandardMaterial)
        )
          return;
        let at: THREE.Object3D | null = object;
        while (at && typeof at.userData['link'] !== 'number') at = at.parent;
        object.material.emissive.set(
          at && at.userData['link'] === link ? this.palette.accent : 0x000000,
        );
        object.material.emissiveIntensity = 0.28;
      });
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (!(object instanceof THREE.Mesh) && !(object instanceof THREE.LineSegments)) return;
      object.geometry.dispose();
      for (const material of [object.material].flat()) material.dispose();
    });
    this.group.removeFromParent();
  }

  private add(layer: Layer, parent: THREE.Object3D, object: THREE.Object3D): void {
    this.parts[layer].push(object);
    parent.add(object);
  }

  private addShapes(): void {
    const { robot } = this.state;
    let count = 0; // drawings often share surfaces: each a little larger than the one before, they do not flicker
    robot.links.forEach((link, k) => {
      const ghost = robot.ghost ? ghostPaint(this.tint()) : null;
      const loaded = (): void => {
        if (ghost) this.addDepth(this.links[k]);
        this.onLoad();
      };
      for (const shape of link.visuals)
        this.add(
          'shapes',
          this.links[k],
          shapeObject(
            shape,
            ghost ?? paintOf(shape),
            this.meshes,
            loaded,
            1 + 0.0018 * (count++ % 7),
          ),
        );
      if (link.visuals.length === 0 && !this.rigidlyDrawn(k))
        this.add('shapes', this.links[k], standIn(robot, k, this.reach, ghost));
      if (ghost) this.addDepth(this.links[k]);
      const fence = new THREE.MeshStandardMaterial({
        color: this.palette.warm,
        roughness: 0.9,
        transparent: true,
        opacity: 0.34,
        depthWrite: false,
      });
      for (const shape of link.collisions) {
        const object = shapeObject(shape, fence, this.meshes, this.onLoad);
        object.traverse((part) => {
          part.castShadow = part.receiveShadow = false;
        });
        this.add('collisions', this.links[k], object);
      }
    });
  }

  private tint(): string {
    const { color } = this.state.robot;
    return (color !== null && this.palette.series[color - 1]) || this.palette.ghost;
  }

  /** Before what is translucent is drawn, its depth is: of what lies behind each other, only the front is seen. */
  private addDepth(link: THREE.Group): void {
    const solids: THREE.Mesh[] = [];
    link.traverse(
      (object) => object instanceof THREE.Mesh && object.renderOrder === 0 && solids.push(object),
    );
    for (const solid of solids) {
      solid.renderOrder = 2;
      solid.castShadow = false;
      const depth = new THREE.Mesh(solid.geometry, depthOnly());
      depth.renderOrder = 1;
      solid.add(depth);
    }
  }

  /** True of links without shapes that need none: where others of the robot have shapes, those are mere frames. */
  private rigidlyDrawn(k: number): boolean {
    const { robot } = this.state;
    const drawn = robot.links.filter((l) => l.visuals.length > 0).length;
    if (drawn === 0) return false;
    const carrier = robot.joints.find((j) => j.child === k);
    return !carrier || carrier.type === 'fixed' || robot.links[k].mass === 0;
  }

  private addBodies(scale: number): void {
    this.state.robot.links.forEach((link, k) => {
      const com = new THREE.Vector3(...link.com);
      if (link.mass > 0) {
        const object = comMark(0.22 * scale, this.palette.ink);
        object.position.copy(com);
        this.add('masses', this.links[k], object);
      }
      const axes = ellipsoid(link);
      if (!axes || !link.inertia) return;
      const colour = link.physical ? this.palette.accent : this.palette.bad;
      const solid = new THREE.Mesh(
        new THREE.SphereGeometry(1, 32, 20),
        mark(colour, link.physical ? 0.22 : 0.45, false),
      );
      solid.material.depthWrite = false;
      const rings = new THREE.LineSegments(
        ringsGeometry(),
        new THREE.LineBasicMaterial({
          color: colour,
          transparent: true,
          opacity: 0.8,
          toneMapped: false,
        }),
      );
      const group = new THREE.Group();
      group.add(solid, rings);
      const least = 0.004 * this.reach;
      group.scale.set(
        ...(axes.map((a) => Math.min(Math.max(a, least), 2 * this.reach)) as [
          number,
          number,
          number,
        ]),
      );
      group.position.copy(com);
      const [w, x, y, z] = link.inertia.axes;
      group.quaternion.set(x, y, z, w).normalize();
      this.add('inertias', this.links[k], group);
    });
  }

  private addJoints(scale: number): void {
    this.state.robot.joints.forEach((joint, k) => {
      if (['fixed', 'ball', 'floating'].includes(joint.type)) return;
      const axis = new THREE.Vector3(...joint.axis).normalize();
      const upright = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis);
      const turned = (object: THREE.Object3D): THREE.Group => {
        const inner = new THREE.Group();
        inner.quaternion.copy(upright);
        inner.add(object);
        const outer = new THREE.Group();
        outer.add(inner);
        return outer;
      };
      const axisMark = turned(arrowMark(2.2 * scale, this.palette.accent));
      this.add('axes', this.group, axisMark);
      this.jointMarks.push({ object: axisMark, joint: k, pointer: null });

      const lower = joint.lower?.[0] ?? NaN;
      const upper = joint.upper?.[0] ?? NaN;
      if (!(upper > lower) || upper - lower > 1e3 || joint.type === 'planar') return;
      const { object, pointer } = limitMark(
        joint.type === 'prismatic' ? 'slide' : 'turn',
        lower,
        upper,
        1.1 * scale,
        this.palette,
      );
      const limits = turned(object);
      this.add('limits', this.group, limits);
      this.jointMarks.push({ object: limits, joint: k, pointer });
    });
  }

  private addFrames(scale: number): void {
    const { robot } = this.state;
    robot.links.forEach((_, k) => this.add('frames', this.links[k], frameMark(scale)));
    for (const frame of robot.frames) {
      const object = frameMark(0.8 * scale);
      place(object, Pose.of(frame.pose));
      this.add('frames', this.links[frame.link], object);
    }
  }
}

function place(object: THREE.Object3D, { p, q }: Pose): void {
  object.position.copy(p);
  object.quaternion.copy(q);
}

function withoutPlanes(part: THREE.Object3D): THREE.Box3 {
  const box = new THREE.Box3();
  part.traverse((object) => {
    if (object instanceof THREE.Mesh && !(object.geometry instanceof THREE.PlaneGeometry))
      box.expandByObject(object);
  });
  return box;
}

/** Three great circles of the unit sphere. */
function ringsGeometry(): THREE.BufferGeometry {
  const points: number[] = [];
  const sides = 64;
  const on = (axis: number, k: number): number[] => {
    const a = (2 * Math.PI * k) / sides;
    const p = [0, 0, 0];
    p[(axis + 1) % 3] = Math.cos(a);
    p[(axis + 2) % 3] = Math.sin(a);
    return p;
  };
  for (let axis = 0; axis < 3; axis++)
    for (let k = 0; k < sides; k++) points.push(...on(axis, k), ...on(axis, k + 1));
  return new THREE.BufferGeometry().setAttribute(
    'position',
    new THREE.Float32BufferAttribute(points, 3),
  );
}
