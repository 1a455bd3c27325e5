import * as THREE from 'three';
import { Pose } from '../robot/pose.ts';
import type { Session } from '../session.ts';
import { palette, type Palette } from '../theme.ts';
import { Signal } from '../util/signal.ts';
import { ForceArrows } from './force_arrows.ts';
import { Handle } from './handle.ts';
import { Labels } from './labels.ts';
import { Measure } from './measure.ts';
import { PlanTrail } from './plan_trail.ts';
import { paintOf } from './materials.ts';
import { Pull } from './pull.ts';
import { layers, RobotView, type Layer } from './robot_view.ts';
import { shapeObject, type MeshSource } from './shapes.ts';
import { Spring } from './spring.ts';
import type { Stage } from './stage.ts';
import { Weight } from './weight.ts';

export type Tool = 'look' | 'measure' | 'move';

export interface WorldActions {
  pull(message: { link: number; point: number[]; to: number[] } | null): void;
  target(frame: string, pose: Pose): void;
  select(link: number): void;
}

/** The 3D picture of a session: robots, what surrounds them, and the tools that work on them. */
export class World {
  readonly tool = new Signal<Tool>('look');
  readonly layers = new Signal<ReadonlySet<Layer>>(new Set<Layer>(['shapes']));
  /** The frame that the handle moves. */
  readonly frame = new Signal('');
  /** It turns the frame instead of moving it. */
  readonly turning = new Signal(false);
  readonly positionOnly = new Signal(false);
  /** Robots that are not shown. */
  readonly hidden = new Signal<ReadonlySet<number>>(new Set());
  readonly labels: Labels;
  readonly handle: Handle;
  views: RobotView[] = [];
  private surroundings = new THREE.Group();
  private tools: {
    arrows: ForceArrows;
    spring: Spring;
    measure: Measure;
    trails: PlanTrail[];
    pull: Pull;
    weight: Weight;
  } | null = null;
  private pressed: { x: number; y: number } | null = null;

  constructor(
    readonly stage: Stage,
    private readonly session: Session,
    private readonly meshes: MeshSource,
    private readonly actions: WorldActions,
    labelLayer: HTMLElement,
  ) {
    this.labels = new Labels(labelLayer);
    this.handle = new Handle(
      stage,
      (pose) => actions.target(this.frame.value, pose),
      (on) => {
        if (!on) this.placeHandle();
      },
    );
    stage.scene.add(this.surroundings);
    session.robots.watch(() => this.build(palette.value, true));
    palette.changed((colours) => this.build(colours, false));
    session.shown.changed(() => stage.invalidate());
    let timed = false;
    session.clock.range.changed((range) => {
      // what was framed was a pose at rest
      if (range && !timed) {
        session.showTime();
        this.fit(false);
      }
      timed = range !== null;
    });
    session.clock.time.changed(() => stage.invalidate());
    this.layers.changed(() => this.showLayers());
    this.hidden.changed(() => stage.invalidate());
    this.tool.changed(() => this.showTool());
    this.frame.changed(() => this.placeHandle());
    this.turning.changed((on) => (this.handle.turning = on));
    this.listen(stage.canvas);
  }

  get main(): RobotView | undefined {
    return this.views.find((view) => view.state === this.session.main);
  }

  get pulling(): boolean {
    return this.tools?.pull.active ?? false;
  }

  toggle(layer: Layer): void {
    const next = new Set(this.layers.value);
    if (!next.delete(layer)) next.add(layer);
    this.layers.value = next;
  }

  /** Once a frame of the page, before drawing. */
  update(): void {
    for (const view of this.views) {
      const { robot, present } = view.state;
      view.group.visible = present && !this.hidden.value.has(robot.id);
      view.update();
    }
    // of the largest: what is shown beside each other has forces on one scale
    const reach = Math.max(...this.views.map((view) => view.reach), 0) || 1;
    // who pulls sees the spring in place of its force
    this.tools?.arrows.show(this.pulling ? null : this.session.arrowsNow(), reach);
    this.tools?.trails.forEach((trail, k) => trail.show(this.session.robots.value[k].trail));
    this.tools?.measure.update();
    this.tools?.pull.frame();
    this.showWeight();
    if (!this.handle.dragging && this.tool.value === 'move') this.placeHandle();
    this.labels.update((point) => this.stage.project(point));
  }

  private showWeight(): void {
    const payload = this.session.live.value?.payload;
    const mass = this.session.hungNow();
    this.tools?.weight.show(
      payload?.frame ? (this.main?.framePose(payload.frame) ?? null) : null,
      payload && mass > 0 ? Math.cbrt(mass / payload.density) : 0,
    );
  }

  /** The edge of the weight that is drawn, and where it hangs; null if there is none. */
  weight(): { edge: number; at: number[] } | null {
    this.update();
    const group = this.tools?.weight.group;
    return group?.visible ? { edge: group.scale.x, at: group.position.toArray() } : null;
  }

  /** The forces that are drawn: where they begin, and their directions. */
  arrows(): { at: number[]; along: number[] }[] {
    this.update();
    const shown = this.tools?.arrows.group.children.filter((arrow) => arrow.visible) ?? [];
    return shown.map((arrow) => ({
      at: arrow.position.toArray(),
      along: new THREE.Vector3(0, 0, 1).applyQuaternion(arrow.quaternion).toArray(),
    }));
  }

  fit(gently = true): void {
    const box = new THREE.Box3();
    for (const view of this.views) {
      view.update();
      box.union(view.box());
    }
    for (const view of this.views) this.includeMotion(view, box);
    this.session.showTime();
    this.stage.frame(box, gently);
  }

