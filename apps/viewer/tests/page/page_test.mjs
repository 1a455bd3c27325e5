/** The page in Debian's chromium, before a server that feeds it the stream. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ask, drop, launch, near, open, until } from './browser.mjs';
import { motionOf, sceneOf, startMock } from '../mock/server.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Opens the page before a new server, runs the test, and wants no error on the console. */
async function withPage(mockOptions, run, { expectErrors = false, ...options } = {}) {
  const mock = await startMock(mockOptions);
  const { page, context, errors } = await open(browser, mock.url, options);
  try {
    await page.waitForFunction(() => window.ulna?.robots().length > 0);
    await run(page, mock);
    if (!expectErrors) assert.deepEqual(errors, []);
  } finally {
    await context.close();
    await mock.close();
  }
}

const small = { viewport: { width: 700, height: 460 } };

const robots = [
  'panda',
  'ur5e',
  'scara',
  'quadruped',
  'humanoid',
  'iiwa14',
  'ball_wrist',
  'lead_screw',
  'planar_cart',
  'delta',
  'fivebar',
  'fourbar',
  'cartesian_fakhari',
  'double_pendulum',
  'rp_fakhari',
  'pendulum',
];
test(`the page shows each of ${robots.length} robots without an error on the console`, async () => {
  for (const robot of robots)
    await withPage(
      { robot },
      async (page) => {
        assert.deepEqual(await ask(page, 'robots'), [robot]);
        await until('a picture', async () => (await ask(page, 'frames')) > 0);
      },
      small,
    );
});

test('a robot without shapes is drawn by a stand-in, and one with meshes by its meshes', async () => {
  const scene = sceneOf('panda');
  for (const link of scene.robots[0].links) link.visuals = [];
  scene.robots[0].links[3].visuals = [
    { kind: 'mesh', mesh: 0, scale: [1, 1, 1], pose: [0, 0, 0, 1, 0, 0, 0], color: null },
  ];
  await withPage(
    { scene },
    async (page) => {
      const drawn = await until('meshes', async () => {
        const count = await ask(page, 'triangles', 'panda_link3');
        return count > 0 && count;
      });
      assert.equal(drawn, 4);
      assert.ok((await ask(page, 'triangles', 'panda_link2')) > 100);
    },
    small,
  );
});

test('a slider moves the link behind its joint, and no link before it', async () => {
  await withPage({ robot: 'panda' }, async (page) => {
    const before = await ask(page, 'drawnPose', 'panda_link3');
    const behind = await ask(page, 'drawnPose', 'panda_link4');
    const number = page.locator('[data-joint=panda_joint4] input[type=number]');
    await number.fill('-90');
    await number.press('Enter');
    assert.ok(Math.abs((await ask(page, 'q'))[3] + Math.PI / 2) < 1e-9);
    assert.deepEqual(await ask(page, 'drawnPose', 'panda_link3'), before);
    assert.ok(!near(await ask(page, 'drawnPose', 'panda_link4'), behind, 0.1));
    await page.locator('[data-joint=panda_joint1] input[type=range]').focus();
    await page.keyboard.press('ArrowRight');
    assert.ok(Math.abs((await ask(page, 'q'))[0] - Math.PI / 180) < 1e-9);
    await page.getByRole('button', { name: 'rad', exact: true }).click();
    assert.equal(await number.inputValue(), '-1.571');
    await page.getByRole('button', { name: 'Reset pose' }).click();
    assert.ok(near(await ask(page, 'drawnPose', 'panda_link4'), behind));
  });
});

test('torques that hold a pose are asked for and shown beside the limits', async () => {
  await withPage(
    { robot: 'panda' },
    async (page, mock) => {
      await until('torques', async () =>
        (await page.locator('[data-joint=panda_joint2] .torque').innerText()).includes('of 87 Nm'),
      );
      assert.ok(mock.received.some((m) => m.type === 'pose' && m.q.length === 7));
    },
    small,
  );
});

