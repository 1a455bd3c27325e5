import { fixed } from '../util/format.ts';
import { h, replace, setText } from '../util/dom.ts';
import { icon } from '../util/icons.ts';
import type { Context } from './page.ts';

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

/** Play, scrub, speed, loop; and a simulation from the pose that is shown. */
export function timeBar(context: Context): { element: HTMLElement; update(): void } {
  const { session } = context;
  const { clock } = session;
  const play = h('button', {
    class: 'button play',
    onclick: () => clock.play(!clock.playing.value),
  });
  const scrub = h('input', { type: 'range', min: 0, max: 1, step: 'any', 'aria-label': 'time' });
  scrub.addEventListener('input', () => {
    const range = clock.range.value;
    if (range) clock.go(range.begin + Number(scrub.value) * (range.end - range.begin));
  });
  scrub.addEventListener('pointerdown', () => {
    const resume = clock.playing.value && !clock.following.value;
    clock.playing.value = false;
    clock.following.value = false;
    scrub.addEventListener('pointerup', () => resume && clock.play(true), { once: true });
  });
  const output = h('output');
  const speed = h(
    'select',
    { 'aria-label': 'speed', title: 'speed' },
    ...speeds.map((s) => h('option', { value: s }, `${String(s)}×`)),
  );
  speed.value = '1';
  speed.addEventListener('change', () => {
    clock.speed.value = Number(speed.value);
    if (session.hello.value?.mode === 'live')
      context.send({ type: 'live', do: 'speed', factor: clock.speed.value });
  });
  session.live.changed((live) => {
    if (live && document.activeElement !== speed) speed.value = String(live.speed);
  });
  const loop = h(
    'button',
    {
      class: 'button bare wide',
      title: 'begin again at the end (L)',
      'aria-label': 'loop',
      onclick: () => (clock.loop.value = !clock.loop.value),
    },
    icon('loop'),
  );
  clock.loop.watch((on) => loop.setAttribute('aria-pressed', String(on)));
  const follow = h(
    'button',
    { class: 'button following', onclick: () => clock.follow() },
    h('i'),
    'Now',
  );

  const torque = h(
    'select',
    { 'aria-label': 'torques of the simulation' },
    h('option', { value: 'none' }, 'no torque'),
    h('option', { value: 'gravity' }, 'gravity compensated'),
    h('option', { value: 'pd' }, 'held by PD'),
  );
  const simulate = h(
    'button',
    {
      class: 'button',
      onclick: () => {
        const state = session.main;
        if (!state) return;
        const q = Array.from(state.q);
        session.clearTracks();
        if (
          context.send({
            type: 'simulate',
            robot: state.robot.id,
            q,
            seconds: 5,
            torque: torque.value,
            request: 0,
          })
        ) {
          simulate.disabled = true;
          setTimeout(() => (simulate.disabled = false), 20000); // an answer may get lost
        }
      },
    },
    'Simulate 5 s',
  );
  const simulation = h('span', { class: 'wide', style: 'display:flex;gap:6px' }, torque, simulate);
  session.ended.changed(() => {
    simulate.disabled = false;
    clock.go(clock.range.value?.begin ?? 0);
    clock.play(true);
  });
  session.error.changed(() => (simulate.disabled = false));

  const element = h(
    'section',
    { class: 'time', 'aria-label': 'time' },
    play,
    h('div', { class: 'scrub' }, scrub),
    output,
    follow,
    speed,
    loop,
    simulation,
  );
  const states = (): void => {
    const range = clock.range.value;
    const live = session.isLive;
    const timed = range !== null;
    simulation.hidden = !session.can('simulate') || (live && timed); // a robot that moves goes on
    element.hidden = !timed && !session.can('simulate');
    for (const part of [play, scrub.parentElement!, output, speed]) part.hidden = !timed;
    speed.hidden = !timed || session.hello.value?.mode === 'feed';
    loop.hidden = !timed || live;
    follow.hidden = !live || clock.following.value;
    replace(play, icon(clock.playing.value ? 'pause' : 'play'));
    play.setAttribute('aria-label', clock.playing.value ? 'pause' : 'play');
    play.title = `${clock.playing.value ? 'pause' : 'play'} (space)`;
  };
  for (const signal of [session.hello, session.robots, clock.playing, clock.following, clock.range])
    (signal as { watch(read: () => void): void }).watch(states);

  const update = (): void => {
    const range = clock.range.value;
    if (!range) return;
    const share =
      range.end > range.begin ? (clock.time.value - range.begin) / (range.end - range.begin) : 1;
    scrub.value = String(share);
    scrub.style.setProperty('--share', `${(100 * share).toFixed(2)}%`);
    const digits = range.end - range.begin < 100 ? 3 : 2;
    setText(
      output,
      clock.following.value
        ? `${fixed(clock.time.value, 1)} s`
        : `${fixed(clock.time.value, digits)} / ${fixed(range.end, digits)} s`,
    );
  };
  clock.time.changed(update);
  return { element, update };
}
