import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readMessage, type Robot, type Scene } from '../../src/stream/messages.ts';

/** The tests run from the viewer's folder. */
export const viewer = process.cwd();

/** A robot of this repository, or of these tests, as the stream describes it. */
export function robotNamed(name: string): Robot {
  const own = join(viewer, `tests/unit/${name}.urdf`);
  const file = existsSync(own) ? own : join(viewer, `../../robots/${name}.urdf`);
  const scene = execFileSync('python3', [join(viewer, 'tests/mock/urdf_scene.py'), file], {
    encoding: 'utf8',
  });
  return (readMessage(JSON.parse(scene)) as Scene).robots[0];
}
