import { Euler } from 'three';
import type { Joint, Link } from '../stream/messages.ts';
import { degrees, fixed, significant } from '../util/format.ts';
import { h, replace, setText } from '../util/dom.ts';
import { wholeMass } from '../robot/bodies.ts';
import type { Context } from './page.ts';

type Fact = [name: string, value: () => string];

/** What is known of the link that is selected and of the joint that carries it; of the robot if none is. */
export function inspector({ session, choice }: Context): { element: HTMLElement; update(): void } {
  const element = h('div');
  let live: (() => void)[] = [];

  const card = (
    title: string,
    kind: string,
    facts: Fact[],
    ...more: (Node | false)[]
  ): HTMLElement => {
    const list = h('dl', { class: 'facts' });
    for (const [name, value] of facts) {
      const cell = h('dd');
      const write = (): void => setText(cell, value());
      write();
      live.push(write);
      list.append(h('dt', {}, name), cell);
    }
    return h(
      'section',
      { class: 'card' },
      h('div', { class: 'heading' }, h('b', {}, title), h('span', { class: 'soft' }, kind)),
      list,
      ...more,
    );
  };

  const build = (): void => {
    live = [];
    const state = session.main;
    if (!state) return replace(element);
    const { robot } = state;
    const link = robot.links[choice.link.value];
    if (!link) return replace(element, card(robot.name, 'robot', aboutRobot()));
    const k = choice.link.value;
    const carrier = robot.joints.find((j) => j.child === k);
    replace(
      element,
      card(
        link.name,
        'link',
        [...aboutLink(link), ...place(k)],
        !link.physical &&
          h('div', { class: 'callout bad' }, link.reason || 'No body has such an inertia.'),
      ),
      carrier ? card(carrier.name, `${carrier.type} joint`, aboutJoint(carrier)) : null,
    );
  };

  const aboutRobot = (): Fact[] => {
    const state = session.main!;
    const { robot } = state;
    const whole = (): ReturnType<typeof wholeMass> => wholeMass(robot, state.kinematics);
    return [
      ['degrees of freedom', () => String(robot.nv)],
      ['links', () => String(robot.links.length)],
      ['mass', () => `${significant(whole()?.mass ?? 0, 4)} kg`],
      ['centre of mass', () => triple(whole()?.com.toArray() ?? [NaN, NaN, NaN], 'm')],
      ['gravity', () => `${triple(robot.gravity, 'm/s²', 2)}`],
      ['unphysical links', () => String(robot.links.filter((l) => !l.physical).length)],
    ];
  };
  const aboutLink = (link: Link): Fact[] => [
    ['mass', () => `${significant(link.mass, 4)} kg`],
    ['centre of mass', () => triple(link.com, 'm')],
    ...(link.inertia
      ? [
          [
            'principal moments',
            () => `${link.inertia!.moments.map((m) => significant(m)).join(', ')}\u00a0kg\u00a0m²`,
          ] as Fact,
        ]
      : []),
  ];
  const place = (k: number): Fact[] => {
    const state = session.main!;
    const angles = (): number[] => {
      const turned = new Euler().setFromQuaternion(state.kinematics.links[k].q, 'ZYX');
      return [turned.x, turned.y, turned.z];
    };
    return [
      ['position', () => triple(state.kinematics.links[k].p.toArray(), 'm')],
      [
        'roll, pitch, yaw',
        () =>
          choice.degrees.value ? triple(angles().map(degrees), '°', 1) : triple(angles(), 'rad'),
      ],
    ];
  };
  const aboutJoint = (joint: Joint): Fact[] => {
    const state = session.main!;
    const { robot, kinematics, q } = state;
    const slides = joint.type === 'prismatic';
    const value = (x: number): string =>
      slides
        ? `${fixed(x, 4)} m`
        : choice.degrees.value
          ? `${fixed(degrees(x), 1)}°`
          : `${fixed(x, 3)} rad`;
    const single = ['revolute', 'continuous', 'prismatic', 'helical'].includes(joint.type);
    const facts: Fact[] = [['axis', () => joint.axis.map((x) => fixed(x, 3)).join(', ')]];
    if (single)
      facts.unshift(['position', () => value(kinematics.value(robot.joints.indexOf(joint), q))]);
    if (single && joint.lower && joint.upper)
      facts.push(['limits', () => `${value(joint.lower![0])} to ${value(joint.upper![0])}`]);
    if (joint.velocity !== null)
      facts.push([
        'most velocity',
        () => `${significant(joint.velocity!)} ${slides ? 'm/s' : 'rad/s'}`,
      ]);
    if (joint.effort !== null)
      facts.push(['most effort', () => `${significant(joint.effort!)} ${slides ? 'N' : 'Nm'}`]);
    if (joint.mimic)
      facts.push([
        'mimics',
        () =>
          `${significant(joint.mimic!.multiplier)} × ${robot.joints[joint.mimic!.joint].name} + ${significant(joint.mimic!.offset)}`,
      ]);
    return facts;
  };

  session.robots.watch(build);
  choice.link.changed(build);
  choice.degrees.changed(build);
  return { element, update: () => live.forEach((write) => write()) };
}

const triple = (values: number[], unit: string, digits = 3): string =>
  `${values.map((x) => fixed(x, digits)).join(', ')}\u00a0${unit}`; // the unit stays with a number
