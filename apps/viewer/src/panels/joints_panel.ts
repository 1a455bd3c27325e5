import type { Coordinate } from '../robot/coordinates.ts';
import { clamp, degrees, fixed, radians, significant } from '../util/format.ts';
import { h, replace, setText } from '../util/dom.ts';
import type { Context } from './page.ts';

/** A slider and a number for each coordinate of the robot, and the torque that holds it. */
export function jointsPanel(context: Context): {
  element: HTMLElement;
  search(words: string): void;
  update(): void;
} {
  const { session, choice } = context;
  const rows = h('div', { class: 'scroll' });
  let list: Row[] = [];
  let words = '';

  const unit = h('div', { class: 'segments', role: 'group', 'aria-label': 'unit of angles' });
  for (const [name, inDegrees] of [
    ['deg', true],
    ['rad', false],
  ] as const) {
    const button = h('button', { onclick: () => (choice.degrees.value = inDegrees) }, name);
    choice.degrees.watch((now) => button.setAttribute('aria-pressed', String(now === inDegrees)));
    unit.append(button);
  }
  const home = h(
    'button',
    {
      class: 'button bare',
      title: 'the pose that the robot came with',
      onclick: () => session.main && context.pose(session.main.robot.q),
    },
    'Reset pose',
  );
  const usual = h(
    'button',
    {
      class: 'button bare',
      title: 'sliders give the robot a goal; this ends it',
      onclick: () => context.goal(null),
    },
    'Usual motion',
  );
  const element = h(
    'div',
    { class: 'scroll', style: 'display:flex;flex-direction:column' },
    h('div', { class: 'joint-tools' }, unit, h('span', { class: 'spacer' }), home, usual),
    rows,
  );

  const build = (): void => {
    list = (session.main?.coordinates ?? []).map((coordinate) => row(context, coordinate));
    replace(
      rows,
      ...(list.length > 0
        ? list.map((r) => r.element)
        : [
            h(
              'div',
              { class: 'empty' },
              session.main ? 'This robot has no joint that moves.' : 'No robot yet.',
            ),
          ]),
    );
    home.hidden = list.length === 0 || session.isLive;
    usual.hidden = !session.can('playground');
    filter();
    select();
    update();
  };
  const filter = (): void =>
    list.forEach((r) => (r.element.hidden = !r.name.toLowerCase().includes(words)));
  const update = (): void => {
    if (element.clientWidth > 0) list.forEach((r) => r.update());
  };
  const select = (): void => list.forEach((r) => r.select(choice.link.value));
  session.robots.watch(build);
  choice.degrees.changed(build);
  choice.link.changed(select);
  return {
    element,
    search(text) {
      words = text;
      filter();
    },
    update,
  };
}

interface Row {
  name: string;
  element: HTMLElement;
  update(): void;
  select(link: number): void;
}

