import * as THREE from 'three';
import { Pose } from '../robot/pose.ts';
import type { Robot } from '../stream/messages.ts';
import { paint } from './materials.ts';
import { cylinder } from './shapes.ts';

const bone = 0xd5dbe2;
const drum = 0x3c4650;

/** How long the robot's chains are, from the frames of its joints: what sizes of marks follow. */
export function reachOf(robot: Robot): number {
  const reach = robot.links.map(() => 0);
  for (const joint of robot.joints)
    reach[joint.child] =
      reach[joint.parent] + new THREE.Vector3(joint.pose[0], joint.pose[1], joint.pose[2]).length();
  for (const frame of robot.frames)
    reach[frame.link] = Math.max(
      reach[frame.link],
      Math.hypot(frame.pose[0], frame.pose[1], frame.pose[2]),
    );
  return Math.max(...reach, 0.1);
}

/** Shapes for a link that has none: bars to what hangs on it, drums about its joint's axis. */
export function standIn(
  robot: Robot,
  link: number,
  reach: number,
  ghost: THREE.Material | null,
): THREE.Group {
  const group = new THREE.Group();
  const depth = depthOf(robot, link);
  const radius = reach * Math.max(0.03 - 0.0025 * depth, 0.012);
  const solid = (geometry: THREE.BufferGeometry, colour: number): THREE.Mesh => {
    const mesh = new THREE.Mesh(geometry, ghost ?? paint(colour));
    mesh.castShadow = mesh.receiveShadow = true;
    group.add(mesh);
    return mesh;
  };

  const ends = robot.joints.filter((j) => j.parent === link).map((j) => Pose.of(j.pose).p);
  if (ends.length === 0)
    ends.push(...robot.frames.filter((f) => f.link === link).map((f) => Pose.of(f.pose).p));
  const centre = new THREE.Vector3(...robot.links[link].com);
  if (ends.every((end) => end.length() < 0.02 * reach) && centre.length() > 0.02 * reach)
    ends.push(centre.multiplyScalar(1.6));
  for (const end of ends)
    if (end.length() > 0.01 * reach)
      placeBar(solid(bar(radius, 0.75 * radius, end.length()), bone), end);

  const carrier = robot.joints.find((j) => j.child === link);
  if (!carrier || carrier.type === 'fixed' || carrier.type === 'floating') {
    if (!carrier && link === 0) solid(cylinder(2.2 * radius, 0.6 * radius), drum);
  } else if (carrier.type === 'ball') solid(new THREE.SphereGeometry(1.5 * radius, 32, 20), drum);
  else {
    const slides = carrier.type === 'prismatic';
    const body = slides ? cylinder(0.7 * radius, 8 * radius) : cylinder(1.35 * radius, 3 * radius);
    const axis = new THREE.Vector3(...carrier.axis).normalize();
    solid(body, drum).quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis);
  }
  return group;
}

function depthOf(robot: Robot, link: number): number {
  let depth = 0;
  for (let at = link; depth < robot.joints.length; depth++) {
    const carrier = robot.joints.find((j) => j.child === at);
    if (!carrier) break;
    at = carrier.parent;
  }
  return depth;
}

/** A slightly tapered rod with round ends along z, from the origin. */
function bar(from: number, to: number, length: number): THREE.BufferGeometry {
  const profile: THREE.Vector2[] = [];
  for (let k = 0; k <= 6; k++) {
    const a = -Math.PI / 2 + (k / 6) * (Math.PI / 2);
    profile.push(new THREE.Vector2(from * Math.cos(a), from * Math.sin(a)));
  }
  for (let k = 0; k <= 6; k++) {
    const a = (k / 6) * (Math.PI / 2);
    profile.push(new THREE.Vector2(to * Math.cos(a), length + to * Math.sin(a)));
  }
  return new THREE.LatheGeometry(profile, 32).rotateX(Math.PI / 2);
}

function placeBar(mesh: THREE.Mesh, end: THREE.Vector3): void {
  mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), end.clone().normalize());
}
