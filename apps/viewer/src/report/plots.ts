import type { Session } from '../session.ts';
import type { BlockOf, ReportPlot } from '../stream/report.ts';
import { palette } from '../theme.ts';
import { CurvePlot, key, type LinePlot, type PlotLook } from '../panels/line_plot.ts';
import { TimePlot } from '../panels/time_plot.ts';
import { h, replace } from '../util/dom.ts';

export interface Plots {
  element: HTMLElement;
  update(): void;
}

/** Plots side by side; names that several of them have stand once, above them. */
export function plots({ size, plots }: BlockOf<'plots'>, session: Session): Plots {
  const shared = size !== 'row' && plots.length > 1;
  const height = size === 'wide' ? 230 : 132;
  const made = plots.map((plot) => make(plot, session, height, !shared));
  const keys = h('p', { class: 'keys' });
  const off = new Set<string>();
  const write = (): void => replace(keys, ...namesOf(plots, session).map(named));
  const named = ({ name, colour }: { name: string; colour: string }): HTMLElement =>
    key(name, colour, off.has(name), () => {
      if (!off.delete(name)) off.add(name);
      made.forEach((plot) => plot.toggle(name));
      write();
    });
  if (shared) palette.watch(write);
  const element = h(
    'div',
    { class: `panel plots ${size}` },
    shared && keys,
    ...made.map((plot) => plot.element),
  );
  const overTime = made.filter((plot) => plot instanceof TimePlot);
  return { element, update: () => overTime.forEach((plot) => plot.update(session.table)) };
}

function make(plot: ReportPlot, session: Session, height: number, withKeys: boolean): LinePlot {
  const look: PlotLook = {
    ...plot,
    names: [],
    ticks: plot.ticks ?? undefined,
  } as PlotLook;
  if ('x' in plot) {
    const lines = plot.lines.map((line) => line.y.map((y) => (Number.isNaN(y) ? null : y)));
    look.names = plot.lines.map((line) => line.name);
    return new CurvePlot(look, plot.x, lines, height, withKeys);
  }
  const groups = session.channels.value?.groups ?? [];
  const group = groups[plot.group];
  const before = groups.slice(0, plot.group).reduce((sum, each) => sum + each.series.length, 0);
  look.names = group?.series.map((series) => series.name) ?? [];
  look.title ||= group?.name ?? '';
  look.unit ||= group?.unit ?? '';
  const columns = look.names.map((_, k) => before + k);
  return new TimePlot(
    { ...look, columns, table: () => session.table },
    session.clock,
    height,
    withKeys,
  );
}

/** Each name once, with its colour. */
function namesOf(plots: ReportPlot[], session: Session): { name: string; colour: string }[] {
  const found = new Map<string, string>();
  for (const plot of plots) {
    const names =
      'x' in plot
        ? plot.lines.map((line) => line.name)
        : (session.channels.value?.groups[plot.group]?.series.map((s) => s.name) ?? []);
    names.forEach((name, k) => {
      const colour = plot.styles[k]?.color;
      if (!found.has(name))
        found.set(name, colour ? `var(--${colour})` : palette.value.series[k % 8]);
    });
  }
  return [...found].map(([name, colour]) => ({ name, colour }));
}
