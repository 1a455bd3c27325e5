import { h } from '../util/dom.ts';

/** A button that opens a small panel under it; a click elsewhere or Escape closes it. */
export function popover(button: HTMLButtonElement, content: HTMLElement): HTMLElement {
  content.classList.add('popover');
  content.hidden = true;
  const set = (open: boolean): void => {
    content.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
  };
  set(false);
  button.addEventListener('click', () => set(content.hidden === true));
  document.addEventListener('pointerdown', (event) => {
    if (
      event.target instanceof Node &&
      !content.contains(event.target) &&
      !button.contains(event.target)
    )
      set(false);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') set(false);
  });
  content.addEventListener('close', () => set(false));
  return h('span', { style: 'position:relative;display:inline-flex' }, button, content);
}
