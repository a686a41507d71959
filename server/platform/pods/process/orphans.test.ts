import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { makePods, withoutSandbox } from '../../../testing/fixtures/runner/pods.ts';
import { until } from '../../../testing/harness/until.ts';
import { markOfPod, processesOf } from './descendants.ts';

/** A server that is killed leaves no process of a pod behind. */

const confined = await withoutSandbox();
const kinds = [
  { sandbox: 'required', skip: confined },
  { sandbox: 'off', skip: process.platform === 'linux' ? false : 'finds processes in /proc' },
] as const;

for (const { sandbox, skip } of kinds)
  test(`no orphan after SIGKILL, sandbox ${sandbox}`, { skip, timeout: 30_000 }, async (t) => {
    const pods = await makePods(t, { sandbox });
    const { directory } = pods;
    const id = randomUUID();
    const openPods = JSON.stringify(join(import.meta.dirname, '../open-pods.ts'));
    const options = JSON.stringify({ driver: 'process', directory, sandbox });
    const program = `
      const { openPods } = await import(${openPods});
      const pods = await openPods(${options});
      await pods.create('${id}');
      const pod = await pods.start('${id}');
      const args = ['-c', 'sleep 60 & setsid sleep 60 & echo ready; wait'];
      const process = await pod.exec({ command: 'sh', args, tree: 'writable' });
      process.stdout.on('data', () => console.log('ready'));`;
    const server = spawn(process.execPath, ['--input-type=module', '-e', program]);
    await new Promise((resolve) => server.stdout.once('data', resolve));
    // The shell says ready before both of its children have loaded their programs.
    const { state } = await pods.find(id);
    assert.equal(state, 'running', 'another process knows that it runs');
    await until('all four run', async () => (await processesOf(markOfPod(id))).length >= 4);
    server.kill('SIGKILL');
    await until('none is left', async () => (await processesOf(markOfPod(id))).length === 0);
    assert.equal((await pods.find(id)).state, 'paused', 'and that it does not any more');
  });
