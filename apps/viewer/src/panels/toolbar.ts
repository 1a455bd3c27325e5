import { fixed, degrees } from '../util/format.ts';
import { h, replace } from '../util/dom.ts';
import { icon, type Icon } from '../util/icons.ts';
import type { Layer } from '../scene/robot_view.ts';
import type { Tool, World } from '../scene/world.ts';
import type { Context } from './page.ts';
import { popover } from './popover.ts';

export const layerNames: Record<Layer, string> = {
  shapes: 'Shapes',
  collisions: 'Collision shapes',
  frames: 'Frames',
  axes: 'Joint axes',
  limits: 'Joint limits',
  masses: 'Centres of mass',
  inertias: 'Inertia ellipsoids',
};

/** Over the scene: what the pointer does, and what is shown. */
export function toolbar({ session }: Context, world: World): HTMLElement[] {
  const tools = h('div', { class: 'segments', role: 'group', 'aria-label': 'tool' });
  for (const [tool, name, picture, key] of [
    ['look', 'Look', 'look', 'V'],
    ['move', 'Move a frame', 'move', 'I'],
    ['measure', 'Measure', 'measure', 'M'],
  ] as [Tool, string, Icon, string][]) {
    const button = h(
      'button',
      { title: `${name} (${key})`, 'aria-label': name, onclick: () => (world.tool.value = tool) },
      icon(picture),
      h('span', {}, name),
    );
    world.tool.watch((now) => button.setAttribute('aria-pressed', String(now === tool)));
    tools.append(button);
    if (tool === 'move') session.hello.watch(() => (button.hidden = !session.can('ik')));
  }
  const list = h(
    'div',
    {},
    ...(Object.keys(layerNames) as Layer[]).map((layer, k) => {
      const box = h('input', {
        type: 'checkbox',
        role: 'switch',
        'data-layer': layer,
        onchange: () => world.toggle(layer),
      });
      world.layers.watch((on) => (box.checked = on.has(layer)));
      return h(
        'label',
        { class: 'switch' },
        h('span', {}, layerNames[layer], ' ', h('small', { class: 'soft' }, String(k + 1))),
        box,
      );
    }),
  );
  const shown = h(
    'button',
    { class: 'button', title: 'what is shown', 'aria-label': 'what is shown' },
    icon('layers'),
  );
  const fit = h(
    'button',
    { class: 'button', title: 'see all (F)', 'aria-label': 'see all', onclick: () => world.fit() },
    icon('fit'),
  );
  return [h('div', { class: 'tools' }, tools, popover(shown, list), fit), options(session, world)];
}

/** What belongs to the tool that is chosen. */
function options(session: Context['session'], world: World): HTMLElement {
  const element = h('div', { class: 'tool-options', hidden: true });
  const frames = h('select', { 'aria-label': 'frame' });
  frames.addEventListener('change', () => (world.frame.value = frames.value));
  const turning = h('div', { class: 'segments' });
  for (const [name, turn] of [
    ['Move', false],
    ['Turn', true],
  ] as const) {
    const button = h('button', { onclick: () => (world.turning.value = turn) }, name);
    world.turning.watch((now) => button.setAttribute('aria-pressed', String(now === turn)));
    turning.append(button);
  }
  const position = h('input', { type: 'checkbox', role: 'switch' });
  position.addEventListener('change', () => (world.positionOnly.value = position.checked));
  const verdict = h('span', { class: 'soft', 'data-verdict': '' });

  const list = (): void => {
    const robot = session.main?.robot;
    const names = [
      ...new Set([...(robot?.links ?? []), ...(robot?.frames ?? [])].map((each) => each.name)),
    ];
    replace(frames, ...names.map((name) => h('option', { value: name }, name)));
    frames.value = world.frame.value;
  };
  session.robots.watch(list);
  world.frame.changed((name) => (frames.value = name));
  world.tool.watch((tool) => {
    element.hidden = tool === 'look';
    if (tool === 'move')
      replace(
        element,
        frames,
        turning,
        h('label', { class: 'switch' }, h('span', {}, 'position only'), position),
        verdict,
      );
    else if (tool === 'measure')
      replace(
        element,
        h(
          'span',
          { class: 'soft', style: 'padding:4px 6px 4px 0' },
          'Pick two points on the robot.',
        ),
      );
    list();
  });
  session.ik.changed((answer) => {
    if (!answer) return;
    verdict.className = answer.reached ? 'soft' : 'bad';
    verdict.style.color = answer.reached ? 'var(--good)' : 'var(--bad)';
    verdict.textContent = answer.reached
      ? 'reached'
      : `not reached: ${fixed(1000 * answer.error_m, 1)} mm, ${fixed(degrees(answer.error_rad), 1)}° off`;
  });
  return element;
}
