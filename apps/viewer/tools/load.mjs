/**
 * Does the playground's controller keep its step times while pages look on? In one run: first one client that listens, then 20 that
 * read, four of which are slow, beside half-open connections and one that sends garbage, then one again.
 *
 *     ULNA=path/to/ulna node tools/load.mjs [SECONDS [ROBOT]]        (60 panda)
 *
 * Prints figures of each phase and their ratio; exit 1 if a client was dropped or starved that reads, 2 if it cannot begin.
 */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';

const seconds = Number(process.argv[2] ?? 60);
const robot = process.argv[3] ?? 'panda';
if (!(seconds >= 2)) {
  console.error('load.mjs: SECONDS is a number from 2 on');
  process.exit(2);
}
const program =
  process.env.ULNA ?? fileURLToPath(new URL('../../../build/dev/bin/ulna', import.meta.url));
const readers = 16;
const slow = 4;
const halfOpen = 4;
const wait = (s) => new Promise((done) => setTimeout(done, 1000 * s));

const ulna = spawn(program, ['mpc', robot, '--live'], { stdio: ['ignore', 'pipe', 'inherit'] });
ulna.on('error', ({ message }) => {
  console.error(`load.mjs: ${program}: ${message}; set ULNA to the program`);
  process.exit(2);
});
const port = await new Promise((done) => {
  ulna.stdout.on('data', (text) => {
    const found = /127\.0\.0\.1:(\d+)/.exec(String(text));
    if (found) done(Number(found[1]));
  });
});

/** A page that counts what it gets. */
function page() {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/stream`);
  const one = { socket, states: 0, live: [], closed: false };
  socket.on('error', () => {});
  socket.on('close', () => (one.closed = true));
  socket.on('message', (data, binary) => {
    if (binary) one.states += data[0] === 1 ? 1 : 0;
    else if (data.includes('"type":"live"')) one.live.push(JSON.parse(data));
  });
  return new Promise((done) => socket.on('open', () => done(one)));
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const observer = await page();
await wait(3); // until it runs evenly

/** Step times while something goes on: of windows of 2000 steps, one in two seconds, so that each step counts once. */
async function phase(name, duration) {
  const begin = process.cpuUsage();
  observer.live = [];
  observer.states = 0;
  await wait(duration);
  const windows = observer.live.filter((_, k) => k % 20 === 19 || k === observer.live.length - 1);
  const { user, system } = process.cpuUsage(begin);
  return {
    phase: name,
    'p50 us': Math.round(median(windows.map((m) => m.step_us.p50))),
    'p99 us': Math.round(median(windows.map((m) => m.step_us.p99))),
    'worst p99 us': Math.round(Math.max(...windows.map((m) => m.step_us.p99))),
    realtime: Number(median(windows.map((m) => m.realtime)).toFixed(3)),
    'states/s': Math.round(observer.states / duration),
    'CPU of clients %': Math.round((user + system) / 1e4 / duration),
  };
}

const quiet = Math.max(2, seconds / 3);
const rows = [await phase('one client, before', quiet)];

const reading = await Promise.all(Array.from({ length: readers }, page));
const lagging = await Promise.all(Array.from({ length: slow }, page));
for (const { socket } of lagging) socket.pause();
const open = Array.from({ length: halfOpen }, (_, k) => {
  const socket = connect(port, '127.0.0.1', () => socket.write(k % 2 ? 'GET /stre' : ''));
  return socket.on('error', () => {});
});
const rude = await page();
const garbage = setInterval(() => {
  const bytes = Buffer.from(Array.from({ length: 60 }, () => Math.floor(256 * Math.random())));
  rude.socket.send(Math.random() < 0.5 ? bytes : bytes.toString('latin1'));
  rude.socket.send('{"type":"live","do":"pull","link":1e9,"point":[null],"to":"there"}');
}, 20);
reading.forEach((one) => (one.states = 0));
rows.push(await phase(`${readers + slow} clients and ${halfOpen + 1} bad ones`, seconds));
const fewest = Math.min(...reading.map((one) => one.states / seconds));
const lost = reading.filter((one) => one.closed).length;

clearInterval(garbage);
for (const { socket } of [...reading, ...lagging, rude]) socket.terminate();
open.forEach((socket) => socket.destroy());
await wait(1);
rows.push(await phase('one client, after', quiet));
observer.socket.terminate();
ulna.kill('SIGTERM');

console.table(Object.fromEntries(rows.map(({ phase: name, ...figures }) => [name, figures])));
const alone = (rows[0]['p99 us'] + rows[2]['p99 us']) / 2;
console.log(`p99 with clients over p99 without: ${(rows[1]['p99 us'] / alone).toFixed(2)}`);
console.log(`the slowest of ${readers} readers got ${fewest.toFixed(0)} states/s; lost: ${lost}`);
process.exit(lost > 0 || !(fewest > 10) ? 1 : 0);
