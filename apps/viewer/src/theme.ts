import { Signal } from './util/signal.ts';

export type Theme = 'light' | 'dark';

/** Colours of the 3D scene, read from the page's style so that both have one source. */
export interface Palette {
  dark: boolean;
  backdrop: string;
  gridLine: string;
  ink: string;
  accent: string;
  warm: string;
  good: string;
  bad: string;
  ghost: string;
  series: string[];
}

const stored = 'ulna-theme';
const wish = matchMedia('(prefers-color-scheme: dark)');

/** Light or dark: as the system wishes, or as was chosen on the page. */
export const theme = new Signal<Theme>(preferred());
export const palette = new Signal<Palette>(read());

theme.watch((now) => {
  document.documentElement.dataset['theme'] = now;
  palette.value = read();
});
wish.addEventListener('change', () => {
  theme.value = preferred();
});

export function switchTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark';
  try {
    localStorage.setItem(stored, theme.value);
  } catch {
    // a page opened from a file may have no storage: the choice then lasts as long as the page
  }
}

function preferred(): Theme {
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem(stored);
  } catch {
    // as above
  }
  return chosen === 'light' || chosen === 'dark' ? chosen : wish.matches ? 'dark' : 'light';
}

function read(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim() || '#888888';
  return {
    dark: document.documentElement.dataset['theme'] === 'dark',
    backdrop: colour('stage'),
    gridLine: colour('grid-line'),
    ink: colour('ink'),
    accent: colour('accent'),
    warm: colour('warm'),
    good: colour('good'),
    bad: colour('bad'),
    ghost: colour('ghost'),
    series: [1, 2, 3, 4, 5, 6, 7, 8].map((k) => colour(`series-${k}`)),
  };
}
