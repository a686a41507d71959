import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inTurn } from '../in-turn.ts';

/** One process builds the dashboard; one that is ended while it builds holds up no other one. */

const directory = await mkdtemp(join(tmpdir(), 'guildhall-turn-'));
after(() => rm(directory, { recursive: true }));
const lock = join(directory, 'lock');

/** A process that has the lock until it ends. */
async function holder() {
  const module = JSON.stringify(join(import.meta.dirname, '../in-turn.ts'));
  const file = join(directory, 'holder.ts');
  await writeFile(
    file,
    `import { inTurn } from ${module};
     process.once('SIGTERM', () => process.exit(1));
     await inTurn(${JSON.stringify(lock)}, () => {
       console.log('held');
       return new Promise((resolve) => process.stdin.once('data', resolve));
     });`,
  );
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

test('a process waits for the one that has the lock', async () => {
  const child = await holder();
  let done = false;
  const waiting = inTurn(lock, async () => {
    done = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(done, false);
  child.stdin.end('go on\n');
  await waiting;
  assert.equal(existsSync(lock), false);
});

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`the lock of a process that ${signal} has ended is taken at once`, async () => {
    const child = await holder();
    child.kill(signal);
    await once(child, 'exit');
    assert.equal(existsSync(lock), signal === 'SIGKILL');
    const began = performance.now();
    await inTurn(lock, async () => {});
    assert.ok(performance.now() - began < 60_000);
  });
