/** Binary messages of the stream: little-endian, the first byte is the kind; docs/stream.md has the layout. */

export interface State {
  kind: 'state';
  robot: number;
  time: number;
  q: Float32Array;
}
export interface Values {
  kind: 'values';
  time: number;
  values: Float32Array;
}
export interface Arrows {
  kind: 'arrows';
  time: number;
  arrows: Float32Array;
}
export interface Trail {
  kind: 'trail';
  robot: number;
  time: number;
  points: Float32Array;
}
/** Samples of one robot's q, or of all values: times, and row by row what was there. */
export interface Block {
  kind: 'track' | 'table';
  robot: number;
  width: number;
  times: Float64Array;
  rows: Float32Array;
}
export interface ArrowLog {
  kind: 'arrow-log';
  samples: Arrows[];
}
export type BinaryMessage = State | Values | Arrows | Trail | Block | ArrowLog;

const head = 12;

/** The message in a binary frame; null if it is truncated or of an unknown kind. */
export function decode(buffer: ArrayBuffer): BinaryMessage | null {
  if (buffer.byteLength < head) return null;
  const view = new DataView(buffer);
  const kind = view.getUint8(0);
  const robot = view.getUint8(1);
  const n = view.getUint16(2, true);
  const time = view.getFloat64(4, true);
  const samples = view.getUint32(4, true);
  const floats = (count: number, from = head): Float32Array | null =>
    buffer.byteLength >= from + 4 * count ? new Float32Array(buffer, from, count) : null;

  if (kind >= 1 && kind <= 4 && !Number.isFinite(time)) return null;
  switch (kind) {
    case 1: {
      const q = floats(n);
      return q && q.every(Number.isFinite) ? { kind: 'state', robot, time, q } : null;
    }
    case 2: {
      const values = floats(n);
      return values && { kind: 'values', time, values };
    }
    case 3: {
      const arrows = floats(6 * n);
      return arrows && { kind: 'arrows', time, arrows };
    }
    case 4: {
      const points = floats(3 * n);
      return points && points.every(Number.isFinite)
        ? { kind: 'trail', robot, time, points }
        : null;
    }
    case 5:
    case 6: {
      if (buffer.byteLength < head + 8 * samples) return null;
      const rows = floats(samples * n, head + 8 * samples);
      if (!rows) return null;
      const times = new Float64Array(buffer.slice(head, head + 8 * samples));
      const kindName = kind === 5 ? 'track' : 'table';
      return ascending(times) ? { kind: kindName, robot, width: n, times, rows } : null;
    }
    case 7:
      return arrowLog(view, samples);
    default:
      return null;
  }
}

function ascending(times: Float64Array): boolean {
  for (let i = 0; i < times.length; i++)
    if (!Number.isFinite(times[i]) || (i > 0 && times[i] < times[i - 1])) return false;
  return true;
}

function arrowLog(view: DataView, samples: number): ArrowLog | null {
  const list: Arrows[] = [];
  let at = head;
  for (let k = 0; k < samples; k++) {
    if (at + 16 > view.byteLength) return null;
    const time = view.getFloat64(at, true);
    const n = view.getUint32(at + 8, true);
    at += 16;
    if (!Number.isFinite(time) || at + 24 * n > view.byteLength) return null;
    list.push({
      kind: 'arrows',
      time,
      arrows: new Float32Array(view.buffer, view.byteOffset + at, 6 * n),
    });
    at += 24 * n;
  }
  return { kind: 'arrow-log', samples: list };
}

/** A track (kind 5) or a table of values (kind 6) as bytes. */
export function encodeBlock(block: Block): ArrayBuffer {
  const samples = block.times.length;
  const buffer = new ArrayBuffer(head + 8 * samples + 4 * samples * block.width);
  const view = new DataView(buffer);
  view.setUint8(0, block.kind === 'track' ? 5 : 6);
  view.setUint8(1, block.robot);
  view.setUint16(2, block.width, true);
  view.setUint32(4, samples, true);
  block.times.forEach((t, i) => view.setFloat64(head + 8 * i, t, true));
  new Float32Array(buffer, head + 8 * samples).set(block.rows);
  return buffer;
}

/** Arrows over time (kind 7) as bytes. */
export function encodeArrows(samples: Arrows[]): ArrayBuffer {
  const size = samples.reduce((sum, s) => sum + 16 + 4 * s.arrows.length, head);
  const buffer = new ArrayBuffer(size);
  const view = new DataView(buffer);
  view.setUint8(0, 7);
  view.setUint32(4, samples.length, true);
  let at = head;
  for (const { time, arrows } of samples) {
    view.setFloat64(at, time, true);
    view.setUint32(at + 8, arrows.length / 6, true);
    new Float32Array(buffer, at + 16, arrows.length).set(arrows);
    at += 16 + 4 * arrows.length;
  }
  return buffer;
}

/** Vertices and triangles of a mesh. */
export interface Mesh {
  vertices: Float32Array;
  triangles: Uint32Array;
  /** Of each triangle red, green, blue, opacity, if the mesh has colours. */
  colours: Uint8Array | null;
}

/** The mesh in the bytes of /mesh/n; null if they are not one. */
export function decodeMesh(buffer: ArrayBuffer): Mesh | null {
  if (buffer.byteLength < 8) return null;
  const view = new DataView(buffer);
  const n = view.getUint32(0, true);
  const m = view.getUint32(4, true);
  if (buffer.byteLength < 8 + 12 * n + 12 * m) return null;
  const vertices = new Float32Array(buffer, 8, 3 * n);
  const triangles = new Uint32Array(buffer, 8 + 12 * n, 3 * m);
  if (!vertices.every(Number.isFinite) || !triangles.every((i) => i < n)) return null;
  const end = 8 + 12 * n + 12 * m;
  const colours = buffer.byteLength >= end + 4 * m ? new Uint8Array(buffer, end, 4 * m) : null;
  return { vertices, triangles, colours };
}
