/** Pictures of the page in its modes, to look at: node tools/screenshots.mjs DIRECTORY [NAME...] */
import { mkdirSync } from 'node:fs';
import { launch, open } from '../tests/page/browser.mjs';
import { startMock } from '../tests/mock/server.mjs';

const [directory = 'build/pictures', ...wanted] = process.argv.slice(2);
mkdirSync(directory, { recursive: true });
const browser = await launch();

async function picture(name, mockOptions, act = async () => {}, options = {}, wait = 1500) {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  const mock = await startMock(mockOptions);
  const { page, errors } = await open(browser, mock.url, options);
  await page.waitForFunction(() => window.ulna?.robots().length > 0);
  await act(page, mock);
  await page.waitForTimeout(wait);
  await page.screenshot({ path: `${directory}/${name}.png` });
  if (errors.length > 0) console.log(name, errors);
  await page.close();
  await mock.close();
}

const phone = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
};
const dark = { colorScheme: 'dark' };
const pose = async (page) => {
  for (const [joint, value] of [
    ['panda_joint1', 25],
    ['panda_joint2', -35],
    ['panda_joint4', -130],
    ['panda_joint6', 95],
    ['panda_joint7', 45],
  ])
    await page
      .locator(`[data-joint=${joint}] input[type=number]`)
      .fill(String(value))
      .then(() => page.keyboard.press('Enter'));
};
await picture('robot', { robot: 'panda' }, pose);
await picture(
  'robot-dark',
  { robot: 'panda' },
  async (page) => {
    await pose(page);
    for (const key of ['3', '4', '6', '7']) await page.keyboard.press(key);
  },
  dark,
);
await picture('layers', { robot: 'panda' }, async (page) => {
  await pose(page);
  await page.locator('.tools .button').first().click();
  for (const layer of ['collisions', 'limits', 'inertias', 'masses'])
    await page.locator(`[data-layer=${layer}]`).click();
});
await picture('humanoid', { robot: 'humanoid' });
await picture('quadruped', { robot: 'quadruped' });
await picture('log', { mode: 'log', robot: 'ur5e' }, async (page) =>
  page.evaluate(() => window.ulna.goTo(2.5)),
);
await picture('live', { mode: 'live', robot: 'panda' }, async (page) => {
  await page.getByRole('slider', { name: 'Weight on the hand' }).fill('2');
  await page.waitForTimeout(6000);
  const [x, y] = await page.evaluate(() => window.ulna.onPage('panda_link7'));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 120, y + 60, { steps: 6 });
});
await picture('check', { robot: 'panda' }, async (page) => {
  const text =
    '<robot name="bad">\n  <link name="upper_arm"/>\n  <link name="hand"/>\n  <joint name="elbow" type="revolute">\n    <parent link="uper_arm"/>\n    <child link="hand"/>\n  </joint>\n</robot>\n';
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'bad.urdf', mimeType: 'text/xml', buffer: Buffer.from(text) });
});
await picture('move', { robot: 'panda' }, async (page) => {
  await pose(page);
  await page.keyboard.press('Escape');
  await page.mouse.click(640, 700);
  await page.keyboard.press('i');
});
await picture('phone', { robot: 'panda' }, async () => {}, phone);
await picture('phone-live', { mode: 'live', robot: 'panda' }, async () => {}, {
  ...phone,
  ...dark,
});
await browser.close();
