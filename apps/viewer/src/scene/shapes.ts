import * as THREE from 'three';
import { RoundedBoxGeometry } from 'three/examples/jsm/geometries/RoundedBoxGeometry.js';
import { toCreasedNormals } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import { Pose } from '../robot/pose.ts';
import type { Mesh } from '../stream/binary.ts';
import type { Shape } from '../stream/messages.ts';

/** Of round shapes: their facets lie less than 0.06 % of the radius inside. */
const sides = 96;

/** Where meshes come from: the server, or the page itself. */
export type MeshSource = (mesh: number) => Promise<Mesh | null>;

/** A shape in its place; of a mesh that is still to arrive, the group is filled later and onLoad called. */
export function shapeObject(
  shape: Shape,
  material: THREE.Material,
  meshes: MeshSource,
  onLoad: () => void,
  size = 1,
): THREE.Group {
  const group = new THREE.Group();
  const { p, q } = Pose.of(shape.pose);
  group.position.copy(p);
  group.quaternion.copy(q);
  const add = (geometry: THREE.BufferGeometry): THREE.Mesh => {
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = true;
    group.add(mesh);
    return mesh;
  };
  if (shape.kind === 'mesh')
    void meshes(shape.mesh).then((data) => {
      const mesh = add(data ? meshGeometry(data) : new THREE.IcosahedronGeometry(0.03));
      mesh.scale.set(...shape.scale);
      if (data?.colours && material.userData['unnamed']) paintFaces(mesh, data.colours);
      onLoad();
    });
  else add(geometryOf(shape)).scale.setScalar(size);
  return group;
}

export function geometryOf(shape: Exclude<Shape, { kind: 'mesh' }>): THREE.BufferGeometry {
  switch (shape.kind) {
    case 'box':
      return box(shape.size);
    case 'cylinder':
      return cylinder(shape.radius, shape.length);
    case 'capsule':
      return new THREE.CapsuleGeometry(shape.radius, shape.length, 16, sides).rotateX(Math.PI / 2);
    case 'sphere':
      return new THREE.SphereGeometry(shape.radius, sides, 48);
    case 'plane':
      return new THREE.PlaneGeometry(20, 20);
  }
}

/** Edges are rounded a little: they catch the light. */
function box([x, y, z]: [number, number, number]): THREE.BufferGeometry {
  const least = Math.min(x, y, z);
  const radius = Math.min(0.12 * least, 0.006);
  return radius > 1e-5
    ? new RoundedBoxGeometry(x, y, z, 3, radius)
    : new THREE.BoxGeometry(x, y, z);
}

export function cylinder(radius: number, length: number): THREE.BufferGeometry {
  const bevel = Math.min(0.12 * radius, 0.12 * length, 0.004);
  const half = length / 2;
  const profile = [new THREE.Vector2(0, -half), new THREE.Vector2(radius - bevel, -half)];
  for (let k = 0; k <= 3; k++) {
    const a = (k / 3) * (Math.PI / 2);
    profile.push(
      new THREE.Vector2(radius - bevel + bevel * Math.sin(a), -half + bevel - bevel * Math.cos(a)),
    );
  }
  for (const { x, y } of profile.slice().reverse()) profile.push(new THREE.Vector2(x, -y));
  const turned = new THREE.LatheGeometry(profile, sides).rotateX(Math.PI / 2);
  return creased(turned);
}

/** Normals that are smooth but for edges. Three takes points within a hundredth of a unit for one: here, of 10 µm. */
function creased(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  const unit = 1000;
  geometry.scale(unit, unit, unit);
  return toCreasedNormals(geometry, 0.6).scale(1 / unit, 1 / unit, 1 / unit);
}

/** Each triangle in its colour; its corners are no others' by now. */
function paintFaces({ geometry, material }: THREE.Mesh, colours: Uint8Array): void {
  const count = geometry.getAttribute('position').count;
  const rgba = new Float32Array(4 * count);
  const colour = new THREE.Color();
  for (let corner = 0; corner < count; corner++) {
    const [r, g, b, a] = colours.subarray(4 * Math.floor(corner / 3));
    colour.setRGB(r / 255, g / 255, b / 255, THREE.SRGBColorSpace);
    rgba.set([colour.r, colour.g, colour.b, a / 255], 4 * corner);
  }
  geometry.setAttribute('color', new THREE.BufferAttribute(rgba, 4));
  const paint = material as THREE.MeshStandardMaterial;
  paint.vertexColors = true;
  paint.color.set(0xffffff);
  paint.transparent = colours.some((x, k) => k % 4 === 3 && x < 255);
  paint.needsUpdate = true;
}

const mostCreased = 300000; // triangles: normals of larger meshes are flat, which is quick

function meshGeometry({ vertices, triangles }: Mesh): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(vertices, 3));
  geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
  if (triangles.length / 3 <= mostCreased) return creased(geometry);
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}
