import type { BlockOf } from '../stream/report.ts';
import type { Context } from '../panels/page.ts';
import { keyboard } from '../panels/keyboard.ts';
import { timeBar } from '../panels/time_bar.ts';
import { h } from '../util/dom.ts';

/** The scene, its time, which robots are shown, and what happened when. */
export function motion(
  block: BlockOf<'scene'>,
  context: Context,
  stage: HTMLElement,
): { element: HTMLElement; update(): void } {
  const { session, world } = context;
  const time = timeBar(context);
  if (world) {
    world.hidden.value = new Set(block.hidden);
    // a plain wheel scrolls the page
    world.stage.canvas.addEventListener(
      'wheel',
      (event) => void (event.ctrlKey || event.metaKey || event.stopImmediatePropagation()),
      { capture: true, passive: true },
    );
  } else stage.append(h('p', { class: 'cover' }, 'The scene needs WebGL, which this browser lacks.'));
  const element = h(
    'div',
    { class: 'panel motion' },
    stage,
    time.element,
    h(
      'div',
      { class: 'shown' },
      ...session.robots.value.map(({ robot }) => robotChip(context, robot.id, robot)),
      ...block.events.map((event) => eventChip(context, event)),
    ),
  );
  keyboard(context, () => {}, element);
  // after the stage has taken the size that it has here
  const placed = new ResizeObserver(() => {
    placed.disconnect();
    world?.fit(false);
  });
  placed.observe(stage);
  return { element, update: time.update };
}

function robotChip(
  { world }: Context,
  id: number,
  { name, color }: { name: string; color: number | null },
): HTMLElement {
  const chip = h(
    'button',
    { class: 'chip' },
    color !== null && h('i', { class: 'swatch', style: `background:var(--series-${color})` }),
    name,
  );
  chip.addEventListener('click', () => {
    if (!world) return;
    const hidden = new Set(world.hidden.value);
    if (!hidden.delete(id)) hidden.add(id);
    world.hidden.value = hidden;
  });
  world?.hidden.watch((hidden) => chip.setAttribute('aria-pressed', String(!hidden.has(id))));
  return chip;
}

function eventChip({ session }: Context, { at, text }: { at: number; text: string }): HTMLElement {
  const chip = h(
    'button',
    { class: 'chip event', onclick: () => session.clock.go(at) },
    `${Number(at.toPrecision(3))} s: ${text}`,
  );
  session.clock.time.watch((time) => chip.classList.toggle('past', time >= at - 1e-6));
  return chip;
}
