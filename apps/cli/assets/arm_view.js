document.addEventListener('DOMContentLoaded', () => {
'use strict';
const data = JSON.parse(document.getElementById('arm-data').textContent);
const view = document.getElementById('arm'), canvas = view.querySelector('canvas');
const play = view.querySelector('.play'), slider = view.querySelector('input[type=range]');
const clock = view.querySelector('output'), speed = view.querySelector('select');
const boxes = [...view.querySelectorAll('[data-arm]')];
const sides = 24;

// --- vectors and poses: a pose is a rotation's nine numbers, row by row, and a position's three ---
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const n = Math.hypot(...a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
const pose = (p, q) => {
  const n = Math.hypot(...q) || 1, [w, x, y, z] = q.map(e => e / n);
  return [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
          2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
          2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), ...p];
};
const apply = (X, v) => [X[0] * v[0] + X[1] * v[1] + X[2] * v[2] + X[9],
                         X[3] * v[0] + X[4] * v[1] + X[5] * v[2] + X[10],
                         X[6] * v[0] + X[7] * v[1] + X[8] * v[2] + X[11]];
const rotate = (X, v) => [X[0] * v[0] + X[1] * v[1] + X[2] * v[2],
                          X[3] * v[0] + X[4] * v[1] + X[5] * v[2],
                          X[6] * v[0] + X[7] * v[1] + X[8] * v[2]];

// --- shapes as points with normals and faces, outside counter-clockwise ---
function revolved(profile) {  // [radius, z, outward, upward], rings from the bottom to the top
  const points = [], normals = [], faces = [];
  for (const [r, z, outward, upward] of profile)
    for (let i = 0; i < sides; i++) {
      const c = Math.cos(2 * Math.PI * i / sides), s = Math.sin(2 * Math.PI * i / sides);
      points.push([r * c, r * s, z]);
      normals.push([outward * c, outward * s, upward]);
    }
  for (let k = 0; k + 1 < profile.length; k++)
    for (let i = 0; i < sides; i++) {
      const j = (i + 1) % sides, a = k * sides, b = a + sides;
      faces.push([a + i, a + j, b + j, b + i]);
    }
  return {points, normals, faces};
}
function tube(r, length, round) {
  const half = length / 2, profile = [];
  if (!round) profile.push([0, -half, 0, -1], [r, -half, 0, -1], [r, -half, 1, 0], [r, half, 1, 0], [r, half, 0, 1], [0, half, 0, 1]);
  else for (let k = -5; k <= 6; k++) {
    const a = (k <= 0 ? k : k - 1) * Math.PI / 10, c = Math.cos(a), s = Math.sin(a);
    profile.push([r * c, (k <= 0 ? -half : half) + r * s, c, s]);
  }
  return revolved(profile);
}
function brick(size) {
  const points = [], normals = [], faces = [];
  for (let axis = 0; axis < 3; axis++)
    for (const side of [-1, 1]) {
      const u = (axis + 1) % 3, v = (axis + 2) % 3, first = points.length;
      for (const [i, j] of [[-side, -1], [side, -1], [side, 1], [-side, 1]]) {
        const p = [0, 0, 0], n = [0, 0, 0];
        p[axis] = side * size[axis] / 2, p[u] = i * size[u] / 2, p[v] = j * size[v] / 2;
        n[axis] = side;
        points.push(p);
        normals.push(n);
      }
      faces.push([first, first + 1, first + 2, first + 3]);
    }
  return {points, normals, faces};
}
function shape([body, kind, a, b, c, x, y, z, qw, qx, qy, qz, ...colour]) {
  const mesh = kind === 2 ? brick([a, b, c]) : tube(a, b, kind === 0);
  const X = pose([x, y, z], [qw, qx, qy, qz]);
  return {body, colour, points: mesh.points.map(p => apply(X, p)), normals: mesh.normals.map(n => rotate(X, n)), faces: mesh.faces};
}
const shapes = data.parts.map(shape);
const payload = data.payload && {shape: shape(data.payload.part), times: data.payload.times};

// --- the film ---
const width = 7 * data.bodies;
const films = data.arms.map(arm => {
  const film = new Float64Array(arm.poses.length);
  for (let i = 0; i < film.length; i++) film[i] = arm.poses[i] + (i < width ? 0 : film[i - width]);
  return film;
});
function poses(arm, time) {
  const at = Math.min(Math.max(time / data.step, 0), data.frames - 1), k = Math.min(Math.floor(at), data.frames - 2);
  const s = at - k, film = films[arm], list = [pose([0, 0, 0], data.base)];
  for (let b = 0; b < data.bodies; b++) {
    const i = k * width + 7 * b, n = [];
    for (let j = 0; j < 7; j++) n.push(1e-4 * ((1 - s) * film[i + j] + s * film[i + width + j]));
    list.push(pose(n.slice(0, 3), n.slice(3)));
  }
  return list;
}
const tips = films.map((_, arm) => {
  const way = [];
  for (let k = 0; k < data.frames; k++) {
    const [body, ...point] = data.tip;
    way.push(apply(poses(arm, k * data.step)[body], point));
  }
  return way;
});

// --- the camera ---
const cloud = [];  // what is to be seen: some of the points that are drawn, at some times
for (let arm = 0; arm < films.length; arm++)
  for (let k = 0; k <= 8; k++) {
    const at = poses(arm, data.end * k / 8);
    for (const s of payload ? [...shapes, payload.shape] : shapes)
      for (let i = 0; i < s.points.length; i += s.points.length > 24 ? 11 : 1) cloud.push(apply(at[s.body], s.points[i]));
  }
for (const way of tips) for (let k = 0; k < way.length; k += 5) cloud.push(way[k]);
const low = [0, 0, 0], high = [0, 0, 0];
for (const p of cloud)
  for (let i = 0; i < 3; i++) low[i] = Math.min(low[i], p[i]), high[i] = Math.max(high[i], p[i]);
const size = Math.max(Math.hypot(...sub(high, low)), 0.1 * data.reach);
const floor = low[2] > -0.05 * size ? low[2] : low[2] - 0.1 * size;
const middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (floor + high[2]) / 2];
const light = unit([0.35, -0.45, 0.9]);
let azimuth, elevation, distance, eye, right, up, forward, scale = 1, fits = 1, W, H, ratio = 1;
const home = () => { azimuth = -0.9; elevation = 0.33; distance = 1.9 * size; };
home();
function aim() {
  const c = Math.cos(elevation);
  forward = [-c * Math.cos(azimuth), -c * Math.sin(azimuth), -Math.sin(elevation)];
  right = unit(cross(forward, [0, 0, 1]));
  up = cross(right, forward);
  eye = [0, 1, 2].map(i => middle[i] - distance * forward[i]);
  scale = fits;
}
function project(p) {
  const d = sub(p, eye), depth = dot(d, forward);
  return [W / 2 + scale * dot(d, right) / depth, H / 2 - scale * dot(d, up) / depth, depth];
}
const near = () => 0.05 * distance;
function fitCamera() {  // all is seen from home, and from its sides and back
  const [a, e, d] = [azimuth, elevation, distance];
  let most = 1e-9;
  home();
  fits = 1;
  for (let k = 0; k < 6; k++, azimuth += Math.PI / 3) {
    aim();
    for (const p of cloud) {
      const [x, y] = project(p);
      most = Math.max(most, Math.abs(x - W / 2) / (0.47 * W), Math.abs(y - H / 2) / (0.46 * H));
    }
  }
  fits = 1 / most;
  [azimuth, elevation, distance] = [a, e, d];
}

// --- colours follow the page's style ---
let colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['ink', 'soft', 'line', 'card', 'page', ...data.arms.map(a => a.colour)]) {
    let hex = style.getPropertyValue('--' + name).trim().slice(1);
    if (hex.length === 3) hex = [...hex].map(c => c + c).join('');
    colours[name] = [0, 2, 4].map(i => parseInt(hex.slice(i, i + 2), 16));
  }
  colours.night = dot(colours.page, [1, 1, 1]) < 380;
}
const ink = (c, alpha) => `rgba(${c[0] | 0},${c[1] | 0},${c[2] | 0},${alpha})`;
const mixed = (a, b, share) => a.map((e, i) => (1 - share) * e + share * b[i]);

