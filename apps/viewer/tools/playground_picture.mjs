/** The picture of the playground in the documentation: ULNA=program node tools/playground_picture.mjs FILE [light | dark [SPEED]] */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ask, launch, open, until } from '../tests/page/browser.mjs';

const [file, colorScheme = 'light', speed] = process.argv.slice(2);
const dist = fileURLToPath(new URL('../dist/index.html', import.meta.url));
const program = spawn(process.env.ULNA, ['mpc', 'panda', '--live'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const url = await new Promise((done) =>
  program.stdout.on('data', (data) => done(/http:\S+/.exec(data)[0])),
);
const browser = await launch('--disable-features=LocalNetworkAccessChecks');
try {
  const options = { viewport: { width: 1280, height: 800 }, colorScheme };
  const { page } = await open(browser, url, options, (context) =>
    context.route(url, (request) => request.fulfill({ path: dist })),
  );
  await page.waitForFunction(() => window.ulna?.robots().length > 0);
  if (speed) await page.getByLabel('speed').selectOption(speed);
  await page.waitForTimeout(3000);
  await page.getByRole('slider', { name: 'Weight on the hand' }).fill('2');
  await page.evaluate(() => document.activeElement.blur());
  const estimate = async () => Number(await page.locator('.range.payload + .figure b').innerText());
  let found = 0;
  await until(
    'the weight',
    async () => {
      await page.waitForTimeout(1000);
      found = Math.abs((await estimate()) - 2) < 0.1 ? found + 1 : 0;
      return found > 14;
    },
    120000,
  );
  await page.screenshot({ path: file.replace('.png', '-still.png') });
  await until(
    'a link under the pointer',
    async () => {
      const [x, y] = await ask(page, 'onPage', 'panda_link6', [0.04, 0, 0]);
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 60, y - 34, { steps: 2 });
      await page.waitForTimeout(100);
      if (await ask(page, 'pulling')) return true;
      await page.mouse.up();
      await page.keyboard.press('f');
      await page.waitForTimeout(800);
      return false;
    },
    60000,
  );
  await page.waitForTimeout(60);
  await page.screenshot({ path: file });
} finally {
  await browser.close();
  program.kill('SIGTERM');
}
