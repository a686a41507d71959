import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

/** What a process does not use it does not load: the HTTP API is a quarter of a worker's memory. */

const run = promisify(execFile);

/** The modules that a process loads which imports these. */
async function loadedBy(...files: string[]): Promise<string[]> {
  const script = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
    for (const file of ${JSON.stringify(files)}) await import(file);
    process.stdout.write(urls.join('\\n'), () => process.exit());`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
  });
  return stdout.split('\n');
}

const OF_HTTP = /\/server\/main\/(?:app|routes)\.ts$|\/node_modules\/fastify\//;

for (const [title, files] of [
  ['a process that carries out tasks', ['./work.ts', './start-tasks.ts']],
  ['the first of several that serve', ['./main.ts']],
] as const)
  test(`${title} loads nothing that answers requests`, async () => {
    const loaded = await loadedBy(...files);
    assert.ok(loaded.some((url) => url.endsWith('/server/main/worker.ts')));
    assert.deepEqual(
      loaded.filter((url) => OF_HTTP.test(url)),
      [],
    );
  });
