/** Binary messages of the stream as bytes, written after its page of documentation, not after the page's own code. */

function bytes(kind, robot, n, write, size) {
  const buffer = Buffer.alloc(size);
  buffer.writeUInt8(kind, 0);
  buffer.writeUInt8(robot, 1);
  buffer.writeUInt16LE(n, 2);
  write(buffer);
  return buffer;
}

function sample(kind, robot, n, time, numbers) {
  return bytes(
    kind,
    robot,
    n,
    (b) => {
      b.writeDoubleLE(time, 4);
      numbers.forEach((x, i) => b.writeFloatLE(x, 12 + 4 * i));
    },
    12 + 4 * numbers.length,
  );
}

export const state = (robot, time, q) => sample(1, robot, q.length, time, q);
export const values = (time, list) => sample(2, 0, list.length, time, list);
export const arrows = (time, list) => sample(3, 0, list.length / 6, time, list);
export const trail = (robot, time, points) => sample(4, robot, points.length / 3, time, points);

export function block(kind, robot, times, rows) {
  const n = rows[0].length;
  return bytes(
    kind,
    robot,
    n,
    (b) => {
      b.writeUInt32LE(times.length, 4);
      times.forEach((t, i) => b.writeDoubleLE(t, 12 + 8 * i));
      rows.flat().forEach((x, i) => b.writeFloatLE(x, 12 + 8 * times.length + 4 * i));
    },
    12 + 8 * times.length + 4 * times.length * n,
  );
}
export const track = (robot, times, rows) => block(5, robot, times, rows);
export const table = (times, rows) => block(6, 0, times, rows);

export function arrowLog(samples) {
  const size = samples.reduce((sum, s) => sum + 16 + 4 * s.arrows.length, 12);
  return bytes(
    7,
    0,
    0,
    (b) => {
      b.writeUInt32LE(samples.length, 4);
      let at = 12;
      for (const { time, arrows: list } of samples) {
        b.writeDoubleLE(time, at);
        b.writeUInt32LE(list.length / 6, at + 8);
        list.forEach((x, i) => b.writeFloatLE(x, at + 16 + 4 * i));
        at += 16 + 4 * list.length;
      }
    },
    size,
  );
}

export function mesh(vertices, triangles) {
  const buffer = Buffer.alloc(8 + 4 * vertices.length + 4 * triangles.length);
  buffer.writeUInt32LE(vertices.length / 3, 0);
  buffer.writeUInt32LE(triangles.length / 3, 4);
  vertices.forEach((x, i) => buffer.writeFloatLE(x, 8 + 4 * i));
  triangles.forEach((t, i) => buffer.writeUInt32LE(t, 8 + 4 * vertices.length + 4 * i));
  return buffer;
}
