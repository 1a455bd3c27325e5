/**
 * A server of the stream that knows no robot dynamics: enough to test the page against.
 *
 *     node tests/mock/server.mjs MODE [ROBOT [PORT]]       (MODE: robot, log, live)
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { arrowLog, mesh, state, table, track, trail, values } from './messages.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
export const robotFile = (name) => here(`../../../../robots/${name}.urdf`);

export function sceneOf(name, ...options) {
  return JSON.parse(
    execFileSync('python3', [here('urdf_scene.py'), robotFile(name), ...options], {
      maxBuffer: 64e6,
    }),
  );
}

/** Where each joint is at a time: a slow swing within its limits. */
export function motionOf(robot) {
  return (time) => {
    const q = robot.q.slice();
    robot.joints.forEach((joint, k) => {
      if (joint.q < 0 || joint.nq !== 1) return;
      const lower = joint.lower?.[0] ?? -0.5;
      const upper = joint.upper?.[0] ?? 0.5;
      const reach = Math.min((upper - lower) / 2, 0.6);
      q[joint.q] = (lower + upper) / 2 + 0.6 * reach * Math.sin(0.7 * time + 0.9 * k);
    });
    return q;
  };
}

const names = (robot) => robot.joints.filter((j) => j.nq === 1 && j.q >= 0).map((j) => j.name);
const group = (name, unit, list) => ({
  name,
  unit,
  series: list.map((each, joint) => ({ name: each, robot: 0, joint })),
});

/** Starts a server; `port` says where. All that the page sends is in `received`. */
export async function startMock({
  mode = 'robot',
  robot = 'panda',
  page = here('../../dist/index.html'),
  port = 0,
  scene = null,
  seconds = 10,
} = {}) {
  const received = [];
  const clients = new Set();
  let current = robot;
  const http = createServer((request, answer) => {
    if (request.url === '/')
      answer.writeHead(200, { 'content-type': 'text/html' }).end(readFileSync(page));
    else if (request.url === '/mesh/0')
      answer.end(
        mesh([0, 0, 0, 0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.3], [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]),
      );
    else answer.writeHead(404).end();
  });
  const sockets = new WebSocketServer({ server: http, path: '/stream' });
  sockets.on('connection', (socket) => {
    clients.add(socket);
    const timers = [];
    const say = (message) => socket.send(JSON.stringify(message));
    const send = (message) => socket.send(message);
    const begin = (name) => {
      current = name;
      timers.splice(0).forEach(clearInterval);
      const shown =
        scene ?? sceneOf(name, ...(mode === 'log' || mode === 'live' ? ['--ghost'] : []));
      say(shown);
      if (mode === 'log') playLog(shown.robots, { say, send, seconds });
      if (mode === 'live') timers.push(...playLive(shown.robots, { say, send, received }));
    };
    say({
      type: 'hello',
      version: 1,
      program: 'mock',
      mode,
      title: robot,
      can:
        mode === 'robot'
          ? ['check', 'pose', 'ik', 'simulate']
          : mode === 'live'
            ? ['playground', 'pose']
            : ['pose'],
      robots: mode === 'log' ? [] : ['panda', 'ur5e', 'scara', 'quadruped', 'humanoid'],
    });
    begin(current);
    socket.on('message', (data) => {
      const message = JSON.parse(data.toString());
      received.push(message);
      answer(message, { say, send, begin });
    });
    socket.on('close', () => {
      clients.delete(socket);
      timers.forEach(clearInterval);
    });
  });
  await new Promise((done) => http.listen(port, '127.0.0.1', done));
  return {
    port: http.address().port,
    url: `http://127.0.0.1:${http.address().port}/`,
    received,
    send: (data) =>
      clients.forEach((socket) =>
        socket.send(
          typeof data === 'string' || Buffer.isBuffer(data) ? data : JSON.stringify(data),
        ),
      ),
    drop: () => clients.forEach((socket) => socket.terminate()),
    close: () =>
      new Promise((done) => {
        clients.forEach((socket) => socket.terminate());
        sockets.close();
        http.close(done);
        http.closeAllConnections();
      }),
  };
}

function answer(message, { say, send, begin }) {
  const { type, request } = message;
  if (type === 'pose')
    say({
      type,
      robot: message.robot,
      q: message.q,
      gravity_torque: message.q.map((x, k) => 60 * Math.sin(x + k)),
      com: [0, 0, 0.3],
      energy: 0,
      request,
    });
  else if (type === 'ik') {
    // turns the first joint towards the target: not inverse kinematics, but an answer that can be told apart
    const [x, y, z] = message.target;
    const q = message.q.slice();
    q[0] = Math.atan2(y, x);
    say({
      type,
      robot: message.robot,
      q,
      reached: z < 2,
      error_m: z < 2 ? 0 : z - 2,
      error_rad: 0,
      request,
    });
  } else if (type === 'robot' || (type === 'live' && message.do === 'robot')) begin(message.name);
  else if (type === 'check') {
    const line = message.text.split('\n').findIndex((l) => l.includes('uper_arm')) + 1;
    const items =
      line > 0
        ? [
            {
              severity: 'error',
              line,
              rule: 'parent-unknown',
              message:
                "joint 'elbow': parent link 'uper_arm' is unknown; did you mean 'upper_arm'?",
              remedy: 'name a link that is there',
            },
            {
              severity: 'warning',
              line: 3,
              rule: 'inertial-missing',
              message: "link 'hand' has no inertial",
              remedy: 'give it a mass, or fix it to another link',
            },
          ]
        : [];
    say({
      type: 'diagnostics',
      file: message.name,
      id: 1,
      errors: items.length > 0 ? 1 : 0,
      warnings: items.length > 0 ? 1 : 0,
      notes: 0,
      text: message.text,
      items,
    });
    if (items.length === 0) begin('scara');
  } else if (type === 'simulate') {
    const shown = sceneOf('panda').robots[0];
    const times = Array.from({ length: 501 }, (_, k) => k * 0.01);
    send(
      track(
        0,
        times,
        times.map((t) => motionOf(shown)(t)),
      ),
    );
    say({ type: 'end', what: 'track' });
  }
}

