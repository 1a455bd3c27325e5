import { h } from '../util/dom.ts';
import { jointsPanel } from './joints_panel.ts';
import { linksPanel } from './links_panel.ts';
import type { Context } from './page.ts';

/** Joints and links, with one search for both. */
export function leftPanel(context: Context): {
  element: HTMLElement;
  update(): void;
  focusSearch(): void;
} {
  const joints = jointsPanel(context);
  const links = linksPanel(context);
  const search = h('input', {
    type: 'search',
    placeholder: 'Search',
    'aria-label': 'search joints and links',
  });
  search.addEventListener('input', () => {
    const words = search.value.trim().toLowerCase();
    joints.search(words);
    links.search(words);
  });
  const tabs = h('div', { class: 'segments', role: 'tablist' });
  for (const [page, name] of [
    ['joints', 'Joints'],
    ['links', 'Links'],
  ] as const) {
    const tab = h(
      'button',
      { role: 'tab', onclick: () => (context.choice.page.value = page) },
      name,
    );
    context.choice.page.watch((now) => {
      if (now === 'joints' || now === 'links')
        tab.setAttribute('aria-selected', String(now === page));
    });
    tabs.append(tab);
  }
  context.choice.page.watch((page) => {
    if (page !== 'joints' && page !== 'links') return;
    joints.element.hidden = page !== 'joints';
    links.element.hidden = page !== 'links';
  });
  return {
    element: h(
      'aside',
      { class: 'left', 'aria-label': 'joints and links' },
      h('div', { class: 'tabs' }, tabs, search),
      joints.element,
      links.element,
    ),
    update: joints.update,
    focusSearch: () => search.focus(),
  };
}
