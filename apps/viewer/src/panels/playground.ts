import type { Live } from '../stream/messages.ts';
import { LiveHistory } from '../time/live_history.ts';
import { fixed, significant } from '../util/format.ts';
import { h, replace, setText } from '../util/dom.ts';
import type { Context } from './page.ts';
import { RangeRows } from './range_rows.ts';
import { TimePlot } from './time_plot.ts';

/** Hands on a controller that runs: weights, friction, sensors, and what it finds out about them. */
export function playgroundPanel({ session, send }: Context): {
  element: HTMLElement;
  update(): void;
} {
  const tell = (message: object): void => void send({ type: 'live', ...message });
  const column = (name: (typeof LiveHistory.columns)[number]): number =>
    LiveHistory.columns.indexOf(name);
  const table = () => session.history.track;

  const weight = slider(
    'Weight on the hand',
    0,
    4,
    0.05,
    (kg) => `${fixed(kg, 2)} kg`,
    (mass) => tell({ do: 'payload', mass }),
  );
  const friction = slider(
    'Friction',
    0,
    4,
    0.05,
    (factor) => `${fixed(factor, 2)} ×`,
    (factor) => tell({ do: 'friction', factor }),
  );
  friction.set(1);
  const identify = switched('Identify while it moves', (on) => tell({ do: 'identify', on }));
  const pause = h(
    'button',
    {
      class: 'button',
      onclick: () => tell({ do: 'pause', on: session.live.value?.running ?? true }),
    },
    'Pause',
  );
  const reset = h('button', { class: 'button', onclick: () => tell({ do: 'reset' }) }, 'Reset');
  const sensors = h('div', { class: 'chips' });

  const tracking = h('b');
  const step = h('b');
  const pace = h('div', { class: 'callout', hidden: true });
  const payloadRow = new RangeRows('kg', 'payload');
  const masses = new RangeRows('kg');
  const findings = h('ul', { class: 'findings' });
  const state = h('span', { class: 'badge' });
  const plots = [
    new TimePlot(
      {
        title: 'Weight',
        unit: 'kg',
        names: ['estimate', 'low', 'high', 'truth'],
        columns: [column('payload'), column('low'), column('high'), column('truth')],
        bands: [[1, 2]],
        within: [-1, 6], // a pull may look like any weight for a moment
        styles: ['accent', 'accent', 'accent', 'warm'].map((color) => ({ color })),
        table,
      },
      session.clock,
      96,
    ),
    new TimePlot(
      {
        title: 'Tracking error',
        unit: 'mrad',
        names: ['rms'],
        columns: [column('tracking')],
        table,
      },
      session.clock,
      84,
    ),
    new TimePlot(
      {
        title: 'Step time',
        unit: 'µs',
        names: ['p50', 'p99'],
        columns: [column('p50'), column('p99')],
        table,
      },
      session.clock,
      84,
    ),
  ];

  const element = h(
    'div',
    {},
    h(
      'section',
      { class: 'card' },
      h('div', { class: 'heading' }, h('b', {}, 'Playground'), state),
      h('p', { class: 'soft', style: 'margin:0 0 12px' }, 'Drag the robot to pull it.'),
      weight.element,
      friction.element,
      identify.element,
      h('div', { class: 'row-buttons', style: 'margin-top:6px' }, pause, reset),
    ),
    h(
      'section',
      { class: 'card' },
      h('h2', {}, 'What it carries'),
      payloadRow.element,
      legend(),
      plots[0].element,
    ),
    h(
      'section',
      { class: 'card' },
      h('h2', {}, 'How well it runs'),
      h(
        'div',
        { class: 'big' },
        h('div', {}, tracking, h('span', {}, 'tracking error, rms')),
        h('div', {}, step, h('span', {}, 'step time, p99')),
      ),
      pace,
      plots[1].element,
      plots[2].element,
    ),
    h('section', { class: 'card' }, h('h2', {}, 'Masses of the links'), masses.element),
    h('section', { class: 'card' }, h('h2', {}, 'Blind a sensor'), sensors, findings),
  );

  session.robots.watch(() => {
    masses.clear();
    payloadRow.clear();
    const robot = session.main?.robot;
    const moving = robot
      ? robot.joints
          .map((joint, k) => ({ joint, k }))
          .filter(({ joint }) => joint.q >= 0 && !joint.mimic)
      : [];
    replace(
      sensors,
      ...moving.map(({ joint, k }) =>
        h(
          'button',
          {
            class: 'chip',
            'data-joint': k,
            'aria-pressed': 'false',
            onclick: (event) => {
              const chip = event.currentTarget as HTMLElement;
              tell({ do: 'blind', joint: k, on: chip.getAttribute('aria-pressed') !== 'true' });
            },
          },
          joint.name,
        ),
      ),
    );
  });
  session.live.changed((live) => live && show(live));

  const show = (live: Live): void => {
    friction.follow(live.friction);
    if (live.payload && Number.isFinite(live.payload.true)) weight.follow(live.payload.true);
    identify.set(live.identify);
    setText(pause, live.running ? 'Pause' : 'Go on');
    setText(state, live.running ? live.state || 'run' : 'paused');
    state.className = `badge${live.running ? ' live' : ''}`;
    for (const chip of sensors.children)
      chip.setAttribute(
        'aria-pressed',
        String(live.blinded.includes(Number((chip as HTMLElement).dataset['joint']))),
      );
    figure(tracking, live.tracking_mrad, 'mrad');
    figure(step, live.step_us?.p99 ?? NaN, 'µs');
    const asked = session.clock.speed.value;
    pace.hidden = !live.running || !(live.realtime < 0.9 * asked);
    setText(
      pace,
      `This computer is too slow for the robot: its time passes at ${significant(live.realtime, 2)} of the real one.`,
    );
    payloadRow.show(live.payload ? [{ name: 'weight', ...live.payload }] : []);
    masses.show(live.masses.map(({ link, ...estimate }) => ({ name: link, ...estimate })));
    if (
      findings.childElementCount !== live.findings.length ||
      findings.textContent !== live.findings.join('')
    )
      replace(findings, ...live.findings.map((finding) => h('li', {}, finding)));
  };
  return { element, update: () => plots.forEach((plot) => plot.update(table())) };
}

