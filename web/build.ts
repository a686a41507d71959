import { hash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/**
 * Builds the dashboard into `dist/` if the sources have changed since the last time, in about three
 * seconds; otherwise does nothing. Of several processes, one builds.
 */

const WEB = import.meta.dirname;
const DIST = join(WEB, 'dist');
const LOCK = join(WEB, 'dist.lock');
const SOURCES = [
  'web/src/**/*',
  'web/public/**/*',
  'web/*.{html,json,ts}',
  'client/src/**/*',
  'docs/guide.md',
];

export async function buildWeb(): Promise<'built' | 'fresh'> {
  if (isFresh()) return 'fresh';
  await takeLock();
  try {
    return isFresh() ? 'fresh' : await buildAnew();
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

const stamp = join(DIST, '.sources');
const isFresh = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === digest();

/** One process builds, and the others wait for it. A lock of two minutes ago was left behind. */
async function takeLock(): Promise<void> {
  for (;;) {
    try {
      return mkdirSync(LOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const { mtimeMs = Date.now() } = statSync(LOCK, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > 120_000) rmSync(LOCK, { recursive: true, force: true });
    else await pause(100);
  }
}

async function buildAnew(): Promise<'built'> {
  const sources = digest();
  const { build } = await import('vite');
  const outDir = join(WEB, `dist-${process.pid}`);
  try {
    await build({
      configFile: join(WEB, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir },
    });
    compressFiles(outDir);
    writeFileSync(join(outDir, '.sources'), sources);
    rmSync(DIST, { recursive: true, force: true });
    renameSync(outDir, DIST);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
  return 'built';
}

/** Writes what is text a second and a third time, compressed: the server sends one of the three. */
function compressFiles(folder: string): void {
  for (const name of globSync('**/*.{css,html,js,json,svg}', { cwd: folder })) {
    const file = join(folder, name);
    const bytes = readFileSync(file);
    writeFileSync(`${file}.br`, brotliCompressSync(bytes));
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
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
