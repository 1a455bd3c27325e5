import { Vector3 } from 'three';
import type { Link, Robot } from '../stream/messages.ts';
import type { Kinematics } from './kinematics.ts';

/**
 * Half axes of the solid ellipsoid of a link's mass that has its principal moments of inertia:
 * moments m (b² + c²) / 5 and so on. Null if there is none to draw; an axis whose square would be
 * negative, as of moments that no body has, is drawn as if the sign were the other.
 */
export function ellipsoid(link: Link): [number, number, number] | null {
  if (!link.inertia || !Number.isFinite(link.mass) || link.mass === 0) return null;
  const [x, y, z] = link.inertia.moments;
  const half = (square: number): number => Math.sqrt(Math.abs((2.5 * square) / link.mass));
  const axes: [number, number, number] = [half(y + z - x), half(x + z - y), half(x + y - z)];
  return axes.every(Number.isFinite) && Math.max(...axes) > 0 ? axes : null;
}

/** Centre of mass of the whole robot and its mass; null if it has none. */
export function wholeMass(robot: Robot, at: Kinematics): { mass: number; com: Vector3 } | null {
  const com = new Vector3();
  let mass = 0;
  robot.links.forEach((link, k) => {
    if (!(link.mass > 0)) return;
    mass += link.mass;
    com.addScaledVector(at.links[k].apply(new Vector3(...link.com)), link.mass);
  });
  return mass > 0 ? { mass, com: com.divideScalar(mass) } : null;
}
