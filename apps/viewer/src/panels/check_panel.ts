import type { Diagnostics } from '../stream/messages.ts';
import { h, replace } from '../util/dom.ts';
import type { Context } from './page.ts';

const mostLines = 20000;

/** What is wrong with a description that was dropped, beside its text. */
export function checkPanel({ session }: Context): { element: HTMLElement } {
  const list = h('div', { class: 'list', role: 'listbox', 'aria-label': 'diagnostics' });
  const source = h('pre', { class: 'source', tabindex: 0, 'aria-label': 'source' });
  const element = h('div', { class: 'check' }, list, source);

  const choose = (line: number, item: Element): void => {
    for (const other of list.children) other.setAttribute('aria-selected', String(other === item));
    for (const chosen of source.querySelectorAll('.chosen')) chosen.classList.remove('chosen');
    const row = source.children[line - 1];
    if (!row) return;
    row.classList.add('chosen');
    row.scrollIntoView({ block: 'center' });
  };

  const show = (found: Diagnostics): void => {
    const lines = found.text.split('\n').slice(0, mostLines);
    replace(source, ...lines.map((line) => h('div', {}, line || ' ')));
    for (const { line, severity } of [...found.items].reverse())
      if (severity !== 'note') source.children[line - 1]?.classList.add(severity);
    const rows = found.items.map(({ severity, line, rule, message, remedy }) => {
      const row = h(
        'button',
        { class: `item ${severity}`, role: 'option' },
        h('i'),
        h('span', {}, message),
        h('span', { class: 'line' }, line > 0 ? `line ${line}` : ''),
        h('small', {}, remedy ? `${rule}: ${remedy}` : rule),
      );
      row.addEventListener('click', () => choose(line, row));
      return row;
    });
    replace(
      list,
      ...(rows.length > 0
        ? rows
        : [
            h(
              'div',
              { class: 'empty' },
              `Nothing is wrong with ${found.file || 'this description'}.`,
            ),
          ]),
    );
    if (rows.length > 0) choose(found.items[0].line, rows[0]);
  };
  session.diagnostics.changed((found) => found && show(found));
  return { element };
}

/** "1 error, 2 warnings" as coloured counts. */
export function counts({ errors, warnings, notes }: Diagnostics): HTMLElement {
  const count = (n: number, what: string): HTMLElement | null =>
    n > 0
      ? h('span', { class: what }, h('b', {}, String(n)), ` ${what}${n === 1 ? '' : 's'}`)
      : null;
  return h(
    'span',
    { class: 'counts' },
    count(errors, 'error'),
    count(warnings, 'warning'),
    count(notes, 'note'),
  );
}