function playLog(robots, { say, send, seconds }) {
  const [measured, reference] = robots;
  const motion = motionOf(measured);
  const times = Array.from({ length: Math.round(seconds * 100) + 1 }, (_, k) => k * 0.01);
  const joints = names(measured);
  const at = (t) => joints.map((_, k) => motion(t)[k]);
  say({
    type: 'channels',
    groups: [
      group('position', 'rad', joints),
      group('velocity', 'rad/s', joints),
      group('torque', 'Nm', joints),
    ],
  });
  send(track(measured.id, times, times.map(motion)));
  if (reference)
    send(
      track(
        reference.id,
        times,
        times.map((t) => motion(t - 0.15)),
      ),
    );
  const rows = times.map((t) => [
    ...at(t),
    ...at(t).map((q, k) => 50 * (at(t + 0.01)[k] - q) * 2),
    ...joints.map((_, k) => 30 * Math.exp(-0.3 * k) * Math.sin(0.7 * t + 0.9 * k) + Math.random()),
  ]);
  const half = times.length >> 1; // in two pieces
  send(table(times.slice(0, half), rows.slice(0, half)));
  send(table(times.slice(half), rows.slice(half)));
  send(
    arrowLog([
      { time: 2, arrows: [0.3, 0.1, 0.5, 10, 0, 40] },
      { time: 4, arrows: [] },
    ]),
  );
}

/** A run whose estimates come nearer to the truth as time goes by. */
function playLive(robots, { say, send, received }) {
  const [arm, reference] = robots;
  const motion = motionOf(arm);
  const began = performance.now();
  const links = arm.links.filter((l) => l.mass > 0).slice(-7);
  let [mass, estimate, deviation, friction, identify, running] = [0, 0, 0.05, 1, true, true];
  const blinded = new Set();
  let seen = 0;
  const joints = names(arm);
  say({
    type: 'channels',
    groups: [group('tracking error', 'mrad', joints), group('torque', 'Nm', joints)],
  });
  const now = () => (performance.now() - began) / 1000;
  const control = () => {
    for (; seen < received.length; seen++) {
      const m = received[seen];
      if (m.type !== 'live') continue;
      if (m.do === 'payload') [mass, deviation] = [m.mass, 0.6];
      if (m.do === 'friction') friction = m.factor;
      if (m.do === 'identify') identify = m.on;
      if (m.do === 'pause') running = !m.on;
      if (m.do === 'blind') m.on ? blinded.add(m.joint) : blinded.delete(m.joint);
    }
    if (identify) {
      estimate += 0.02 * (mass - estimate);
      deviation = Math.max(0.02, deviation * 0.985);
    }
  };
  const frame = setInterval(() => {
    if (!running) return;
    const t = now();
    control();
    const error = (k) => (1 + 6 * Math.abs(mass - estimate)) * Math.sin(9 * t + k) * 0.002;
    send(
      state(
        arm.id,
        t,
        motion(t).map((x, k) => x + error(k)),
      ),
    );
    if (reference) send(state(reference.id, t, motion(t)));
    send(
      values(t, [
        ...joints.map((_, k) => 1000 * error(k)),
        ...joints.map((_, k) => 40 * Math.exp(-0.3 * k) * Math.cos(0.7 * t + k)),
      ]),
    );
  }, 10);
  const report = setInterval(() => {
    control();
    const t = now();
    say({
      type: 'live',
      running,
      time: t,
      period_ms: 10,
      identify,
      blinded: [...blinded],
      friction,
      payload: { true: mass, estimate, deviation, frame: links.at(-1).name, density: 500 },
      state: 'run',
      findings:
        blinded.size > 0
          ? [`the sensor of ${[...blinded].map((j) => arm.joints[j].name)} is not used`]
          : [],
      masses: links.map((l, k) => ({
        link: l.name,
        true: l.mass,
        estimate: l.mass * (1 + 0.2 * Math.exp(-t / 8) * Math.sin(k + 1)),
        deviation: l.mass * (0.02 + 0.1 * Math.exp(-t / 8)),
      })),
      tracking_mrad: 2 + 10 * Math.abs(mass - estimate) + Math.random(),
      step_us: { p50: 420 + 40 * Math.random(), p99: 900 + 150 * Math.random() },
    });
  }, 100);
  void trail;
  return [frame, report];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [mode = 'robot', robot = 'panda', port = '8000'] = process.argv.slice(2);
  const { url } = await startMock({ mode, robot, port: Number(port) });
  console.log(url);
}
