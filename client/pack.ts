import { spawnSync } from 'node:child_process';
import { copyFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Makes this folder what is published, for `npm pack` and `npm publish`: JavaScript and types in
 * `dist/`, and a package.json that exports them instead of the source. `--restore` undoes that.
 */

const at = (...path: string[]) => join(import.meta.dirname, ...path);
const KEPT = at('package.json.kept');

async function build(): Promise<void> {
  await rm(at('dist'), { recursive: true, force: true });
  const tsc = at('node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', at()], { stdio: 'inherit' });
  if (status !== 0) throw new Error('tsc failed');
  await copyFile(at('src/schema.d.ts'), at('dist/schema.d.ts'));
  // tsc leaves the names in declarations as they are. The next compiler may not know these.
  for (const name of (await readdir(at('dist'))).filter((file) => file.endsWith('.d.ts'))) {
    const text = await readFile(at('dist', name), 'utf8');
    const named = text.replaceAll(/ from '(\.\/[\w-]+)(?:\.d)?\.ts'/g, " from '$1.js'");
    await writeFile(at('dist', name), named);
  }
}

async function exportDist(): Promise<void> {
  await copyFile(at('package.json'), KEPT);
  const manifest = JSON.parse(await readFile(KEPT, 'utf8'));
  const { private: _, scripts: __, devDependencies: ___, ...published } = manifest;
  published.exports = { '.': { types: './dist/index.d.ts', default: './dist/index.js' } };
  await writeFile(at('package.json'), `${JSON.stringify(published, null, 2)}\n`);
}

if (process.argv.includes('--restore')) {
  await rename(KEPT, at('package.json'));
} else {
  await build();
  await exportDist();
}
