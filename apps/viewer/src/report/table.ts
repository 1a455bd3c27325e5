import type { BlockOf, Cell, Scale } from '../stream/report.ts';
import { h } from '../util/dom.ts';
import { clamp } from '../util/format.ts';

/** A table; it scrolls by itself where it is wider than the page. */
export function table({ title, columns, rows }: BlockOf<'table'>): HTMLElement {
  const head = h(
    'tr',
    {},
    ...columns.map(({ name, number }) => h('th', { class: number ? 'n' : '' }, name)),
  );
  const body = rows.map(({ group, tone, cells }) =>
    group
      ? h('tr', { class: 'group' }, h('td', { colspan: columns.length }, group))
      : h(
          'tr',
          { class: tone },
          ...cells.map((each, k) =>
            columns[k]?.number
              ? h('td', { class: 'n' }, ...cell({ ...each, text: each.text.replace(/^-(?=[\d.])/, '−') }))
              : h('td', {}, ...cell(each)),
          ),
        ),
  );
  const named = columns.some(({ name }) => name !== '');
  return h(
    'div',
    { class: 'panel', tabindex: 0 },
    title && h('h3', {}, title),
    h('table', {}, named && h('thead', {}, head), h('tbody', {}, ...body)),
  );
}

function cell({ text, tone, color, code, share, scale }: Cell): (Node | string)[] {
  const parts: (Node | string)[] = [];
  if (color) parts.push(h('i', { class: 'swatch', style: `background:var(--${color})` }));
  if (share !== null) parts.push(shareBar(share));
  if (scale) parts.push(scaleBar(scale));
  if (text) parts.push(tone || code ? h(code ? 'code' : 'span', { class: tone }, text) : text);
  return parts;
}

const percent = (x: number): string => `${(100 * clamp(x, 0, 1)).toFixed(2)}%`;

function shareBar(share: number): HTMLElement {
  return h('span', { class: 'share' }, h('i', { style: `width:${percent(share)}` }));
}

/** Numbers as dots on a line from low to high, with a bar between two and a part that is forbidden. */
function scaleBar({ low, high, bar, shade, dots }: Scale): HTMLElement {
  const at = (x: number): number => clamp((x - low) / (high - low || 1), 0, 1);
  const between = (kind: string, [from, to]: number[]): HTMLElement =>
    h('i', {
      class: kind,
      style: `left:${percent(at(Math.min(from, to)))};width:${percent(Math.abs(at(to) - at(from)))}`,
    });
  return h(
    'span',
    { class: 'scale' },
    shade && between('shade', shade),
    low < 0 && high > 0 && h('i', { class: 'zero', style: `left:${percent(at(0))}` }),
    bar && between('bar', bar),
    ...dots.map((dot) =>
      h('i', {
        class: dot.hollow ? 'dot hollow' : 'dot',
        style: `left:${percent(at(dot.at))};--dot:var(--${dot.color})`,
      }),
    ),
  );
}
