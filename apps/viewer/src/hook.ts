import { Mesh, Vector3, type BufferGeometry } from 'three';
import type { Context } from './panels/page.ts';

/** What tests ask of the page, as window.ulna. */
export function installHook({ session, world, choice }: Context, panels: () => void): void {
  const state = (id?: number) => (id === undefined ? session.main : session.robot(id));
  const hook = {
    time: () => session.clock.time.value,
    playing: () => session.clock.playing.value,
    /** Stands at a time. */
    goTo: (time: number) => {
      session.clock.play(false);
      session.clock.go(time);
    },
    robots: () => session.robots.value.map((r) => r.robot.name),
    q: (id?: number) => Array.from(state(id)?.q ?? []),
    /** Position and quaternion (w first) of a link in the scene's graph, as it is drawn. */
    drawnPose: (link: string, id?: number) => {
      const view = world?.views.find((v) => v.state === state(id));
      view?.update();
      const group = view?.links.find((g) => g.name === link);
      if (!group) return null;
      group.updateWorldMatrix(true, false);
      const p = group.getWorldPosition(new Vector3());
      const { w, x, y, z } = group.getWorldQuaternion(group.quaternion.clone());
      return [p.x, p.y, p.z, w, x, y, z];
    },
    /** Where a link's origin, or a point of it, is on the page. */
    onPage: (link: string, point: [number, number, number] = [0, 0, 0]) => {
      const group = world?.main?.links.find((g) => g.name === link);
      if (!world || !group) return null;
      const at = world.stage.project(group.localToWorld(new Vector3(...point)));
      const { left, top } = world.stage.canvas.getBoundingClientRect();
      return at && [at.x + left, at.y + top];
    },
    /** Drags the handle of the tool `move` to a point. */
    dragHandle: (to: [number, number, number]) => world?.handle.move(new Vector3(...to)),
    /** How many triangles are drawn for a link's shapes. */
    triangles: (link: string) => {
      let count = 0;
      world?.main?.links
        .find((g) => g.name === link)
        ?.traverseVisible((object) => {
          if (!(object instanceof Mesh)) return;
          const { index, attributes } = object.geometry as BufferGeometry;
          count += (index ?? attributes['position'])!.count / 3;
        });
      return count;
    },
    /** Whether a robot is drawn. */
    isShown: (id: number) => {
      world?.update();
      return world?.views.find((v) => v.state.robot.id === id)?.group.visible ?? false;
    },
    /** Where forces are drawn, and along what: in the world, of length 1. */
    arrows: () => world?.arrows() ?? [],
    /** The weight that hangs on the robot of the playground. */
    weight: () => world?.weight() ?? null,
    select: (link: number) => (choice.link.value = link),
    pulling: () => world?.pulling ?? false,
    layers: () => [...(world?.layers.value ?? [])],
    /** What the parts of a frame take, ms: medians of so many frames, one after the other, at as many times. */
    frameTimes: (count: number) => {
      const range = session.clock.range.value;
      const parts: Record<string, (k: number) => void> = {
        pose: (k) => {
          if (range) session.clock.go(range.begin + (k / count) * (range.end - range.begin));
          session.showTime();
        },
        panels,
        scene: () => world?.update(),
        submit: () => {
          world?.stage.invalidate();
          world?.stage.draw();
        },
      };
      const times: Record<string, number[]> = {};
      for (let k = 0; k < count; k++)
        for (const [name, run] of Object.entries(parts)) {
          const begin = performance.now();
          run(k);
          (times[name] ??= []).push(performance.now() - begin);
        }
      return Object.fromEntries(
        Object.entries(times).map(([name, list]) => [
          name,
          list.sort((a, b) => a - b)[list.length >> 1],
        ]),
      );
    },
    frames: () => world?.stage.renderer.info.render.frame ?? 0,
  };
  (window as unknown as { ulna: typeof hook }).ulna = hook;
}
