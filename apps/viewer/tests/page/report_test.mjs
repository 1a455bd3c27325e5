/** Reports and other pages that carry their data: opened from files, without a network. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ask, launch, open, until } from './browser.mjs';
import { motionReport, pageOf, payloadAt } from '../mock/report.mjs';

const folder = mkdtempSync(join(tmpdir(), 'ulna-report-'));
let browser;
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Opens a page from a file, runs the test, and wants no error on the console. */
async function withReport(html, run, options = {}) {
  const file = join(folder, 'report.html');
  writeFileSync(file, html);
  const { page, context, errors } = await open(browser, `file://${file}`, {
    offline: true,
    viewport: { width: 700, height: 460 },
    ...options,
  });
  try {
    await page.waitForSelector('main.report');
    await run(page);
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
  }
}

test('a report shows all its blocks, texts as they are, and the robots in motion', async () => {
  await withReport(motionReport(), async (page) => {
    assert.equal(await page.locator('h1').innerText(), 'A trial: payload <b>');
    assert.equal(await page.locator('.figure b').first().innerText(), '0.14 mrad');
    assert.equal(await page.locator('.remarks .bad').count(), 1);
    assert.match(await page.locator('.report table').first().innerText(), /<i>9<\/i>/);
    assert.equal(await page.locator('.matrix .cells i').count(), 20);
    assert.equal(await page.locator('.plot .uplot').count(), 5);
    assert.deepEqual(await ask(page, 'robots'), ['identified', 'reference', 'payload']);
    // it plays by itself
    await until('time that passes', async () => (await ask(page, 'time')) > 0.2);
    await until('pictures', async () => (await ask(page, 'frames')) > 1);
  });
});

test('robots of a report are shown when they are there and wanted; an event is gone to', async () => {
  await withReport(motionReport(), async (page) => {
    await ask(page, 'goTo', payloadAt - 0.5);
    await until('no payload', async () => !(await ask(page, 'isShown', 2)));
    await page.getByRole('button', { name: /payload of 1 kg/ }).click();
    assert.equal(await ask(page, 'time'), payloadAt);
    await until('the payload', () => ask(page, 'isShown', 2));
    assert.equal(await ask(page, 'isShown', 1), false);
    const chip = page.getByRole('button', { name: 'reference' });
    assert.equal(await chip.getAttribute('aria-pressed'), 'false');
    await chip.click();
    await until('the reference', () => ask(page, 'isShown', 1));
    await chip.click();
    await until('no reference', async () => !(await ask(page, 'isShown', 1)));
  });
});

test('plots of a report and its scene are at one time; a name hides its line in all plots', async () => {
  await withReport(motionReport(), async (page) => {
    await ask(page, 'goTo', 1);
    const over = page.locator('.plots.small .u-over').first();
    const box = await over.boundingBox();
    await over.click({ position: { x: box.width / 2, y: 20 } });
    await until('the middle', async () => Math.abs((await ask(page, 'time')) - 2) < 0.05);
    const key = page.locator('.plots.small > .keys').getByRole('button', { name: 'true' });
    assert.equal(await page.locator('.plots.small > .keys button').count(), 2);
    await key.click();
    assert.equal(await key.getAttribute('aria-pressed'), 'false');
    for (const plot of await page.locator('.plots.small .plot').all()) {
      await plot.locator('.u-over').hover();
      await until('what is under the pointer', () => plot.locator('.hint').isVisible());
      const names = await plot.locator('.hint span').allInnerTexts();
      assert.deepEqual(names, ['identified']);
    }
  });
});

test('keys of a report act on its scene, and not while it is read', async () => {
  await withReport(motionReport(), async (page) => {
    await ask(page, 'goTo', 0);
    // what the page leaves to the browser, which scrolls
    const left = (selector, kind, name, how) =>
      page.evaluate(
        ([where, event, type, given]) =>
          document
            .querySelector(where)
            .dispatchEvent(new window[event](type, { bubbles: true, cancelable: true, ...given })),
        [selector, kind, name, how],
      );
    assert.equal(await left('h1', 'KeyboardEvent', 'keydown', { key: 'End' }), true);
    assert.equal(await ask(page, 'time'), 0);
    const wheel = { deltaY: 120, clientX: 300, clientY: 200 };
    assert.equal(await left('.stage canvas', 'WheelEvent', 'wheel', wheel), true);
    const zoom = { ...wheel, ctrlKey: true };
    assert.equal(await left('.stage canvas', 'WheelEvent', 'wheel', zoom), false);
    await page.locator('.stage canvas').focus();
    await page.keyboard.press('End');
    assert.equal(await ask(page, 'time'), 4);
    await page.keyboard.press(' ');
    await until('that it plays', () => ask(page, 'playing'));
  });
});

test('a report is light and dark, and no wider than a phone', async () => {
  for (const colorScheme of ['light', 'dark'])
    await withReport(
      motionReport(),
      async (page) => {
        const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const sum = ground.match(/\d+/g).reduce((all, x) => all + Number(x), 0);
        assert.ok(colorScheme === 'dark' ? sum < 200 : sum > 600, `${colorScheme}: ${ground}`);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        for (const plot of await page.locator('.plot').all())
          assert.ok((await plot.boundingBox()).width <= 390);
      },
      {
        colorScheme,
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
      },
    );
});

test('a report without a scene needs no WebGL and has no canvas for it', async () => {
  const html = pageOf(
    [
      { type: 'hello', version: 1, mode: 'report' },
      { type: 'report', title: 'words', blocks: [{ kind: 'text', text: 'one' }] },
    ],
    [],
  );
  await withReport(html, async (page) => {
    assert.match(await page.locator('main').innerText(), /words\s+one/);
    assert.equal(await page.locator('canvas').count(), 0);
  });
});
