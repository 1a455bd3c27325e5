import { layers } from '../scene/robot_view.ts';
import { switchTheme } from '../theme.ts';
import { h } from '../util/dom.ts';
import type { Context } from './page.ts';

type Action = [keys: string[], shown: string, what: string, act: () => void];

/** Keys of the page; returns what shows the list of them. */
export function keyboard(
  { session, world }: Context,
  focusSearch: () => void,
  within: HTMLElement = document.documentElement,
): () => void {
  const { clock } = session;
  const step = (share: number) => () => {
    const range = clock.range.value;
    if (!range) return;
    clock.playing.value = false;
    clock.go(clock.time.value + share * (range.end - range.begin));
  };
  const actions: Action[] = [
    [[' '], 'space', 'play or pause', () => clock.play(!clock.playing.value)],
    [['ArrowLeft'], '←', 'back by a hundredth', step(-0.01)],
    [['ArrowRight'], '→', 'on by a hundredth', step(0.01)],
    [['Home'], 'Home', 'to the beginning', step(-1)],
    [['End'], 'End', 'to the end', step(1)],
    [['l'], 'L', 'loop', () => (clock.loop.value = !clock.loop.value)],
    [['f'], 'F', 'see all', () => world?.fit()],
    [['v', 'Escape'], 'V', 'look', () => world && (world.tool.value = 'look')],
    [['i'], 'I', 'move a frame', () => world && session.can('ik') && (world.tool.value = 'move')],
    [['m'], 'M', 'measure', () => world && (world.tool.value = 'measure')],
    [['d'], 'D', 'light or dark', switchTheme],
    [['/'], '/', 'search', focusSearch],
    [['?'], '?', 'this list', () => help()],
  ];
  const dialog = h(
    'dialog',
    { 'aria-label': 'keys' },
    h(
      'div',
      { class: 'keys-table' },
      ...actions.flatMap(([, shown, what]) => [h('kbd', {}, shown), h('span', {}, what)]),
      h('kbd', {}, `1 – ${layers.length}`),
      h('span', {}, 'shapes, collision shapes, frames, axes, limits, masses, inertias'),
    ),
  );
  dialog.addEventListener('click', () => dialog.close());
  document.body.append(dialog);
  const help = (): void => (dialog.open ? dialog.close() : dialog.showModal());

  within.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) {
      if (event.key === 'Escape') target.blur();
      return;
    }
    if (target instanceof HTMLButtonElement && (event.key === ' ' || event.key === 'Enter')) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const layer = layers[Number(key) - 1];
    const action = actions.find(([keys]) => keys.includes(key));
    if (layer) world?.toggle(layer);
    else if (action) action[3]();
    else return;
    event.preventDefault();
  });
  return help;
}
