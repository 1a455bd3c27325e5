import * as THREE from 'three';
import type { Palette } from '../theme.ts';
import { mark } from './materials.ts';

const red = 0xe5484d;
const green = 0x30a46c;
const blue = 0x3e7bfa;
const zAxis = new THREE.Vector3(0, 0, 1);

/** Thin arrow along z, from behind the origin. */
export function arrowMark(length: number, colour: THREE.ColorRepresentation): THREE.Group {
  const group = new THREE.Group();
  const material = mark(colour, 0.9);
  const rod = new THREE.Mesh(
    new THREE.CylinderGeometry(0.012 * length, 0.012 * length, length, 10).rotateX(Math.PI / 2),
    material,
  );
  const head = new THREE.Mesh(
    new THREE.ConeGeometry(0.05 * length, 0.16 * length, 20).rotateX(Math.PI / 2),
    material,
  );
  head.position.z = length / 2 + 0.06 * length;
  group.add(rod, head);
  raise(group);
  return group;
}

/** Axes of a frame: x red, y green, z blue. */
export function frameMark(length: number): THREE.Group {
  const group = new THREE.Group();
  for (const [colour, direction] of [
    [red, new THREE.Vector3(1, 0, 0)],
    [green, new THREE.Vector3(0, 1, 0)],
    [blue, zAxis],
  ] as const) {
    const rod = new THREE.Mesh(
      new THREE.CylinderGeometry(0.022 * length, 0.022 * length, length, 8)
        .rotateX(Math.PI / 2)
        .translate(0, 0, length / 2),
      mark(colour),
    );
    rod.quaternion.setFromUnitVectors(zAxis, direction);
    group.add(rod);
  }
  raise(group);
  return group;
}

/** A centre of mass: a ball in quarters. */
export function comMark(radius: number, colour: string): THREE.Group {
  const group = new THREE.Group();
  for (const lower of [0, 1])
    for (let k = 0; k < 4; k++) {
      const piece = new THREE.SphereGeometry(
        radius,
        12,
        12,
        (k * Math.PI) / 2,
        Math.PI / 2,
        (lower * Math.PI) / 2,
        Math.PI / 2,
      );
      group.add(new THREE.Mesh(piece, mark((k + lower) % 2 === 0 ? colour : 0xffffff)));
    }
  group.children.forEach(
    (piece) =>
      ((piece as THREE.Mesh<THREE.BufferGeometry, THREE.Material>).material.side = THREE.FrontSide),
  );
  raise(group);
  return group;
}

/** The range of a joint about or along z, and a pointer that is moved to its present value. */
export function limitMark(
  kind: 'turn' | 'slide',
  lower: number,
  upper: number,
  size: number,
  palette: Palette,
): { object: THREE.Group; pointer: THREE.Object3D } {
  const object = new THREE.Group();
  const pointer = new THREE.Group();
  const fill = mark(palette.warm, 0.2);
  const edge = mark(palette.warm, 0.9);
  if (kind === 'turn') {
    const range = Math.min(upper - lower, 2 * Math.PI);
    object.add(
      new THREE.Mesh(new THREE.RingGeometry(0.55 * size, size, 64, 1, lower, range), fill),
    );
    object.add(
      new THREE.Mesh(new THREE.RingGeometry(0.97 * size, size, 64, 1, lower, range), edge),
    );
    pointer.add(
      new THREE.Mesh(
        new THREE.PlaneGeometry(0.5 * size, 0.045 * size).translate(0.8 * size, 0, 0),
        mark(palette.ink),
      ),
    );
  } else {
    const rod = new THREE.CylinderGeometry(0.03 * size, 0.03 * size, upper - lower, 10).rotateX(
      Math.PI / 2,
    );
    object.add(new THREE.Mesh(rod.translate(0, 0, (lower + upper) / 2), mark(palette.warm, 0.6)));
    for (const end of [lower, upper])
      object.add(
        new THREE.Mesh(
          new THREE.CylinderGeometry(0.2 * size, 0.2 * size, 0.03 * size, 24)
            .rotateX(Math.PI / 2)
            .translate(0, 0, end),
          edge,
        ),
      );
    pointer.add(
      new THREE.Mesh(
        new THREE.CylinderGeometry(0.25 * size, 0.25 * size, 0.05 * size, 24).rotateX(Math.PI / 2),
        mark(palette.ink),
      ),
    );
  }
  object.add(pointer);
  raise(object);
  return { object, pointer };
}

/** Draws after solids, and throws no shadow. */
export function raise(object: THREE.Object3D, order = 10): void {
  object.traverse((part) => {
    part.renderOrder = order;
    part.castShadow = part.receiveShadow = false;
  });
}