test('dragging a frame asks for inverse kinematics, and shows when the target is out of reach', async () => {
  await withPage({ robot: 'panda' }, async (page, mock) => {
    await page.keyboard.press('i');
    assert.equal(await page.getByLabel('frame', { exact: true }).inputValue(), 'flange');
    await ask(page, 'dragHandle', [0.4, 0.3, 0.5]);
    await until(
      'the answer',
      async () => Math.abs((await ask(page, 'q'))[0] - Math.atan2(0.3, 0.4)) < 1e-9,
    );
    const [x, y] = await ask(page, 'drawnPose', 'panda_link2');
    assert.ok(Math.abs(x) < 1e-9 && Math.abs(y) < 1e-9);
    const { frame, target, position_only } = mock.received.find((m) => m.type === 'ik');
    assert.deepEqual(
      [frame, target.slice(0, 3), position_only],
      ['flange', [0.4, 0.3, 0.5], false],
    );
    assert.equal(await page.locator('[data-verdict]').innerText(), 'reached');
    await ask(page, 'dragHandle', [0.4, 0.3, 2.5]);
    await until('the verdict', async () =>
      (await page.locator('[data-verdict]').innerText()).startsWith('not reached: 500.0 mm'),
    );
  });
});

test('a log is played at the right time, and plots, scene and sliders are at one', async () => {
  await withPage({ mode: 'log', robot: 'ur5e' }, async (page) => {
    const motion = motionOf(sceneOf('ur5e').robots[0]);
    for (const time of [0, 2.5, 7.125, 10]) {
      await ask(page, 'goTo', time);
      await until('the pose', async () => near(await ask(page, 'q'), motion(time), 1e-4));
    }
    await ask(page, 'goTo', 5);
    await until('the ghost', async () => near(await ask(page, 'q', 1), motion(4.85), 1e-4));

    const plot = page.locator('.dock .u-over').first();
    const box = await plot.boundingBox();
    await page.mouse.click(box.x + 0.3 * box.width, box.y + 20);
    await until('the time of the click', async () => Math.abs((await ask(page, 'time')) - 3) < 0.1);
    await page.mouse.move(box.x + 0.8 * box.width, box.y + 30);
    await until(
      'the time under the pointer',
      async () => Math.abs((await ask(page, 'time')) - 8) < 0.1,
    );
    await page.mouse.move(640, 200);
    await until('the time before', async () => Math.abs((await ask(page, 'time')) - 3) < 0.1);
  });
});

test('a second of playing at quarter speed is a quarter of a second, and it loops', async () => {
  await withPage(
    { mode: 'log', robot: 'pendulum', seconds: 2 },
    async (page) => {
      await page.getByLabel('speed').selectOption('0.25');
      await ask(page, 'goTo', 0);
      const passed = await page.evaluate(async () => {
        // in a frame of the browser, after the page's own work on it
        const sample = () =>
          new Promise((done) => requestAnimationFrame((now) => done([now, window.ulna.time()])));
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true }));
        const [began, from] = await sample();
        let [now, time] = [began, from];
        while (now - began < 1500) [now, time] = await sample();
        return (time - from) / ((now - began) / 1000);
      });
      assert.ok(Math.abs(passed - 0.25) < 0.002, `${passed} seconds a second`);
      await page.getByLabel('speed').selectOption('1');
      await until('the end', async () => (await ask(page, 'time')) > 1.2);
      await until('the beginning', async () => (await ask(page, 'time')) < 0.8);
    },
    small,
  );
});

test('in the playground a weight is hung, found, and seen to be found', async () => {
  await withPage({ mode: 'live', robot: 'panda' }, async (page, mock) => {
    const weight = page.getByRole('slider', { name: 'Weight on the hand' });
    await weight.fill('2');
    await until('the message', async () =>
      mock.received.some((m) => m.type === 'live' && m.do === 'payload' && m.mass === 2),
    );
    await until(
      'the estimate',
      async () =>
        Math.abs(Number(await page.locator('.ranges .figure b').first().innerText()) - 2) < 0.1,
    );
    const [dot, truth] = await Promise.all(
      ['.dot', '.truth'].map(
        async (part) => (await page.locator(`.range.payload ${part}`).boundingBox()).x,
      ),
    );
    assert.ok(Math.abs(dot - truth) < 30);
    // it is seen where it hangs, as large as it is
    const { edge, at } = await ask(page, 'weight');
    assert.ok(Math.abs(edge - Math.cbrt(2 / 500)) < 1e-9);
    const last = sceneOf('panda').robots[0].links.filter((l) => l.mass > 0).at(-1).name;
    assert.ok(near(at, (await ask(page, 'drawnPose', last)).slice(0, 3), 0.05));

    await page.getByRole('switch', { name: 'Identify while it moves' }).click();
    await page.locator('.chip[data-joint="1"]').click();
    await page.getByRole('slider', { name: 'Friction' }).fill('2');
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    const sent = (wanted) =>
      until(wanted.do, async () =>
        mock.received.some((m) => Object.entries(wanted).every(([k, v]) => m[k] === v)),
      );
    await sent({ do: 'identify', on: false });
    await sent({ do: 'blind', joint: 1, on: true });
    await sent({ do: 'friction', factor: 2 });
    await sent({ do: 'reset' });
    await until('the finding', async () =>
      (await page.locator('.findings').innerText()).includes('panda_joint2'),
    );
  });
});

