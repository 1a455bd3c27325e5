import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const executablePath =
  process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);

/** Debian's chromium, drawing without a graphics card. */
export function launch(...more) {
  if (!executablePath)
    throw new Error('there is no chromium: apt-get install chromium, or set CHROMIUM to its path');
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--ignore-gpu-blocklist',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...more,
    ],
  });
}

/** A page that remembers what was written on its console as an error. */
export async function open(browser, url, options = {}, prepare = async () => {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(120000); // without a graphics card, on a computer that has more to do
  await prepare(context);
  const page = await context.newPage();
  const errors = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url);
  return { page, context, errors };
}

/** Calls the page's hook for tests. */
export const ask = (page, name, ...given) =>
  page.evaluate(([n, g]) => window.ulna[n](...g), [name, given]);
export const near = (a, b, tolerance = 1e-6) => a.every((x, i) => Math.abs(x - b[i]) < tolerance);
/** Waits until something holds; says what did not. */
export async function until(what, holds, patience = 60000) {
  const end = Date.now() + patience;
  let last;
  while (Date.now() < end) {
    if ((last = await holds())) return last;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`${what}: not within ${patience} ms`);
}

/** Drops a file on the page, as a browser does. */
export async function drop(page, name, text) {
  await page.evaluate(
    ([file, content]) => {
      const carried = new DataTransfer();
      carried.items.add(new File([content], file, { type: 'text/xml' }));
      for (const kind of ['dragenter', 'dragover', 'drop'])
        document.body.dispatchEvent(
          new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }),
        );
    },
    [name, text],
  );
}