// --- drawing ---
function line(g, points) {
  let down = false;
  g.beginPath();
  for (const p of points) {
    const [x, y, depth] = project(p);
    if (depth < near()) { down = false; continue; }
    down ? g.lineTo(x, y) : g.moveTo(x, y);
    down = true;
  }
  g.stroke();
}
function drawFloor(g) {
  const rough = size / 6, decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(d => d * decade).find(s => s >= rough), extent = 1.25 * size;
  const n = Math.ceil(extent / step), cx = Math.round(middle[0] / step), cy = Math.round(middle[1] / step);
  g.lineWidth = 1;
  for (let i = -n; i <= n; i++)
    for (let j = -2 * n; j < 2 * n; j++) {
      const far = Math.hypot(i, (j + 0.5) / 2) * step / extent;
      if (far >= 1) continue;
      g.strokeStyle = ink(colours.soft, 0.42 * (1 - far * far));
      const a = i * step, b = j * step / 2, c = (j + 1) * step / 2, x = cx * step, y = cy * step;
      line(g, [[x + a, y + b, floor], [x + a, y + c, floor]]);
      line(g, [[x + b, y + a, floor], [x + c, y + a, floor]]);
    }
}
function solids(arm, time) {  // shapes in their places
  const at = poses(arm, time), list = shapes.slice();
  if (payload && payload.times.filter(t => t <= time + 1e-9).length % 2 === 1) list.push(payload.shape);
  return list.map(s => ({body: s.body, faces: s.faces, colour: s.colour, load: payload && s === payload.shape,
    points: s.points.map(p => apply(at[s.body], p)), normals: s.normals.map(n => rotate(at[s.body], n))}));
}
function hull(points) {  // counter-clockwise [Andrew 1979]
  const sorted = points.slice().sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const half = list => {
    const chain = [];
    for (const p of list) {
      for (let n = chain.length; n > 1; n = chain.length) {
        const [a, b] = [chain[n - 2], chain[n - 1]];
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        chain.pop();
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
function drawShadow(g, list) {  // every shape is convex, so its shadow is the hull of its points'
  g.fillStyle = colours.night ? 'rgba(0,0,0,.34)' : 'rgba(20,30,45,.13)';
  g.beginPath();
  for (const {points} of list) {
    const cast = points.map(p => {
      const h = (p[2] - floor) / light[2];
      return project([p[0] - h * light[0], p[1] - h * light[1], floor]);
    });
    if (cast.some(c => c[2] < near())) continue;
    hull(cast).forEach((c, i) => i ? g.lineTo(c[0], c[1]) : g.moveTo(c[0], c[1]));
    g.closePath();
  }
  g.fill();
}
// Solids are drawn point by point, the nearest one kept: they reach into each other, which no order of
// faces can do justice to. Twice as fine as the page, so that edges are smooth.
const layer = document.createElement('canvas');
let picture, pixels, nearness, LW, LH, fine;
function fitLayer() {
  fine = W * H > 1.2e6 ? 1 : 2;
  LW = layer.width = Math.max(1, Math.round(W * fine));
  LH = layer.height = Math.max(1, Math.round(H * fine));
  picture = new ImageData(LW, LH);
  pixels = new Uint32Array(picture.data.buffer);
  nearness = new Float32Array(LW * LH);
}
function triangle(a, b, c, [red, green, blue]) {  // corners: x, y, 1 / depth, brightness, gleam
  const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  if (!area) return;
  const x0 = Math.max(0, Math.ceil(Math.min(a[0], b[0], c[0]))), x1 = Math.min(LW - 1, Math.floor(Math.max(a[0], b[0], c[0])));
  const y0 = Math.max(0, Math.ceil(Math.min(a[1], b[1], c[1]))), y1 = Math.min(LH - 1, Math.floor(Math.max(a[1], b[1], c[1])));
  const ux = (b[1] - c[1]) / area, uy = (c[0] - b[0]) / area, vx = (c[1] - a[1]) / area, vy = (a[0] - c[0]) / area;
  for (let y = y0; y <= y1; y++) {
    let u = (x0 - c[0]) * ux + (y - c[1]) * uy, v = (x0 - c[0]) * vx + (y - c[1]) * vy;
    for (let x = x0, i = y * LW + x0; x <= x1; x++, i++, u += ux, v += vx) {
      const w = 1 - u - v;
      if (u < -1e-6 || v < -1e-6 || w < -1e-6) continue;
      const close = u * a[2] + v * b[2] + w * c[2];
      if (close <= nearness[i]) continue;
      nearness[i] = close;
      const bright = u * a[3] + v * b[3] + w * c[3], gleam = u * a[4] + v * b[4] + w * c[4];
      const r = Math.min(255, red * bright + gleam), g = Math.min(255, green * bright + gleam), e = Math.min(255, blue * bright + gleam);
      pixels[i] = 0xff000000 | e << 16 | g << 8 | r;
    }
  }
}
function drawSolids(g, list, tint, share, alpha) {
  let left = LW, right = 0, top = LH, bottom = 0;
  const seen = list.map(s => s.points.map((p, i) => {
    const [x, y, depth] = project(p), n = s.normals[i], out = unit(sub(eye, p));
    const half = unit([out[0] + light[0], out[1] + light[1], out[2] + light[2]]);
    left = Math.min(left, fine * x), right = Math.max(right, fine * x);
    top = Math.min(top, fine * y), bottom = Math.max(bottom, fine * y);
    // of surfaces in one place, those of bodies with odd numbers are seen
    return [fine * x, fine * y, (1 + 5e-4 * (s.body % 2)) / depth,
            0.56 + 0.4 * Math.max(0, dot(n, light)) + 0.09 * n[2], 70 * Math.max(0, dot(n, half)) ** 40, depth];
  }));
  left = Math.max(0, Math.floor(left)), right = Math.min(LW, Math.ceil(right) + 1);
  top = Math.max(0, Math.floor(top)), bottom = Math.min(LH, Math.ceil(bottom) + 1);
  if (left >= right || top >= bottom) return;
  pixels.fill(0, top * LW, bottom * LW);
  nearness.fill(0, top * LW, bottom * LW);
  list.forEach((s, k) => {
    const own = colours.night ? mixed(s.colour, [255, 255, 255], 0.14) : s.colour;
    const colour = s.load ? s.colour : mixed(own, tint, share), P = s.points;
    for (const [ia, ib, ic, id] of s.faces) {
      const [a, b, c, d] = [seen[k][ia], seen[k][ib], seen[k][ic], seen[k][id]];
      if (Math.min(a[5], b[5], c[5], d[5]) < near()) continue;
      if (dot(cross(sub(P[ic], P[ia]), sub(P[id], P[ib])), sub(eye, P[ia])) <= 0) continue;
      triangle(a, b, c, colour);
      triangle(a, c, d, colour);
    }
  });
  layer.getContext('2d').putImageData(picture, 0, 0, left, top, right - left, bottom - top);
  g.globalAlpha = alpha;
  g.drawImage(layer, left, top, right - left, bottom - top,
              left / fine, top / fine, (right - left) / fine, (bottom - top) / fine);
  g.globalAlpha = 1;
}
function drawTrail(g, arm, time, alpha) {
  const last = time / data.step, length = 2.5 / data.step, way = tips[arm];
  g.lineWidth = 2;
  for (let k = Math.max(0, Math.floor(last - length)); k < Math.floor(last); k++) {
    g.strokeStyle = ink(colours[data.arms[arm].colour], alpha * (1 - (last - k) / (length + 1)));
    line(g, [way[k], way[k + 1]]);
  }
}
function draw() {
  const g = canvas.getContext('2d'), reference = films.length - 1, shown = arm => boxes[arm].checked;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, W, H);
  aim();
  drawFloor(g);
  if (shown(reference)) {
    g.strokeStyle = ink(colours.ink, 0.22);
    g.lineWidth = 1;
    line(g, tips[reference]);
  }
  const order = [...Array(reference).keys()].filter(shown), first = order.length ? order[0] : -1;
  for (const arm of order.slice().reverse()) {
    const list = solids(arm, time), colour = colours[data.arms[arm].colour];
    if (arm === first) drawShadow(g, list);
    drawTrail(g, arm, time, 0.95);
    if (arm === first) drawSolids(g, list, colour, 0.3, 1);
    else drawSolids(g, list, colour, 0.75, 0.5);
  }
  if (shown(reference)) {
    const at = poses(reference, time);
    g.strokeStyle = ink(colours.ink, 0.9);
    g.lineWidth = 1.3;
    g.setLineDash([5, 3]);
    for (const [a, ax, ay, az, b, bx, by, bz] of data.bones)
      line(g, [apply(at[a], [ax, ay, az]), apply(at[b], [bx, by, bz])]);
    g.setLineDash([]);
  }
}

// --- time ---
let time = 0, playing = false, last = 0, marked = -1, seen = true, due = false;
const marks = [...document.querySelectorAll('svg.timeplot')].map(svg => {
  const [from, to, begin, end] = svg.dataset.time.split(' ').map(Number);
  const mark = svg.querySelector('.now');
  svg.addEventListener('click', e => {
    const r = svg.getBoundingClientRect(), x = (e.clientX - r.left) * svg.viewBox.baseVal.width / r.width;
    seek(begin + (x - from) / (to - from) * (end - begin));
  });
  return t => mark.setAttribute('transform', `translate(${(from + (t - begin) / (end - begin) * (to - from)).toFixed(1)} 0)`);
});
const events = [...view.querySelectorAll('.event')];
function show() {
  due = false;
  if (seen) draw();
  slider.value = time;
  clock.textContent = time.toFixed(2) + ' s';
  for (const e of events) e.classList.toggle('past', Number(e.dataset.at) <= time + 1e-6);
  if (!playing || Math.abs(time - marked) > 0.05) {
    for (const mark of marks) mark(time);
    marked = time;
  }
}
function soon() {
  if (!due && !playing) { due = true; requestAnimationFrame(show); }
}
function tick(now) {
  if (!playing) return;
  time += Math.min(0.1, (now - last) / 1000) * Number(speed.value);
  last = now;
  if (time > data.end) time = 0;
  show();
  requestAnimationFrame(tick);
}
function set(on) {
  if (on === playing) return;
  playing = on;
  play.textContent = on ? 'Pause' : 'Play';
  if (on) requestAnimationFrame(now => { last = now; tick(now); });
  else soon();
}
function seek(t) {
  time = Math.min(Math.max(t, 0), data.end);
  soon();
}
play.addEventListener('click', () => set(!playing));
slider.addEventListener('input', () => { set(false); seek(Number(slider.value)); });
for (const e of events) e.addEventListener('click', () => seek(Number(e.dataset.at)));
for (const box of boxes) box.addEventListener('change', soon);

// --- turning ---
let held = null;
const turn = (x, y) => {
  azimuth -= x;
  elevation = Math.min(1.5, Math.max(-0.15, elevation + y));
  soon();
};
canvas.addEventListener('pointerdown', e => { held = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
canvas.addEventListener('pointermove', e => {
  if (!held) return;
  turn(0.008 * (e.clientX - held[0]), 0.008 * (e.clientY - held[1]));
  held = [e.clientX, e.clientY];
});
for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => { held = null; });
canvas.addEventListener('wheel', e => {
  if (!e.ctrlKey) return;  // a plain wheel scrolls the page
  e.preventDefault();
  distance = Math.min(5 * size, Math.max(0.6 * size, distance * Math.exp(0.002 * e.deltaY)));
  soon();
}, {passive: false});
canvas.addEventListener('dblclick', () => { home(); soon(); });
canvas.addEventListener('keydown', e => {
  const steps = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1]};
  if (e.key === ' ') set(!playing);
  else if (steps[e.key]) turn(...steps[e.key]);
  else return;
  e.preventDefault();
});

function fit() {
  ratio = Math.min(2, window.devicePixelRatio || 1);
  W = canvas.clientWidth, H = canvas.clientHeight;
  canvas.width = Math.max(1, Math.round(W * ratio));
  canvas.height = Math.max(1, Math.round(H * ratio));
  fitLayer();
  fitCamera();
  soon();
}
new ResizeObserver(fit).observe(canvas);
new IntersectionObserver(list => { seen = list[list.length - 1].isIntersecting; soon(); }).observe(canvas);
window.matchMedia('(prefers-color-scheme:dark)').addEventListener('change', () => { readColours(); soon(); });
readColours();
fit();
if (!window.matchMedia('(prefers-reduced-motion:reduce)').matches) set(true);
});
