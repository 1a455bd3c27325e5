import { h, replace } from '../util/dom.ts';
import { icon } from '../util/icons.ts';
import { checkPanel, counts } from './check_panel.ts';
import { plotsPanel } from './plots.ts';
import type { Context } from './page.ts';

type Tab = 'plots' | 'check';

/** Under the scene: plots over time, and what was found in a description. */
export function dock(context: Context): { element: HTMLElement; update(): void } {
  const { session, choice } = context;
  const plots = plotsPanel(context);
  const check = checkPanel(context);
  let open: Tab | null = null;
  const found = h('span');
  const buttons = new Map<Tab, HTMLButtonElement>();
  const tabs = h('div', { class: 'segments', role: 'tablist' });
  for (const [tab, name] of [
    ['plots', 'Plots'],
    ['check', 'Check'],
  ] as const) {
    const button = h(
      'button',
      { role: 'tab', onclick: () => show(open === tab ? null : tab) },
      name,
    );
    buttons.set(tab, button);
    tabs.append(button);
  }
  const close = h(
    'button',
    { class: 'button bare', 'aria-label': 'close', title: 'close', onclick: () => show(null) },
    icon('close'),
  );
  const strip = h(
    'div',
    { class: 'strip' },
    tabs,
    plots.strip,
    found,
    h('span', { class: 'spacer' }),
    close,
  );
  const element = h(
    'section',
    { class: 'dock', 'aria-label': 'plots and check' },
    strip,
    plots.element,
    check.element,
  );

  const has = (tab: Tab): boolean =>
    tab === 'plots' ? session.channels.value !== null : session.diagnostics.value !== null;
  const show = (tab: Tab | null): void => {
    open = tab && has(tab) ? tab : null;
    for (const [name, button] of buttons) {
      button.hidden = !has(name);
      button.setAttribute('aria-selected', String(name === open));
    }
    plots.element.hidden = open !== 'plots';
    check.element.hidden = open !== 'check';
    close.hidden = open === null;
    element.hidden = !has('plots') && !has('check');
    found.hidden = open === 'plots';
    plots.strip.hidden = open !== 'plots';
    plots.update();
  };
  session.channels.watch((channels) =>
    show(channels && !session.isLive ? (open ?? 'plots') : open),
  );
  session.diagnostics.watch((diagnostics) => {
    replace(
      found,
      diagnostics && h('span', {}, `${diagnostics.file}  `),
      diagnostics && counts(diagnostics),
    );
    if (!diagnostics) return show(open);
    show('check');
    choice.page.value = 'check';
  });
  choice.page.changed((page) => {
    if (page === 'plots' || page === 'check') show(page);
  });
  return { element, update: plots.update };
}
