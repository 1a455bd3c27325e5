import type { BlockOf } from '../stream/report.ts';
import { h } from '../util/dom.ts';

/** Which row depends on which column: a cell's digit is its kind, from 1; 0 is none. */
export function matrix({ rows, groups, kinds, cells }: BlockOf<'matrix'>): HTMLElement {
  const colours = ['field', ...kinds.map((kind) => kind.color)];
  const row = (digits: string): HTMLElement[] => {
    let at = 0;
    return groups.map(({ size }) =>
      h(
        'td',
        {},
        h(
          'span',
          { class: 'cells' },
          ...[...digits.slice(at, (at += size))].map((digit) =>
            h('i', { style: `background:var(--${colours[Number(digit)] ?? 'field'})` }),
          ),
        ),
      ),
    );
  };
  return h(
    'div',
    { class: 'panel', tabindex: 0 },
    h(
      'p',
      { class: 'keys' },
      ...kinds.map(({ name, color }) =>
        h('span', {}, h('i', { class: 'swatch', style: `background:var(--${color})` }), name),
      ),
    ),
    h(
      'table',
      { class: 'matrix' },
      h('tr', {}, h('th'), ...groups.map(({ name }) => h('th', {}, name))),
      ...cells.map((digits, k) => h('tr', {}, h('th', {}, rows[k] ?? ''), ...row(digits))),
    ),
  );
}