function row(context: Context, coordinate: Coordinate): Row {
  const { session, choice } = context;
  const state = session.main!;
  const angle = coordinate.unit === 'rad';
  const shown = (x: number): number => (angle && choice.degrees.value ? degrees(x) : x);
  const meant = (x: number): number => (angle && choice.degrees.value ? radians(x) : x);
  const digits = angle ? (choice.degrees.value ? 1 : 3) : 4;
  const unit = angle ? (choice.degrees.value ? '°' : 'rad') : 'm';

  const number = h('input', {
    type: 'number',
    step: 'any',
    'aria-label': `${coordinate.label}, ${unit}`,
  });
  const slider = h('input', {
    type: 'range',
    min: 0,
    max: 1,
    step: 'any',
    'aria-label': coordinate.label,
  });
  const beam = h('i');
  const torqueText = h('span');
  const torque = h(
    'div',
    { class: 'torque', hidden: true, title: 'torque that holds this pose against gravity' },
    h('div', { class: 'beam' }, beam),
    torqueText,
  );
  const ends = h(
    'div',
    { class: 'ends' },
    h('span', {}, fixed(shown(coordinate.lower), angle && choice.degrees.value ? 0 : 2)),
    h('span', {}, fixed(shown(coordinate.upper), angle && choice.degrees.value ? 0 : 2)),
  );
  const child = state.robot.joints[coordinate.joint].child;
  const element = h(
    'div',
    { class: 'joint', 'data-joint': coordinate.label },
    h(
      'div',
      { class: 'row' },
      h(
        'span',
        { class: 'name', title: coordinate.label, onclick: () => (choice.link.value = child) },
        coordinate.label,
      ),
      number,
      h('span', { class: 'unit' }, unit),
    ),
    slider,
    coordinate.limited && ends,
    torque,
  );

  const set = (value: number): void => {
    if (!Number.isFinite(value)) return;
    const aim = session.can('playground');
    const q = Float64Array.from((aim && session.goal) || state.q);
    coordinate.set(q, value);
    if (aim) context.goal(q);
    else context.pose(q);
  };
  const span = coordinate.upper - coordinate.lower;
  let touched = -Infinity; // what a hand moves is not moved back by what is measured meanwhile
  slider.addEventListener('input', () => {
    touched = session.isLive ? performance.now() : -Infinity;
    set(coordinate.lower + Number(slider.value) * span);
  });
  slider.addEventListener('keydown', (event) => {
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -10,
      PageUp: 10,
    };
    const count = steps[event.key];
    if (count === undefined) return;
    event.preventDefault();
    const step = angle ? radians(1) : span / 200;
    set(clamp(coordinate.get(state.q) + count * step, coordinate.lower, coordinate.upper));
  });
  slider.addEventListener('dblclick', () => set(clamp(0, coordinate.lower, coordinate.upper)));
  number.addEventListener('change', () => set(meant(number.valueAsNumber)));
  number.addEventListener('keydown', ({ key }) => key === 'Enter' && number.blur());
  slider.disabled = number.readOnly = session.isLive && !session.can('playground');

  const update = (): void => {
    const value = coordinate.get(state.q);
    const share = clamp((value - coordinate.lower) / span, 0, 1);
    if (document.activeElement !== number) number.value = shown(value).toFixed(digits).replace(/^-(0\.?0*)$/, '$1');
    if (performance.now() - touched < 700) return;
    slider.value = String(share);
    const zero = clamp(-coordinate.lower / span, 0, 1);
    slider.style.setProperty('--from', `${(100 * Math.min(zero, share)).toFixed(2)}%`);
    slider.style.setProperty('--share', `${(100 * Math.max(zero, share)).toFixed(2)}%`);
    slider.setAttribute('aria-valuetext', `${fixed(shown(value), digits)} ${unit}`);
    element.classList.toggle(
      'outside',
      coordinate.limited && (value < coordinate.lower - 1e-9 || value > coordinate.upper + 1e-9),
    );
    const holding = state.gravityTorque[coordinate.velocity];
    torque.hidden = holding === undefined || !Number.isFinite(holding);
    if (torque.hidden) return;
    const { effort } = coordinate;
    // what is nothing beside the drive's effort is nothing
    const rounded = Math.abs(holding) < Math.max(1e-9, 1e-4 * (effort ?? 0)) ? 0 : holding;
    const load = effort ? Math.abs(holding) / effort : 0;
    torque.className = `torque${load > 1 ? ' over' : load > 0.75 ? ' high' : ''}`;
    const half = 50 * Math.min(load, 1);
    beam.style.left = `${holding < 0 ? 50 - half : 50}%`;
    beam.style.width = `${half}%`;
    const force = angle ? 'Nm' : 'N';
    setText(
      torqueText,
      effort
        ? `${significant(rounded)} of ${significant(effort)} ${force}`
        : `${significant(rounded)} ${force}`,
    );
  };
  const select = (link: number): void => void element.classList.toggle('selected', link === child);
  return { name: coordinate.label, element, update, select };
}
