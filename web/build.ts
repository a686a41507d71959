import { hash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Builds the dashboard into `dist/` if the sources have changed since the last time, in about two
 * seconds; otherwise does nothing. Several processes may do so at once: the last one wins, and each
 * result is complete.
 */

const WEB = import.meta.dirname;
const DIST = join(WEB, 'dist');
const SOURCES = ['web/src/**/*', 'web/public/**/*', 'web/*.{html,json,ts}', 'client/src/**/*'];

export async function buildWeb(): Promise<'built' | 'fresh'> {
  const sources = digest();
  const stamp = join(DIST, '.sources');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return 'fresh';
  const { build } = await import('vite');
  const outDir = join(WEB, `dist-${process.pid}`);
  try {
    await build({
      configFile: join(WEB, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir },
    });
    writeFileSync(join(outDir, '.sources'), sources);
    rmSync(DIST, { recursive: true, force: true });
    renameSync(outDir, DIST);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
  return 'built';
}

/** One hash over the names and contents of everything the build reads. */
function digest(): string {
  const root = join(WEB, '..');
  const files = [...globSync(SOURCES, { cwd: root, withFileTypes: true })]
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const lines = files.map(
    (file) => `${hash('sha256', readFileSync(file))} ${file.slice(root.length)}`,
  );
  return hash('sha256', [...lines, readFileSync(join(root, 'package-lock.json'))].join('\n'));
}

if (import.meta.main) {
  // An installation without development packages brings the built files with it.
  if (existsSync(join(WEB, '..', 'node_modules', 'vite')) && (await buildWeb()) === 'built')
    console.log('The dashboard was built.');
}
