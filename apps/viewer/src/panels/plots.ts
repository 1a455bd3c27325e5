import { h, replace } from '../util/dom.ts';
import type { Context } from './page.ts';
import { TimePlot, type PlotData } from './time_plot.ts';

/** Plots of what the server sends, group by group, linked to the time that is shown. */
export function plotsPanel({ session }: Context): {
  element: HTMLElement;
  strip: HTMLElement;
  update(): void;
} {
  const strip = h('span', { class: 'chips', style: 'flex-wrap:nowrap' });
  const area = h('div', { class: 'plots' });
  let plots: TimePlot[] = [];
  let shown: Set<string> = new Set();

  const build = (): void => {
    const groups = session.channels.value?.groups ?? [];
    plots.forEach((plot) => plot.destroy());
    plots = [];
    let column = 0;
    const all: PlotData[] = groups.map(({ name, unit, series }) => {
      const first = column;
      column += series.length;
      return {
        title: name,
        unit,
        names: series.map((s) => s.name),
        columns: series.map((_, k) => first + k),
        table: () => session.table,
      };
    });
    const names = all.map((data) => data.title);
    if (![...shown].some((name) => names.includes(name))) shown = new Set(names.slice(0, 2));
    replace(
      strip,
      ...names.map((name) => {
        const on = shown.has(name);
        return h(
          'button',
          {
            class: 'chip',
            'aria-pressed': String(on),
            onclick: () => {
              if (!shown.delete(name)) shown.add(name);
              build();
            },
          },
          name,
        );
      }),
    );
    plots = all
      .filter((data) => shown.has(data.title))
      .map((data) => new TimePlot(data, session.clock));
    replace(area, ...plots.map((plot) => plot.element));
    update();
  };
  const update = (): void => plots.forEach((plot) => plot.update(session.table));
  session.channels.watch(build);
  return { element: area, strip, update };
}
