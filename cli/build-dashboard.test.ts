import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { untilGone } from '../server/testing/processes/processes.ts';
import { buildDashboard } from './build-dashboard.ts';

/** `serve --build` builds the dashboard beside the start, which `npm start` does. */

const directory = await mkdtemp(join(tmpdir(), 'guildhall-build-'));
after(() => rm(directory, { recursive: true }));

async function script(name: string, text: string): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, text);
  return file;
}

test('a build that ends well resolves; one that fails is an error with its code, and with what to do', async () => {
  await buildDashboard(await script('well.ts', ''));
  await assert.rejects(buildDashboard(await script('badly.ts', 'process.exitCode = 3;')), {
    message:
      'The dashboard could not be built (code 3): what is wrong is written above. ' +
      'To start without building it: npm run guildhall -- serve',
  });
});

test('a build that fails holds up no start', async () => {
  const failing = await script('fails.ts', 'process.exitCode = 1;');
  const waiting = await script(
    'waiting.ts',
    `import { buildDashboard } from ${JSON.stringify(join(import.meta.dirname, 'build-dashboard.ts'))};
     buildDashboard(${JSON.stringify(failing)});
     setTimeout(() => {}, 300);`,
  );
  const [code] = await once(spawn(process.execPath, [waiting], { stdio: 'inherit' }), 'exit');
  assert.equal(code, 0);
});

test('a build ends with the process that has begun it', async () => {
  const long = await script('long.ts', 'console.error(process.pid); setInterval(() => {}, 1_000);');
  const starting = await script(
    'starting.ts',
    `import { buildDashboard } from ${JSON.stringify(join(import.meta.dirname, 'build-dashboard.ts'))};
     buildDashboard(${JSON.stringify(long)});
     process.stdin.once('data', () => process.exit(0));`,
  );
  const child = spawn(process.execPath, [starting], { stdio: ['pipe', 'inherit', 'pipe'] });
  const [line] = await once(child.stderr, 'data');
  child.stdin.write('end\n');
  await once(child, 'exit');
  await untilGone(Number(line));
});

for (const [signal, status] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  test(`a build ends with a start that ${signal} ends before it waits for signals`, async () => {
    const long = await script(
      'long.ts',
      'console.error(process.pid); setInterval(() => {}, 1_000);',
    );
    const starting = await script(
      'starting.ts',
      `import { buildDashboard } from ${JSON.stringify(join(import.meta.dirname, 'build-dashboard.ts'))};
       buildDashboard(${JSON.stringify(long)});
       setInterval(() => {}, 1_000);`,
    );
    const child = spawn(process.execPath, [starting], { stdio: ['ignore', 'inherit', 'pipe'] });
    const [line] = await once(child.stderr, 'data');
    child.kill(signal);
    assert.deepEqual(await once(child, 'exit'), [status, null]);
    await untilGone(Number(line));
  });
