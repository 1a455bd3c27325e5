#include "arm_view_script.hpp"

namespace ulna::cli {

const std::string_view arm_view_script = R"js(
document.addEventListener('DOMContentLoaded', () => {
'use strict';
const data = JSON.parse(document.getElementById('arm-data').textContent);
const view = document.getElementById('arm'), canvas = view.querySelector('canvas');
const play = view.querySelector('.play'), slider = view.querySelector('input[type=range]');
const clock = view.querySelector('output'), speed = view.querySelector('select');
const boxes = [...view.querySelectorAll('[data-arm]')];
const sides = 18;

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

// --- shapes as points and faces, outside counter-clockwise ---
function revolved(profile) {  // [radius, z] from the bottom to the top
  const points = [], faces = [];
  for (const [r, z] of profile)
    for (let i = 0; i < sides; i++) {
      const a = 2 * Math.PI * i / sides;
      points.push([r * Math.cos(a), r * Math.sin(a), z]);
    }
  for (let k = 0; k + 1 < profile.length; k++)
    for (let i = 0; i < sides; i++) {
      const j = (i + 1) % sides, a = k * sides, b = a + sides;
      faces.push([a + i, a + j, b + j, b + i]);
    }
  return {points, faces};
}
function tube(r, length, round) {
  const profile = [], half = length / 2, pieces = Math.max(1, Math.ceil(length / (1.2 * r)));
  if (!round) profile.push([0, -half], [r * 0.55, -half]);
  for (let k = round ? -4 : 0; k <= 0; k++)
    profile.push([r * Math.cos(k * Math.PI / 8), -half + r * Math.sin(k * Math.PI / 8)]);
  for (let k = 1; k <= pieces; k++) profile.push([r, -half + length * k / pieces]);
  if (round)
    for (let k = 1; k <= 4; k++)
      profile.push([r * Math.cos(k * Math.PI / 8), half + r * Math.sin(k * Math.PI / 8)]);
  else profile.push([r * 0.55, half], [0, half]);
  return revolved(profile);
}
function brick(size) {
  const points = [], faces = [], n = 3;
  for (let axis = 0; axis < 3; axis++)
    for (const side of [-1, 1]) {
      const u = (axis + 1) % 3, v = (axis + 2) % 3, first = points.length;
      for (let i = 0; i <= n; i++)
        for (let j = 0; j <= n; j++) {
          const p = [0, 0, 0];
          p[axis] = side * size[axis] / 2;
          p[u] = size[u] * (i / n - 0.5) * side;
          p[v] = size[v] * (j / n - 0.5);
          points.push(p);
        }
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++) {
          const a = first + i * (n + 1) + j;
          faces.push([a, a + n + 1, a + n + 2, a + 1]);
        }
    }
  return {points, faces};
}
function shape([body, kind, a, b, c, x, y, z, qw, qx, qy, qz, ...colour]) {
  const mesh = kind === 2 ? brick([a, b, c]) : tube(a, b, kind === 0);
  const X = pose([x, y, z], [qw, qx, qy, qz]);
  return {body, colour, points: mesh.points.map(p => apply(X, p)), faces: mesh.faces};
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
const low = data.low.slice(), high = data.high.slice();
for (const way of tips) for (const p of way)
  for (let i = 0; i < 3; i++) low[i] = Math.min(low[i], p[i]), high[i] = Math.max(high[i], p[i]);
const size = Math.max(Math.hypot(...sub(high, low)), 0.6 * data.reach);
const floor = low[2] > -0.02 * size ? 0 : low[2] - 0.12 * size;
const middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (floor + high[2]) / 2];
const light = unit([0.35, -0.45, 0.9]);
let azimuth, elevation, distance, eye, right, up, forward, scale, W, H, ratio = 1;
const home = () => { azimuth = -0.9; elevation = 0.33; distance = 1.9 * size; };
home();
function aim() {
  const c = Math.cos(elevation);
  forward = [-c * Math.cos(azimuth), -c * Math.sin(azimuth), -Math.sin(elevation)];
  right = unit(cross(forward, [0, 0, 1]));
  up = cross(right, forward);
  eye = [0, 1, 2].map(i => middle[i] - distance * forward[i]);
  scale = 1.55 * Math.min(H, 0.95 * W);
}
function project(p) {
  const d = sub(p, eye), depth = dot(d, forward);
  return [W / 2 + scale * dot(d, right) / depth, H / 2 - scale * dot(d, up) / depth, depth];
}
const near = () => 0.05 * distance;

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
  return list.map(s => ({...s, load: payload && s === payload.shape, points: s.points.map(p => apply(at[s.body], p))}));
}
function drawShadow(g, list) {
  g.fillStyle = colours.night ? 'rgba(0,0,0,.34)' : 'rgba(20,30,45,.13)';
  g.beginPath();
  for (const {points, faces} of list) {
    const cast = points.map(p => {
      const h = (p[2] - floor) / light[2];
      return project([p[0] - h * light[0], p[1] - h * light[1], floor]);
    });
    for (const [a, b, c, d] of faces) {
      // faces towards the light only: they all turn the same way, so the shadows unite
      if (dot(cross(sub(points[c], points[a]), sub(points[d], points[b])), light) <= 0) continue;
      if (Math.min(cast[a][2], cast[b][2], cast[c][2], cast[d][2]) < near()) continue;
      g.moveTo(cast[a][0], cast[a][1]);
      for (const k of [b, c, d]) g.lineTo(cast[k][0], cast[k][1]);
      g.closePath();
    }
  }
  g.fill();
}
function drawSolids(g, list, tint, share) {
  const faces = [];
  for (const s of list) {
    const flat = s.points.map(project), colour = s.load ? s.colour : mixed(s.colour, tint, share);
    for (const [a, b, c, d] of s.faces) {
      const P = s.points, normal = unit(cross(sub(P[c], P[a]), sub(P[d], P[b])));
      const centre = [0, 1, 2].map(i => (P[a][i] + P[b][i] + P[c][i] + P[d][i]) / 4);
      const out = unit(sub(eye, centre));
      if (dot(normal, out) <= 0) continue;
      const depth = (flat[a][2] + flat[b][2] + flat[c][2] + flat[d][2]) / 4;
      if (depth < near()) continue;
      const half = unit([0, 1, 2].map(i => out[i] + light[i]));
      const bright = 0.46 + 0.46 * Math.max(0, dot(normal, light)) + 0.1 * normal[2];
      const gleam = 60 * Math.max(0, dot(normal, half)) ** 30;
      faces.push([depth, colour.map(e => Math.min(255, e * bright + gleam)), flat[a], flat[b], flat[c], flat[d]]);
    }
  }
  faces.sort((p, q) => q[0] - p[0]);
  g.lineWidth = 0.8;
  g.lineJoin = 'round';
  for (const [, colour, a, b, c, d] of faces) {
    g.fillStyle = g.strokeStyle = ink(colour, 1);
    g.beginPath();
    g.moveTo(a[0], a[1]); g.lineTo(b[0], b[1]); g.lineTo(c[0], c[1]); g.lineTo(d[0], d[1]);
    g.closePath();
    g.fill();
    g.stroke();  // hides the seams
  }
}
function drawTrail(g, arm, time, alpha) {
  const last = time / data.step, length = 2.5 / data.step, way = tips[arm];
  g.lineWidth = 2;
  for (let k = Math.max(0, Math.floor(last - length)); k < Math.floor(last); k++) {
    g.strokeStyle = ink(colours[data.arms[arm].colour], alpha * (1 - (last - k) / (length + 1)));
    line(g, [way[k], way[k + 1]]);
  }
}
const layer = document.createElement('canvas');
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
    if (arm === first) {
      drawShadow(g, list);
      drawTrail(g, arm, time, 0.95);
      drawSolids(g, list, colour, 0.3);
    } else {  // a ghost: drawn apart, so that it shines through as a whole
      const h = layer.getContext('2d');
      h.setTransform(ratio, 0, 0, ratio, 0, 0);
      h.clearRect(0, 0, W, H);
      drawSolids(h, list, colour, 0.75);
      g.globalAlpha = 0.5;
      g.setTransform(1, 0, 0, 1, 0, 0);
      g.drawImage(layer, 0, 0);
      g.setTransform(ratio, 0, 0, ratio, 0, 0);
      g.globalAlpha = 1;
      drawTrail(g, arm, time, 0.75);
    }
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
  canvas.width = layer.width = Math.max(1, Math.round(W * ratio));
  canvas.height = layer.height = Math.max(1, Math.round(H * ratio));
  soon();
}
new ResizeObserver(fit).observe(canvas);
new IntersectionObserver(list => { seen = list[list.length - 1].isIntersecting; soon(); }).observe(canvas);
window.matchMedia('(prefers-color-scheme:dark)').addEventListener('change', () => { readColours(); soon(); });
readColours();
fit();
if (!window.matchMedia('(prefers-reduced-motion:reduce)').matches) set(true);
});
)js";

}  // namespace ulna::cli
