/** Builds the page again and compares it with what is committed: exit 1 and a remedy if they differ. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const outDir = mkdtempSync(join(tmpdir(), 'ulna-page-'));
try {
  await build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true } });
  const [fresh, committed] = [outDir, join(root, 'dist')].map((folder) =>
    readFileSync(join(folder, 'index.html')),
  );
  if (!fresh.equals(committed)) {
    console.error(
      'apps/viewer/dist/index.html is not what its sources give: run `npm run build` in apps/viewer and commit it',
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(outDir, { recursive: true });
}
