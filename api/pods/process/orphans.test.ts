import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { makePods, withoutSandbox } from '../../testing/pods.ts';
import { markOfPod, processesOf } from './descendants.ts';

/** A server that is killed leaves no process of a pod behind. */

const confined = await withoutSandbox();
const kinds = [
  { sandbox: 'required', skip: confined },
  { sandbox: 'off', skip: process.platform === 'linux' ? false : 'finds processes in /proc' },
] as const;

for (const { sandbox, skip } of kinds)
  test(`no orphan after SIGKILL, sandbox ${sandbox}`, { skip, timeout: 30_000 }, async (t) => {
    const { directory } = await makePods(t, { sandbox });
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
    const running = await processesOf(markOfPod(id));
    assert.ok(running.length >= 4, running.join());
    server.kill('SIGKILL');
    const end = Date.now() + 5_000;
    while ((await processesOf(markOfPod(id))).length > 0) {
      assert.ok(Date.now() < end, 'processes are left');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
