/** The picture of the playground in the documentation: ULNA=program node tools/playground_picture.mjs FILE [light | dark] */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ask, launch, open, until } from '../tests/page/browser.mjs';

const [file, colorScheme = 'light'] = process.argv.slice(2);
const dist = fileURLToPath(new URL('../dist/index.html', import.meta.url));
const program = spawn(process.env.ULNA, ['mpc', 'panda', '--live'], { stdio: ['ignore', 'pipe', 'inherit'] });
const url = await new Promise((done) => program.stdout.on('data', (data) => done(/http:\S+/.exec(data)[0])));
const browser = await launch('--disable-features=LocalNetworkAccessChecks');
try {
  const options = { viewport: { width: 1280, height: 800 }, colorScheme };
  const { page } = await open(browser, url, options, (context) => context.route(url, (request) => request.fulfill({ path: dist })));
  await page.waitForFunction(() => window.ulna?.robots().length > 0);
  await page.waitForTimeout(3000);
  await page.getByRole('slider', { name: 'Weight on the hand' }).fill('2');
  await page.waitForTimeout(12000);
  await until('a link under the pointer', async () => {
    const [x, y] = await ask(page, 'onPage', 'panda_link5', [0, 0, -0.1]);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 90, y - 110, { steps: 4 });
    await page.waitForTimeout(300);
    if (await ask(page, 'pulling')) return true;
    await page.mouse.up();
    return false;
  }, 60000);
  await page.waitForTimeout(700);
  await page.screenshot({ path: file });
} finally {
  await browser.close();
  program.kill('SIGTERM');
}