test('pulling a link sends where it is held and where to, until it is let go', async () => {
  await withPage({ mode: 'live', robot: 'panda' }, async (page, mock) => {
    const pulls = () => mock.received.filter((m) => m.do === 'pull');
    await until('a link under the pointer', async () => {
      const [x, y] = await ask(page, 'onPage', 'panda_link0', [0, 0, 0.06]);
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 60, y - 20, { steps: 3 });
      await page.waitForTimeout(200);
      if (pulls().length > 0) return true;
      await page.mouse.up();
      return false;
    });
    await until('a pull to the pointer', async () => {
      const { link, point, to } = pulls().at(-1);
      return (
        link === 0 &&
        Math.hypot(...point) < 0.3 &&
        Math.hypot(to[0] - point[0], to[1] - point[1], to[2] - point[2]) > 0.02
      );
    });
    await page.mouse.up();
    await until(
      'the release',
      async () =>
        mock.received.at(-1)?.do === 'release' || mock.received.some((m) => m.do === 'release'),
    );
  });
});

const bad =
  '<robot name="bad">\n  <link name="upper_arm"/>\n  <link name="hand"/>\n  <joint name="elbow" type="revolute">\n    <parent link="uper_arm"/>\n    <child link="hand"/>\n  </joint>\n</robot>\n';

test('a bad description that is dropped shows what is wrong and where; a good one is shown', async () => {
  await withPage({ robot: 'panda' }, async (page) => {
    await drop(page, 'bad.urdf', bad);
    const items = page.locator('.check .item');
    await until('diagnostics', async () => (await items.count()) === 2);
    assert.match(await items.first().innerText(), /uper_arm.*line 5/s);
    assert.match(await page.locator('.source .chosen').innerText(), /<parent link="uper_arm"\/>/);
    await items.nth(1).click();
    assert.match(await page.locator('.source .chosen').innerText(), /<link name="hand"\/>/);
    assert.deepEqual(await ask(page, 'robots'), ['panda']);
    await drop(page, 'scara.urdf', '<robot name="scara"/>');
    await until('the robot', async () => (await ask(page, 'robots'))[0] === 'scara');
  });
});

test('garbage from the server changes nothing and breaks nothing', async () => {
  await withPage(
    { robot: 'panda' },
    async (page, mock) => {
      const before = await ask(page, 'q');
      for (const garbage of [
        '{',
        '7',
        '{"type":"scene","robots":[{}]}',
        '{"type":"ik","robot":9,"q":[1],"reached":true,"request":1}',
        Buffer.from([]),
        Buffer.from([1, 0, 255, 255, 0, 0]),
        Buffer.alloc(64, 255),
      ])
        mock.send(garbage);
      mock.send({ type: 'error', message: 'a message of the server' });
      await until('the error', async () =>
        (await page.locator('.notice').innerText()).includes('a message of the server'),
      );
      assert.deepEqual(await ask(page, 'q'), before);
    },
    small,
  );
});

test('a connection that is lost is shown, and made again', async () => {
  await withPage(
    { robot: 'panda' },
    async (page, mock) => {
      mock.drop();
      await until(
        'the notice',
        async () => (await page.locator('.status').innerText()) === 'connection lost',
      );
      await until(
        'the connection',
        async () => (await page.locator('.status').innerText()) === 'connected',
      );
    },
    { viewport: { width: 1280, height: 500 }, expectErrors: true },
  );
});

test('the colours follow the system, and a switch', async () => {
  await withPage(
    { robot: 'pendulum' },
    async (page) => {
      const brightness = () =>
        page.evaluate(() =>
          getComputedStyle(document.querySelector('.top'))
            .backgroundColor.match(/\d+/g)
            .reduce((sum, x) => sum + Number(x), 0),
        );
      assert.ok((await brightness()) < 200);
      await page.getByLabel('light or dark').click();
      assert.ok((await brightness()) > 600);
    },
    { ...small, colorScheme: 'dark' },
  );
});

