import type { Exports } from '../export/exports.ts';
import type { Connection, Status } from '../stream/connection.ts';
import { h } from '../util/dom.ts';
import { Signal } from '../util/signal.ts';
import { dock } from './dock.ts';
import { dropTarget } from './drop.ts';
import { header } from './header.ts';
import { inspector } from './inspector.ts';
import { keyboard } from './keyboard.ts';
import { leftPanel } from './left.ts';
import { notices } from './notices.ts';
import type { Context, Page } from './page.ts';
import { playgroundPanel } from './playground.ts';
import { timeBar } from './time_bar.ts';
import { toolbar } from './toolbar.ts';

/** Puts all panels around the scene; what is returned is called once a frame. */
export function layout(
  context: Context,
  connection: Connection | null,
  exports: Exports,
  stage: HTMLElement,
): { update(): void } {
  const { session, choice, world } = context;
  const app = document.getElementById('app')!;
  const left = leftPanel(context);
  const details = inspector(context);
  const playground = playgroundPanel(context);
  const time = timeBar(context);
  const under = dock(context);
  const right = h(
    'aside',
    { class: 'right', 'aria-label': 'details' },
    h('div', { class: 'scroll' }, playground.element, details.element),
  );
  const help = keyboard(context, left.focusSearch);
  const openFile = dropTarget(context);

  app.prepend(header(context, connection, exports, openFile, help), left.element);
  app.append(time.element, pages(context), right, under.element);
  if (world) stage.append(...toolbar(context, world));
  stage.append(...notices(context, connection?.status ?? new Signal<Status>('none')));

  session.hello.watch((hello) => {
    const live = hello?.mode === 'live';
    playground.element.hidden = !live;
    app.dataset['mode'] = hello?.mode ?? '';
    if (live) choice.page.value = 'side';
  });
  choice.page.watch((page) => (app.dataset['page'] = page));

  let count = 0;
  return {
    update(): void {
      // text that changes sixty times a second cannot be read: panels take turns
      count++;
      if (count % 2 === 0) left.update();
      else details.update();
      time.update();
      under.update();
      if (!playground.element.hidden) playground.update();
    },
  };
}

/** Which panel is seen on a narrow page. */
function pages({ session, choice }: Context): HTMLElement {
  const names: [Page, string, () => boolean][] = [
    ['side', 'Playground', () => session.hello.value?.mode === 'live'],
    ['joints', 'Joints', () => true],
    ['links', 'Links', () => true],
    ['side', 'Details', () => session.hello.value?.mode !== 'live'],
    ['plots', 'Plots', () => session.channels.value !== null],
    ['check', 'Check', () => session.diagnostics.value !== null],
  ];
  const tabs = names.map(([page, name, there]) => {
    const tab = h('button', { role: 'tab', onclick: () => (choice.page.value = page) }, name);
    choice.page.watch((now) => tab.setAttribute('aria-selected', String(now === page)));
    const update = (): void => void (tab.hidden = !there());
    session.hello.watch(update);
    session.channels.changed(update);
    session.diagnostics.changed(update);
    return tab;
  });
  return h('nav', { class: 'pages', role: 'tablist' }, ...tabs);
}
