/**
 * What a frame of the page costs the processor in JavaScript, apart from drawing by a graphics card: kinematics, panels, plots, and
 * giving the scene to WebGL.
 *
 *     node tools/frame_time.mjs [ROBOT...]           (panda humanoid; humanoid has 31 joints)
 */
import { launch, open } from '../tests/page/browser.mjs';
import { startMock } from '../tests/mock/server.mjs';

const robots = process.argv.length > 2 ? process.argv.slice(2) : ['panda', 'humanoid'];
const browser = await launch();
for (const robot of robots) {
  const mock = await startMock({ mode: 'log', robot, seconds: 20 });
  // small: without a graphics card the processor draws too, in a process of its own, for which submitting may wait
  const { page } = await open(browser, mock.url, { viewport: { width: 1280, height: 500 } });
  await page.waitForFunction(() => window.ulna?.robots().length > 0);
  await page.waitForTimeout(2000);
  const best = {};
  for (let round = 0; round < 5; round++)
    for (const [part, ms] of Object.entries(
      await page.evaluate(() => window.ulna.frameTimes(60)),
    ))
      best[part] = Math.min(best[part] ?? Infinity, ms);
  const all = Object.values(best).reduce((sum, ms) => sum + ms, 0);
  const parts = Object.entries(best).map(([part, ms]) => `${part} ${ms.toFixed(2)} ms`);
  console.log(
    `${robot}: ${all.toFixed(2)} ms of the 16.7 ms of a frame: ${parts.join(', ')} (medians of 60 frames, least of 5 rounds)`,
  );
  await page.close();
  await mock.close();
}
await browser.close();