test('on a phone nothing is wider than the page, and each panel can be reached', async () => {
  await withPage(
    { mode: 'log', robot: 'panda' },
    async (page) => {
      for (const [tab, part] of [
        ['Joints', '.joint'],
        ['Links', '.tree button'],
        ['Details', '.facts'],
        ['Plots', '.dock .plot'],
      ]) {
        await page.getByRole('tab', { name: tab }).last().tap();
        await page.locator(part).first().waitFor({ state: 'visible' });
        assert.ok(
          await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
          tab,
        );
      }
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  );
});

test('a page that is exported shows the same without a server', async () => {
  let html;
  await withPage({ mode: 'log', robot: 'panda' }, async (page) => {
    await page.getByTitle('export').click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /offline/ }).click(),
    ]);
    html = readFileSync(await download.path(), 'utf8');
  });
  assert.doesNotMatch(html, /(src|href)="https?:/);
  const { page, context, errors } = await open(browser, 'about:blank', { offline: true });
  const file = join(tmpdir(), `ulna-offline-${process.pid}.html`);
  writeFileSync(file, html);
  try {
    await page.goto(`file://${file}`);
    await page.waitForFunction(() => window.ulna?.robots().length === 2);
    await ask(page, 'goTo', 4);
    await until('the pose', async () =>
      near(await ask(page, 'q'), motionOf(sceneOf('panda').robots[0])(4), 1e-4),
    );
    assert.equal(await page.locator('.dock .plot').count(), 2);
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
    rmSync(file);
  }
});

test('a picture is a PNG of the scene, and a video is WebM', async () => {
  await withPage(
    { mode: 'log', robot: 'pendulum', seconds: 1 },
    async (page) => {
      const saved = async (button) => {
        await page.getByTitle('export').click();
        const [download] = await Promise.all([
          page.waitForEvent('download', { timeout: 60000 }),
          page.getByRole('button', { name: button }).click(),
        ]);
        return readFileSync(await download.path());
      };
      const picture = await saved(/PNG/);
      assert.equal(picture.subarray(1, 4).toString(), 'PNG');
      assert.equal(picture.readUInt32BE(16), 2560);
      await page.keyboard.press('Escape');
      const video = await saved(/WebM/);
      assert.deepEqual([...video.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3]);
    },
    small,
  );
});

test('without WebGL the page says so, and its panels work', async () => {
  const plain = await launch('--disable-gpu', '--disable-3d-apis');
  const mock = await startMock({ robot: 'panda' });
  try {
    const { page } = await open(plain, mock.url);
    await page.waitForFunction(() => window.ulna?.robots().length > 0);
    assert.match(await page.locator('.cover').innerText(), /WebGL/);
    const number = page.locator('[data-joint=panda_joint2] input[type=number]');
    await number.fill('-90');
    await number.press('Enter');
    assert.ok(Math.abs((await ask(page, 'q'))[1] + Math.PI / 2) < 1e-9);
  } finally {
    await plain.close();
    await mock.close();
  }
});

test('two points that are picked are measured', async () => {
  await withPage({ robot: 'pendulum', scene: sceneOf('panda') }, async (page) => {
    await page.keyboard.press('m');
    for (const point of [
      [0, 0, 0.03],
      [0, 0, 0.11],
    ]) {
      const [x, y] = await ask(page, 'onPage', 'panda_link0', point);
      await page.mouse.click(x, y);
    }
    await until('the distance', async () =>
      /\d+\.\d mm/.test(await page.locator('.label b').first().innerText()),
    );
  });
});

test('a link that is searched for and chosen is described', async () => {
  await withPage(
    { robot: 'panda' },
    async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('link5');
      await page.getByRole('tab', { name: 'Links' }).first().click();
      assert.equal(await page.locator('.tree button:visible').count(), 1);
      await page.locator('.tree button:visible').click();
      const facts = await page.locator('.right').innerText();
      assert.match(facts, /panda_link5/);
      assert.match(facts, /1\.226 kg/);
      assert.match(facts, /panda_joint5/);
    },
    { viewport: { width: 1280, height: 500 } },
  );
});