function figure(element: HTMLElement, value: number, unit: string): void {
  const text = significant(value);
  if (element.firstChild?.textContent === text) return;
  replace(element, text, h('small', {}, ` ${unit}`));
}

function legend(): HTMLElement {
  return h(
    'div',
    { style: 'margin:4px 0 8px' },
    h('span', { class: 'key' }, h('i'), 'estimate'),
    h('span', { class: 'key' }, h('i', { class: 'band' }), '± 2 deviations'),
    h('span', { class: 'key' }, h('i', { class: 'truth' }), 'truth'),
  );
}

/** A slider that follows the server, except while a hand is on it. */
function slider(
  name: string,
  low: number,
  high: number,
  step: number,
  text: (x: number) => string,
  send: (x: number) => void,
) {
  const input = h('input', {
    type: 'range',
    min: low,
    max: high,
    step,
    value: low,
    'aria-label': name,
  });
  const output = h('output', {}, text(low));
  let touched = -Infinity;
  const set = (x: number): void => {
    input.value = String(x);
    setText(output, text(x));
    input.style.setProperty('--share', `${(100 * (x - low)) / (high - low)}%`);
  };
  input.addEventListener('input', () => {
    touched = performance.now();
    set(Number(input.value));
    send(Number(input.value));
  });
  set(low);
  return {
    element: h('label', { class: 'slider-row' }, h('b', {}, name), output, input),
    set,
    follow: (x: number) => {
      if (performance.now() - touched > 700) set(x);
    },
  };
}

function switched(name: string, send: (on: boolean) => void) {
  const input = h('input', { type: 'checkbox', role: 'switch', 'aria-label': name });
  let touched = -Infinity;
  input.addEventListener('change', () => {
    touched = performance.now();
    send(input.checked);
  });
  return {
    element: h('label', { class: 'switch' }, h('span', { style: 'font-weight:500' }, name), input),
    set: (on: boolean) => {
      if (performance.now() - touched > 700) input.checked = on;
    },
  };
}
