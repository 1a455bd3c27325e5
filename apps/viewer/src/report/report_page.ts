import type { Context } from '../panels/page.ts';
import type { Report } from '../stream/messages.ts';
import type { Block } from '../stream/report.ts';
import { switchTheme, theme } from '../theme.ts';
import { h, replace } from '../util/dom.ts';
import { icon } from '../util/icons.ts';
import { matrix } from './matrix.ts';
import { motion } from './motion.ts';
import { plots } from './plots.ts';
import { table } from './table.ts';

/** A report instead of the viewer: read from top to bottom, with the viewer's scene, time and plots in it. */
export function reportPage(
  context: Context,
  report: Report,
  stage: HTMLElement,
): { update(): void } {
  const updates: (() => void)[] = [];
  const updated = <T extends { element: HTMLElement; update(): void }>(part: T): HTMLElement => {
    updates.push(part.update);
    return part.element;
  };
  const draw = (block: Block): HTMLElement => {
    switch (block.kind) {
      case 'heading':
        return h('h2', {}, block.text);
      case 'text':
        return h('p', { class: block.tone }, block.text);
      case 'remarks':
        return h(
          'ul',
          { class: 'remarks' },
          ...block.items.map(({ text, tone }) => h('li', { class: tone }, text)),
        );
      case 'cards':
        return h(
          'div',
          { class: 'cards' },
          ...block.cards.map(({ value, text, tone }) =>
            h('div', { class: 'figure' }, h('b', { class: tone }, value), h('span', {}, text)),
          ),
        );
      case 'table':
        return table(block);
      case 'matrix':
        return matrix(block);
      case 'plots':
        return updated(plots(block, context.session));
      case 'scene':
        return updated(motion(block, context, stage));
      case 'columns':
        return h('div', { class: 'columns' }, ...block.blocks.map(draw));
    }
  };
  const dark = h('button', {
    class: 'button bare dark',
    'aria-label': 'light or dark',
    title: 'light or dark',
    onclick: switchTheme,
  });
  theme.watch((now) => replace(dark, icon(now === 'dark' ? 'sun' : 'moon')));

  document.documentElement.dataset['layout'] = 'report';
  document.title = report.title;
  const main = h(
    'main',
    { class: 'report' },
    dark,
    h('h1', {}, report.title),
    report.subtitle && h('p', { class: 'soft' }, report.subtitle),
    report.lead && h('p', { class: 'lead' }, report.lead),
    ...report.blocks.map(draw),
    report.note && h('p', { class: 'soft' }, report.note),
  );
  document.getElementById('app')!.replaceWith(main);
  return { update: () => updates.forEach((update) => update()) };
}

/** Whether a report shows robots. */
export const hasScene = (blocks: Block[]): boolean =>
  blocks.some((each) => each.kind === 'scene' || (each.kind === 'columns' && hasScene(each.blocks)));
