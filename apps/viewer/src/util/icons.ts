const paths = {
  play: 'M4.5 2.5v11l9-5.5z',
  pause: 'M4 2.5h3v11H4zM9 2.5h3v11H9z',
  first: 'M12 3 6 8l6 5M4 3v10',
  loop: 'M11 2.5 13 4.5 11 6.5M13 4.5H5.5a3 3 0 0 0-3 3V8M5 13.5 3 11.5 5 9.5M3 11.5h7.5a3 3 0 0 0 3-3V8',
  look: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  move: 'M8 1.5v13M1.5 8h13M6 3.5l2-2 2 2M6 12.5l2 2 2-2M3.5 6l-2 2 2 2M12.5 6l2 2-2 2',
  measure: 'M1.5 10.5l9-9 4 4-9 9zM4 8l1.5 1.5M6 6l2 2M8 4l1.5 1.5',
  layers: 'M8 1.5 14.5 5 8 8.5 1.5 5zM1.5 8 8 11.5 14.5 8M1.5 11 8 14.5 14.5 11',
  fit: 'M2 5.5V2h3.5M10.5 2H14v3.5M14 10.5V14h-3.5M5.5 14H2v-3.5M6 8h4M8 6v4',
  share: 'M8 10V1.5M5 4l3-2.5L11 4M3 7.5v6h10v-6',
  open: 'M1.5 12.5v-9h4l1.5 2h7.5v7z',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z',
  help: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM6.2 6.2a1.9 1.9 0 1 1 2.6 1.8c-.5.2-.8.6-.8 1.2M8 11.3v.1',
  close: 'M4 4l8 8M12 4l-8 8',
} as const;
export type Icon = keyof typeof paths;

export function icon(name: Icon): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', paths[name]);
  svg.append(path);
  return svg;
}

/** The sign of ulna: a bone that holds a joint. */
export function sign(): SVGSVGElement {
  const svg = icon('play');
  svg.setAttribute('viewBox', '0 0 32 32');
  svg.innerHTML =
    '<path d="M8 26V14a8 8 0 0 1 8-8" stroke="var(--accent)" stroke-width="6"/><circle cx="23" cy="9" r="5" fill="var(--warm)" stroke="none"/>';
  return svg;
}