  highlight(link: number): void {
    this.main?.highlight(link);
    this.stage.invalidate();
  }

  /** Where a robot will be: at some times of what was recorded; of one that runs, about as far as it reaches. */
  private includeMotion(view: RobotView, box: THREE.Box3): void {
    const { state, reach } = view;
    const { track } = state;
    if (this.session.isLive) {
      const { p } = state.kinematics.links[0];
      box.union(
        new THREE.Box3().setFromCenterAndSize(
          p,
          new THREE.Vector3(1, 1, 0.1).multiplyScalar(reach),
        ),
      );
      return;
    }
    if (track.size === 0 || this.session.posed) return;
    for (let k = 0; k < 8; k++) {
      state.showAt(track.begin + (k / 7) * (track.end - track.begin));
      view.update();
      box.union(view.box());
    }
  }

  private build(colours: Palette, anew: boolean): void {
    for (const view of this.views) view.dispose();
    this.tools?.pull.end();
    if (this.tools) {
      this.tools.measure.clear();
      for (const { group } of [
        this.tools.arrows,
        this.tools.spring,
        this.tools.measure,
        this.tools.weight,
        ...this.tools.trails,
      ])
        group.removeFromParent();
    }
    this.stage.dress(colours);
    const redraw = (): void => this.stage.invalidate();
    this.views = this.session.robots.value.map((state) => {
      const meshLoaded = (): void => {
        if (anew) this.fit(false);
        redraw();
      };
      return new RobotView(state, colours, this.meshes, meshLoaded);
    });
    this.surroundings.clear();
    for (const shape of this.session.fixed)
      this.surroundings.add(shapeObject(shape, paintOf(shape), this.meshes, redraw));
    const reach = this.main?.reach ?? 1;
    const spring = new Spring(colours, reach);
    this.tools = {
      arrows: new ForceArrows(colours),
      spring,
      measure: new Measure(colours, reach, this.labels),
      trails: this.views.map(() => new PlanTrail(colours, reach)),
      pull: new Pull(this.stage, spring, (message) => this.actions.pull(message)),
      weight: new Weight(colours),
    };
    const { arrows, measure, trails, weight } = this.tools;
    this.stage.scene.add(
      ...this.views.map((v) => v.group),
      arrows.group,
      spring.group,
      measure.group,
      weight.group,
      ...trails.map((t) => t.group),
    );
    this.showLayers();
    if (!anew) return;
    this.frame.value = lastFrame(this.main);
    this.tool.value = 'look';
    this.fit(false);
  }

  private showLayers(): void {
    for (const view of this.views)
      for (const layer of layers) view.show(layer, this.layers.value.has(layer));
    this.stage.invalidate();
  }

  private showTool(): void {
    const tool = this.tool.value;
    if (tool !== 'measure') this.tools?.measure.clear();
    if (tool !== 'move') {
      this.handle.hide();
      this.labels.remove('ik');
    } else this.placeHandle();
    this.stage.canvas.dataset['tool'] = tool;
    this.stage.invalidate();
  }

  private placeHandle(): void {
    if (this.tool.value !== 'move') return;
    const pose = this.main?.framePose(this.frame.value);
    if (pose) this.handle.show(pose);
  }

  /** The first surface of a robot that is no ghost under a pointer. */
  private under(
    event: PointerEvent,
  ): { view: RobotView; link: number; point: THREE.Vector3 } | null {
    const ray = this.stage.ray(event);
    const hits = this.views
      .filter((view) => !view.state.robot.ghost)
      .map((view) => ({ view, hit: view.hit(ray) }))
      .filter(({ hit }) => hit !== null)
      .sort((a, b) => a.hit!.distance - b.hit!.distance);
    return hits.length > 0 ? { view: hits[0].view, ...hits[0].hit! } : null;
  }

  private listen(canvas: HTMLCanvasElement): void {
    // before the camera's own listener, so that pulling does not turn the camera too
    canvas.addEventListener(
      'pointerdown',
      (event) => {
        this.pressed = { x: event.clientX, y: event.clientY };
        if (event.button !== 0 || this.handle.hovered || this.tool.value !== 'look') return;
        if (this.session.hello.value?.mode !== 'live' || this.tools?.pull.active) return;
        const hit = this.under(event);
        if (hit) this.tools?.pull.begin(hit.view, hit, event);
      },
      { capture: true },
    );
    canvas.addEventListener('pointermove', (event) => this.tools?.pull.move(event));
    for (const name of ['pointerup', 'pointercancel'] as const)
      canvas.addEventListener(name, (event) => {
        const pulled = this.tools?.pull.active ?? false;
        this.tools?.pull.end(event);
        const still =
          this.pressed &&
          Math.hypot(event.clientX - this.pressed.x, event.clientY - this.pressed.y) < 5;
        this.pressed = null;
        if (
          name === 'pointerup' &&
          still &&
          event.button === 0 &&
          !(pulled && this.tool.value !== 'look')
        )
          this.click(event);
      });
  }

  private click(event: PointerEvent): void {
    const hit = this.under(event);
    if (this.tool.value === 'measure') {
      if (hit) this.tools?.measure.pick(hit.view.links[hit.link], hit.point);
    } else if (this.tool.value === 'look')
      this.actions.select(hit && hit.view === this.main ? hit.link : -1);
    this.stage.invalidate();
  }
}

/** The frame that is most likely to be moved: the last that the description names, or the last link. */
function lastFrame(view: RobotView | undefined): string {
  if (!view) return '';
  const { robot } = view.state;
  return robot.frames.at(-1)?.name ?? robot.links.at(-1)?.name ?? '';
}
