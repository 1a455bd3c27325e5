import type { Status } from '../stream/connection.ts';
import type { Signal } from '../util/signal.ts';
import { h, replace } from '../util/dom.ts';
import { icon } from '../util/icons.ts';
import type { Context } from './page.ts';

/** What the page waits for, and what went wrong. */
export function notices({ session, world }: Context, status: Signal<Status>): HTMLElement[] {
  const notice = h('div', { class: 'notice', role: 'status', 'aria-live': 'polite' });
  const cover = h('div', { class: 'cover' });
  const update = (): void => {
    const now = status.value;
    const lost =
      now === 'lost' &&
      h(
        'div',
        { class: 'bad' },
        session.hello.value
          ? 'The connection is lost; trying again.'
          : 'There is no server yet; trying again.',
      );
    const close = h(
      'button',
      { class: 'button bare', 'aria-label': 'close', onclick: () => (session.error.value = '') },
      icon('close'),
    );
    const error =
      session.error.value !== '' && h('div', { class: 'bad' }, session.error.value, close);
    replace(notice, lost, error);
    const waiting = session.robots.value.length === 0;
    if (!world)
      replace(
        cover,
        h(
          'div',
          {},
          h('b', {}, 'This browser shows no 3D here'),
          'WebGL is missing or switched off. The panels work without it.',
        ),
      );
    else if (waiting && now === 'connecting')
      replace(
        cover,
        h(
          'div',
          { style: 'display:flex;gap:10px;align-items:center' },
          h('span', { class: 'spinner' }),
          'Connecting',
        ),
      );
    else if (waiting)
      replace(
        cover,
        h(
          'div',
          {},
          h('b', {}, 'No robot yet'),
          session.can('check') ? 'Drop a description on the page.' : '',
        ),
      );
    else replace(cover);
    cover.hidden = cover.childElementCount === 0;
    cover.style.pointerEvents = 'none';
  };
  status.watch(update);
  session.error.changed(update);
  session.robots.changed(update);
  session.hello.changed(update);
  return [cover, notice];
}
