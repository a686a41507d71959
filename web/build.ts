import { hash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { inTurn } from './in-turn.ts';

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
  return inTurn(LOCK, async () => (isFresh() ? 'fresh' : buildAnew()));
}

const stamp = join(DIST, '.sources');
const isFresh = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === digest();

async function buildAnew(): Promise<'built'> {
  console.log('Building the dashboard …');
  const sources = digest();
  const { build } = await import('vite');
  const outDir = join(WEB, `dist-${process.pid}`);
  const clear = () => rmSync(outDir, { recursive: true, force: true });
  process.once('exit', clear);
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
    process.off('exit', clear);
    clear();
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
  // Ctrl-C, or the end of the start that builds: a lock that was left would hold up the next one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  // An installation without development packages brings the built files with it.
  if (existsSync(join(WEB, '..', 'node_modules', 'vite')) && (await buildWeb()) === 'built')
    console.log('The dashboard was built.');
}
