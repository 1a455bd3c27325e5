import type { Connection } from '../stream/connection.ts';
import { switchTheme, theme } from '../theme.ts';
import { h, replace, setText } from '../util/dom.ts';
import { icon, sign } from '../util/icons.ts';
import type { Exports } from '../export/exports.ts';
import type { Context } from './page.ts';
import { popover } from './popover.ts';

const modes = {
  robot: 'robot',
  log: 'log',
  simulation: 'simulation',
  live: 'live',
  feed: 'live feed',
  report: 'report',
};

/** Which robot, from where, and what to do with the page as a whole. */
export function header(
  context: Context,
  connection: Connection | null,
  exports: Exports,
  openFile: () => void,
  help: () => void,
): HTMLElement {
  const { session, choice } = context;
  const name = h('span', { class: 'title' });
  const robots = h('select', { 'aria-label': 'robot' });
  robots.addEventListener('change', () => {
    const live = session.hello.value?.mode === 'live';
    context.send(
      live
        ? { type: 'live', do: 'robot', name: robots.value }
        : { type: 'robot', name: robots.value },
    );
  });
  const mode = h('span', { class: 'badge' });
  const status = h('span', { class: 'status' }, h('i'), h('span'));
  const open = h(
    'button',
    {
      class: 'button bare',
      title: 'check and show a description (or drop it on the page)',
      onclick: openFile,
    },
    icon('open'),
    h('span', { class: 'wide' }, 'Open'),
  );

  const record = h('button', { class: 'button', onclick: () => void exports.record() });
  choice.recording.watch((on) => {
    record.textContent = on ? 'Stop recording' : 'Video (WebM)';
    record.classList.toggle('recording', on);
  });
  const share = h(
    'button',
    { class: 'button bare', title: 'export' },
    icon('share'),
    h('span', { class: 'wide' }, 'Export'),
  );
  const menu = h(
    'div',
    { style: 'right:0;top:36px;display:grid;gap:6px' },
    h(
      'button',
      { class: 'button', onclick: () => void exports.picture(), disabled: !context.world },
      'Picture (PNG)',
    ),
    record,
    h(
      'button',
      { class: 'button', onclick: () => void exports.page() },
      'Page for offline use (HTML)',
    ),
  );
  record.disabled = !context.world;

  const dark = h('button', {
    class: 'button bare',
    'aria-label': 'light or dark',
    title: 'light or dark (D)',
    onclick: switchTheme,
  });
  theme.watch((now) => replace(dark, icon(now === 'dark' ? 'sun' : 'moon')));

  const update = (): void => {
    const hello = session.hello.value;
    const main = session.main;
    const list = (connection && hello?.robots) ?? []; // without a server there is none to choose from
    const title = main?.robot.name ?? hello?.title ?? '';
    replace(
      robots,
      ...(main && !list.includes(title) ? [h('option', { value: title }, title)] : []),
      ...list.map((each) => h('option', { value: each }, each)),
    );
    robots.value = title;
    robots.hidden = list.length === 0;
    name.hidden = list.length > 0;
    setText(name, title);
    setText(mode, hello ? modes[hello.mode] : '');
    mode.hidden = !hello || hello.mode === 'robot';
    mode.className = `badge${session.isLive ? ' live' : ''}`;
    open.hidden = !session.can('check');
    document.title = title ? `${title} – ulna` : 'ulna';
  };
  session.hello.watch(update);
  session.robots.watch(update);
  if (connection)
    connection.status.watch((now) => {
      status.className = `status ${now}`;
      setText(
        status.lastElementChild!,
        { open: 'connected', connecting: 'connecting', lost: 'connection lost', none: '' }[now],
      );
      status.title = status.textContent ?? '';
    });
  else status.hidden = true;

  return h(
    'header',
    { class: 'top' },
    h('span', { class: 'brand' }, sign(), h('span', {}, 'ulna')),
    h('span', { class: 'divider' }),
    robots,
    name,
    mode,
    h('span', { class: 'spacer' }),
    status,
    open,
    popover(share, menu),
    dark,
    h(
      'button',
      { class: 'button bare wide', 'aria-label': 'keys', title: 'keys (?)', onclick: help },
      icon('help'),
    ),
  );
}
