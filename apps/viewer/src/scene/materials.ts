import * as THREE from 'three';
import type { Shape } from '../stream/messages.ts';

const unnamed = new THREE.Color(0xc4ccd6);

/** Painted metal or plastic. */
export function paint(colour: THREE.ColorRepresentation, opacity = 1): THREE.MeshStandardMaterial {
  return new THREE.MeshStandardMaterial({
    color: colour,
    roughness: 0.48,
    metalness: 0.08,
    transparent: opacity < 1,
    opacity,
    side: THREE.DoubleSide,
  });
}

export function paintOf(shape: Shape): THREE.MeshStandardMaterial {
  const [r, g, b, a] = shape.color ?? [];
  if (r === undefined || g === undefined || b === undefined) {
    const material = paint(unnamed);
    material.userData['unnamed'] = true; // a mesh may have colours of its own
    return material;
  }
  return paint(new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace), a ?? 1);
}

// a little behind what it is compared with: where both are in one place, that one is seen
const offset = { polygonOffset: true, polygonOffsetFactor: 4, polygonOffsetUnits: 64 };

/** Of a robot that is only compared with: one even tint, what is behind it shows through. */
export function ghostPaint(colour: string): THREE.MeshStandardMaterial {
  return new THREE.MeshStandardMaterial({
    color: colour,
    roughness: 0.8,
    transparent: true,
    opacity: 0.3,
    ...offset,
  });
}

/** Hides what is behind it, and is not seen itself. */
export function depthOnly(): THREE.MeshBasicMaterial {
  return new THREE.MeshBasicMaterial({ colorWrite: false, transparent: true, ...offset });
}

/** Drawn over everything at full brightness: axes, handles, marks. */
export function mark(
  colour: THREE.ColorRepresentation,
  opacity = 1,
  over = true,
): THREE.MeshBasicMaterial {
  return new THREE.MeshBasicMaterial({
    color: colour,
    transparent: opacity < 1 || over,
    opacity,
    depthTest: !over,
    toneMapped: false,
    side: THREE.DoubleSide,
  });
}
