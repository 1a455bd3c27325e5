import type * as THREE from 'three';
import { h, setText } from '../util/dom.ts';

interface Label {
  point: THREE.Vector3;
  element: HTMLElement;
}

/** Small texts at points of the scene, as elements over the canvas. */
export class Labels {
  private readonly shown = new Map<string, Label>();

  constructor(private readonly layer: HTMLElement) {}

  put(name: string, point: THREE.Vector3, title: string, detail = '', kind = ''): void {
    let label = this.shown.get(name);
    if (!label) {
      label = { point, element: h('div', { class: 'label' }, h('b'), h('span')) };
      this.layer.append(label.element);
      this.shown.set(name, label);
    }
    label.point = point;
    label.element.className = `label ${kind}`;
    setText(label.element.children[0], title);
    setText(label.element.children[1], detail);
  }

  remove(name: string): void {
    this.shown.get(name)?.element.remove();
    this.shown.delete(name);
  }

  /** Moves all to where their points are seen. */
  update(project: (point: THREE.Vector3) => { x: number; y: number } | null): void {
    for (const { point, element } of this.shown.values()) {
      const at = project(point);
      element.hidden = !at;
      if (at)
        element.style.transform = `translate(-50%, -150%) translate(${at.x.toFixed(1)}px, ${at.y.toFixed(1)}px)`;
    }
  }
}
