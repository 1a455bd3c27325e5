import 'uplot/dist/uPlot.min.css';
import './style/all.css';
import { Exports } from './export/exports.ts';
import { installHook } from './hook.ts';
import { layout } from './panels/layout.ts';
import { Choice, type Context } from './panels/page.ts';
import { Questions } from './questions.ts';
import { hasScene, reportPage } from './report/report_page.ts';
import { Stage } from './scene/stage.ts';
import { World } from './scene/world.ts';
import { Session } from './session.ts';
import { bytesOf } from './stream/base64.ts';
import { decode } from './stream/binary.ts';
import { Connection } from './stream/connection.ts';
import { embedded } from './stream/embedded.ts';
import { Meshes } from './stream/meshes.ts';
import { parseMessage, readMessage, type Report } from './stream/messages.ts';
import { h } from './util/dom.ts';

const carried = embedded();
// before anything else changes the document: an export begins with it
const source = `<!doctype html>\n${document.documentElement.outerHTML}`;

const session = new Session();
const choice = new Choice();
const meshes = new Meshes(async (mesh) => {
  if (carried) {
    const bytes = carried.meshes[String(mesh)];
    return typeof bytes === 'string' ? bytesOf(bytes) : null;
  }
  const answer = await fetch(`/mesh/${mesh}`);
  return answer.ok ? answer.arrayBuffer() : null;
});
session.scene.changed(() => meshes.forget());

const receive = (message: ReturnType<typeof readMessage>): void => {
  if (message) session.receive(message);
};
const receiveBinary = (buffer: ArrayBuffer): void => {
  const message = decode(buffer);
  if (message) session.receiveBinary(message);
};
const connection = carried
  ? null
  : new Connection(
      `ws://${location.host}/stream`,
      (text) => receive(parseMessage(text)),
      receiveBinary,
    );

const questions = new Questions(session, (message) => connection?.send(message) ?? false);
const canvas = h('canvas', { tabindex: 0, 'aria-label': 'the robot in 3D' });
const labels = h('div', { class: 'labels' });
const stageElement = h('section', { class: 'stage' }, canvas, labels);
document.getElementById('app')!.append(stageElement);

function moves({ blocks }: Report): boolean {
  return hasScene(blocks) && !matchMedia('(prefers-reduced-motion: reduce)').matches;
}

function makeWorld(): World | null {
  let stage: Stage;
  try {
    stage = new Stage(canvas);
  } catch {
    canvas.hidden = true;
    return null;
  }
  const actions = {
    pull: (pull: { link: number; point: number[]; to: number[] } | null) =>
      void questions.send(
        pull ? { type: 'live', do: 'pull', ...pull } : { type: 'live', do: 'release' },
      ),
    target: (frame: string, pose: { numbers(): number[] }) =>
      questions.reach(frame, pose.numbers(), made.positionOnly.value),
    select: (link: number) => (choice.link.value = link),
  };
  const made = new World(stage, session, (mesh) => meshes.get(mesh), actions, labels);
  return made;
}

const arriving = (carried?.messages ?? []).map(readMessage);
const report = arriving.find((message) => message?.type === 'report') ?? null;
// a report is laid out for what it is about; the panels of the viewer wait for whatever comes
if (report) arriving.forEach(receive);
const world = report && !hasScene(report.blocks) ? null : makeWorld();
const context: Context = {
  session,
  choice,
  world,
  send: (message) => questions.send(message),
  pose: (q) => questions.pose(q),
  goal: (q) => questions.goal(q),
};
choice.link.changed((link) => world?.highlight(link));
session.robots.changed(() => (choice.link.value = -1));
const exports = new Exports(session, choice, meshes, source, () => world);
const page = report
  ? reportPage(context, report, stageElement)
  : layout(context, connection, exports, stageElement);
installHook(context, page.update);
if (carried) {
  if (!report) arriving.forEach(receive);
  for (const bytes of carried.binary) receiveBinary(bytesOf(bytes));
  session.clock.play(!report || moves(report));
}

let last = performance.now();
function frame(now: number): void {
  requestAnimationFrame(frame);
  session.clock.tick(Math.min((now - last) / 1000, 1)); // no further after the page was hidden
  last = now;
  session.showTime();
  questions.frame();
  world?.update();
  world?.stage.draw();
  page.update();
}
requestAnimationFrame(frame);
