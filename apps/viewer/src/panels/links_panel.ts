import type { Robot } from '../stream/messages.ts';
import { h, replace } from '../util/dom.ts';
import type { Context } from './page.ts';

/** The robot as a tree: links, what moves them, and their frames. */
export function linksPanel({ session, choice, world }: Context): {
  element: HTMLElement;
  search(words: string): void;
} {
  const tree = h('div', { class: 'tree', role: 'tree', 'aria-label': 'links and frames' });
  const element = h('div', { class: 'scroll' }, tree);
  let words = '';

  const build = (): void => {
    const robot = session.main?.robot;
    replace(tree, ...(robot ? rows(robot) : []));
    filter();
    select(choice.link.value);
  };
  const rows = (robot: Robot): HTMLElement[] => {
    const list: HTMLElement[] = [];
    const visited = new Set<number>();
    const add = (link: number, depth: number, joint: string): void => {
      if (visited.has(link)) return;
      visited.add(link);
      const { name, physical, mass } = robot.links[link];
      const kind = !physical ? 'bad' : mass === 0 ? 'light' : '';
      list.push(
        row(name, joint, depth, kind, { 'data-link': link }, () => (choice.link.value = link)),
      );
      for (const frame of robot.frames.filter((f) => f.link === link && f.name !== name))
        list.push(
          row(frame.name, 'frame', depth + 1, 'frame', { 'data-frame': frame.name }, () => {
            choice.link.value = link;
            if (world) world.frame.value = frame.name;
          }),
        );
      for (const j of robot.joints.filter((each) => each.parent === link))
        add(j.child, depth + 1, j.type);
    };
    const carried = new Set(robot.joints.map((j) => j.child));
    robot.links.forEach((_, k) => {
      if (!carried.has(k)) add(k, 0, '');
    });
    return list;
  };
  const filter = (): void => {
    for (const row of tree.children as Iterable<HTMLElement> & HTMLCollection)
      row.hidden = !(row.textContent ?? '').toLowerCase().includes(words);
  };
  const select = (link: number): void => {
    for (const row of tree.children)
      row.setAttribute(
        'aria-selected',
        String((row as HTMLElement).dataset['link'] === String(link)),
      );
  };
  session.robots.watch(build);
  choice.link.changed((link) => {
    select(link);
    tree.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  });
  return {
    element,
    search(text) {
      words = text;
      filter();
    },
  };
}

function row(
  name: string,
  detail: string,
  depth: number,
  kind: string,
  data: Record<string, string | number>,
  onclick: () => void,
): HTMLElement {
  return h(
    'button',
    {
      role: 'treeitem',
      class: kind,
      style: `padding-left:${8 + 13 * Math.min(depth, 12)}px`,
      title: name,
      onclick,
      ...data,
    },
    h('i'),
    h('span', {}, name),
    h('small', {}, detail),
  );
}
