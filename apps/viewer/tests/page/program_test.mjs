/**
 * The page before the program itself, `ulna view`. ULNA names the program; with PAGE=dist the page is the one
 * of dist, not the one that the program carries, so that a change of the page needs no build of the program.
 */
import assert from 'node:assert/strict';
import { spawn, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ask, drop, launch, near, open, until } from './browser.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const program = process.env.ULNA ?? here('../../../../build/dev/bin/ulna');
const folder = mkdtempSync(join(tmpdir(), 'ulna-view-'));
let browser;
before(async () => {
  assert.ok(
    existsSync(program),
    `there is no program ${program}: build the target ulna, or set ULNA to its path`,
  );
  // a page that takes the place of the program's own is not known to be local, and would not be let to the server
  browser = await launch(
    ...(process.env.PAGE === 'dist' ? ['--disable-features=LocalNetworkAccessChecks'] : []),
  );
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Starts the program, opens its page, runs the test, and ends the program. */
async function withProgram(words, run, options = {}) {
  const process_ = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const url = await new Promise((done, fail) => {
      let said = '';
      const read = (data) => {
        said += data;
        const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(said);
        if (found) done(found[0]);
      };
      process_.stdout.on('data', read);
      process_.stderr.on('data', read);
      process_.on('exit', (code) =>
        fail(new Error(`${words.join(' ')} ended with ${code}: ${said}`)),
      );
    });
    const route = async (context) => {
      if (process.env.PAGE === 'dist')
        await context.route(url, (request) =>
          request.fulfill({ path: here('../../dist/index.html') }),
        );
    };
    const { page, context, errors } = await open(browser, url, options, route);
    await page.waitForFunction(() => window.ulna?.robots().length > 0);
    await run(page);
    assert.deepEqual(errors, []);
    await context.close();
  } finally {
    process_.kill('SIGTERM');
  }
}

const fk = (robot, q, frame) => {
  const answer = JSON.parse(
    execFileSync(program, ['fk', robot, '--q', q.join(','), '--frame', frame, '--json'], {
      encoding: 'utf8',
    }),
  );
  const { xyz, quat_wxyz } = answer.frames[0];
  return [...xyz, ...quat_wxyz];
};
const samePose = (a, b) =>
  near(a, b, 1e-6) || near(a, [...b.slice(0, 3), ...b.slice(3).map((x) => -x)], 1e-6);
const small = { viewport: { width: 900, height: 520 } };

test('the page draws each link where the program computes it', async () => {
  const q = [0.3, -0.5, 0.2, -2, 0.4, 1.5, 0.7];
  await withProgram(
    ['view', 'panda', '--q', q.join(',')],
    async (page) => {
      assert.ok(near(await ask(page, 'q'), q, 1e-6));
      for (const link of ['panda_link2', 'panda_link5', 'panda_link7'])
        assert.ok(samePose(await ask(page, 'drawnPose', link), fk('panda', q, link)), link);
      await until('torques', async () =>
        (await page.locator('[data-joint=panda_joint2] .torque').innerText()).includes('of 87 Nm'),
      );
    },
    small,
  );
});

test('a frame that is dragged is where it was dragged to', async () => {
  await withProgram(['view', 'panda', '--q', '0,-0.5,0,-2,0,1.5,0.7'], async (page) => {
    await page.keyboard.press('i');
    await page.getByLabel('frame', { exact: true }).selectOption('panda_link7');
    const [x, y, z] = await ask(page, 'drawnPose', 'panda_link7');
    const target = [x - 0.05, y + 0.1, z - 0.05];
    await ask(page, 'dragHandle', target);
    await until('the frame at its target', async () =>
      near((await ask(page, 'drawnPose', 'panda_link7')).slice(0, 3), target, 1e-3),
    );
    assert.equal(await page.locator('[data-verdict]').innerText(), 'reached');
    await ask(page, 'dragHandle', [3, 0, 0.5]);
    await until('the verdict', async () =>
      (await page.locator('[data-verdict]').innerText()).startsWith('not reached'),
    );
  });
});

test('a log is shown at its own times', async () => {
  const joints = [1, 2, 3, 4, 5, 6, 7].map((k) => `panda_joint${k}`);
  const q = (t) => joints.map((_, k) => [0, -0.5, 0, -2, 0, 1.5, 0.7][k] + 0.2 * Math.sin(t + k));
  const rows = Array.from({ length: 301 }, (_, i) => [i * 0.02, ...q(i * 0.02)].join(','));
  const log = join(folder, 'run.csv');
  writeFileSync(
    log,
    [['time', ...joints.map((name) => `q_${name}`)].join(','), ...rows, ''].join('\n'),
  );
  await withProgram(
    ['view', 'panda', '--log', log],
    async (page) => {
      for (const time of [1, 3.33, 6]) {
        await ask(page, 'goTo', time);
        await until('the pose', async () => near(await ask(page, 'q'), q(time), 1e-3));
      }
    },
    small,
  );
});

test('of two logs both are plotted, and nothing is drawn where one has ended', async () => {
  const log = (name, seconds, offset) => {
    const file = join(folder, name);
    const rows = Array.from({ length: 50 * seconds + 1 }, (_, i) =>
      [i * 0.02, offset + Math.sin(i * 0.02), 0].join(','),
    );
    writeFileSync(file, ['time,q1,q2', ...rows, ''].join('\n'));
    return file;
  };
  const files = [log('long.csv', 4, 0), log('short.csv', 2, 1)];
  await withProgram(
    ['view', 'double_pendulum', '--log', files[0], '--log', files[1]],
    async (page) => {
      await ask(page, 'goTo', 1);
      const plots = page.locator('.dock .plot');
      assert.equal(await plots.count(), 2);
      for (const [k, offset] of [
        [0, 0],
        [1, 1],
      ]) {
        const over = plots.nth(k).locator('.u-over');
        const { width } = await over.boundingBox();
        for (const [share, seen] of [
          [0.25, (text) => Math.abs(Number(text) - offset - Math.sin(1)) < 0.05],
          [0.75, (text) => (k === 0 ? Number.isFinite(Number(text)) : text === '–')],
        ]) {
          await over.hover({ position: { x: share * width, y: 30 } });
          const shown = plots.nth(k).locator('.hint em').first();
          await until(`plot ${k} at ${share}`, async () =>
            seen((await shown.innerText()).replace('−', '-')),
          );
        }
      }
    },
    small,
  );
});

test('a description that is dropped is checked, shown, and can be simulated', async () => {
  const pendulum = readFileSync(here('../../../../robots/pendulum.urdf'), 'utf8');
  await withProgram(['view', 'panda'], async (page) => {
    await drop(page, 'bad.urdf', pendulum.replace(/<parent link="[^"]*"/, '<parent link="bsae"'));
    await until('the finding', async () =>
      /bsae/.test(await page.locator('.check .list').innerText()),
    );
    assert.match(await page.locator('.source .chosen').innerText(), /<joint name="pivot"/);
    assert.deepEqual(await ask(page, 'robots'), ['panda']);
    await drop(page, 'good.urdf', pendulum);
    await until('the robot', async () => (await ask(page, 'robots'))[0] === 'pendulum');
    const number = page.locator('.joint input[type=number]').first();
    await number.fill('60');
    await number.press('Enter');
    await page.getByRole('button', { name: /^Simulate/ }).click();
    await until('a swing to the other side', async () => (await ask(page, 'q'))[0] < -0.9);
  });
});

test('other robots can be chosen', async () => {
  await withProgram(
    ['view', 'panda'],
    async (page) => {
      for (const robot of ['quadruped', 'planar_cart', 'fourbar']) {
        await page.getByLabel('robot', { exact: true }).selectOption(robot);
        await until(robot, async () => (await ask(page, 'robots'))[0] === robot);
      }
    },
    small,
  );
});

test('a page that the program writes needs no server', async () => {
  const file = join(folder, 'swing.html');
  execFileSync(program, ['view', 'pendulum', '--q', '1', '--simulate', '3', '--html', file]);
  const { page, context, errors } = await open(browser, `file://${file}`, {
    offline: true,
    ...small,
  });
  await page.waitForFunction(() => window.ulna?.robots().length > 0);
  await ask(page, 'goTo', 0);
  await until('the first pose', async () => near(await ask(page, 'q'), [1], 1e-5));
  assert.deepEqual(errors, []);
  await context.close();
});

test('in the playground two kilograms are hung, and found to within five percent', async () => {
  await withProgram(
    ['mpc', 'panda', '--live'],
    async (page) => {
      await page.getByRole('slider', { name: 'Weight on the hand' }).fill('2');
      await until(
        'two kilograms',
        async () => {
          const estimate = Number(await page.locator('.range.payload + .figure b').innerText());
          return Math.abs(estimate - 2) < 0.1;
        },
        120000,
      );
    },
    small,
  );
});

const yard = `ulna: scene
name: yard
ground: true
bodies:
  - {name: crate, shape: box, size: [0.2, 0.2, 0.2], mass: 2, xyz: [0, -0.8, 0.5]}
  - {name: egg, shape: ellipsoid, radii: [0.1, 0.1, 0.15], mass: 1, xyz: [0, 0.8, 0.15]}
robots:
  - {robot: quadruped, torque: pd, q: {floating_base_z: 0.62}, material: {friction: 0.7}}
  - {robot: panda, xyz: [-1, 0, 0], torque: gravity}
`;

test('a scene is played with its ground, loose bodies, and contact forces that carry them', async () => {
  const file = join(folder, 'yard.yaml');
  writeFileSync(file, yard);
  await withProgram(
    ['view', file, '--simulate', '1'],
    async (page) => {
      assert.deepEqual(await ask(page, 'robots'), ['crate', 'egg', 'quadruped', 'panda']);
      assert.ok(near(await ask(page, 'drawnPose', 'panda_link0', 3), [-1, 0, 0, 1, 0, 0, 0]));
      await ask(page, 'goTo', 0.1);
      const fallen = async (time) =>
        Math.abs((await ask(page, 'drawnPose', 'crate', 0))[2] - (0.5 - (9.81 * time * time) / 2));
      await until('a crate that falls', async () => (await fallen(0.1)) < 2e-3);
      const under = (arrows) =>
        arrows.filter(({ at: [x, y] }) => Math.hypot(x, y + 0.8) < 0.2).length;
      assert.equal(under(await ask(page, 'arrows')), 0);
      await ask(page, 'goTo', 1);
      await until(
        'a crate that lies',
        async () => Math.abs((await ask(page, 'drawnPose', 'crate', 0))[2] - 0.1) < 1e-3,
      );
      const arrows = await ask(page, 'arrows');
      assert.ok(under(arrows) >= 3, `${arrows.length} forces`);
      for (const { at, along } of arrows) assert.ok(Math.abs(at[2]) < 0.01 && along[2] > 0.7);
      assert.equal(await page.locator('.dock .plot').count(), 2);
    },
    small,
  );
});

test('a robot with meshes of a package is drawn with them', async () => {
  const parts = join(folder, 'parts');
  mkdirSync(parts, { recursive: true });
  writeFileSync(
    join(parts, 'hand.obj'),
    'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n',
  );
  const robot = join(folder, 'hand.urdf');
  writeFileSync(
    robot,
    '<robot name="hand"><link name="base"><visual><geometry>' +
      '<mesh filename="package://parts/hand.obj"/></geometry></visual></link></robot>',
  );
  await withProgram(
    ['view', robot, '--package', `parts=${parts}`],
    async (page) => {
      await until('its mesh', async () => (await ask(page, 'triangles', 'base')) === 4);
    },
    small,
  );
});

test('reports of the program show what they are about, from a file, without a network', async () => {
  const at = (name) => join(folder, name);
  const run = (...words) => execFileSync(program, words, { stdio: 'ignore' });
  const trial = 'mpc panda --rate 100 --duration 1 --steps 8 --payload 2';
  run(...trial.split(' '), '--knowledge', 'identified,fixed', '--report', at('mpc.html'));
  run('excite', 'double_pendulum', '--duration', '4', '-o', at('log.csv'));
  const log = ['double_pendulum', at('log.csv')];
  run('identify', ...log, '--split', '0.5', '--report', at('identify.html'));
  run('simplify', 'puma560', 'quintic:1', '--html', at('simplify.html'));
  for (const [name, plots, robots] of [
    ['mpc', 24, ['identified', 'fixed', 'reference', 'payload']],
    ['identify', 11, []],
    ['simplify', 33, []],
  ]) {
    const { page, context, errors } = await open(browser, `file://${at(`${name}.html`)}`, {
      offline: true,
      ...small,
    });
    await page.waitForSelector('main.report');
    assert.deepEqual(await ask(page, 'robots'), robots);
    assert.equal(await page.locator('.plot .uplot').count(), plots, name);
    assert.ok((await page.locator('.report table').count()) > 0);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(errors, [], name);
    await context.close();
  }
});
