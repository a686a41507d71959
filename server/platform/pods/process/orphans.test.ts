import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { makePod, makePods, shell, withoutSandbox } from '../../../testing/fixtures/runner/pods.ts';
import { until } from '../../../testing/harness/until.ts';
import { markOfPod, processesOf } from './descendants.ts';

/** What runs in a pod ends with its command and with its server, and is left to who has taken it over. */

const confined = await withoutSandbox();
const kinds = [
  { sandbox: 'required', skip: confined },
  { sandbox: 'off', skip: process.platform === 'linux' ? false : 'finds processes in /proc' },
] as const;
type Kind = (typeof kinds)[number]['sandbox'];

const running = async (id: string) => (await processesOf(markOfPod(id))).length;

/** Another process, which starts the pod and a command in it, and pauses it once it is told to. */
async function otherServer(directory: string, sandbox: Kind, id: string) {
  const openPods = JSON.stringify(join(import.meta.dirname, '../open-pods.ts'));
  const options = JSON.stringify({ driver: 'process', directory, sandbox });
  const program = `
    const { openPods } = await import(${openPods});
    const pods = await openPods(${options});
    await pods.create('${id}');
    const pod = await pods.start('${id}');
    const args = ['-c', 'sleep 60 & setsid sleep 60 & echo ready; wait'];
    const command = await pod.exec({ command: 'sh', args, tree: 'writable' });
    command.stdout.once('data', () => console.log('ready'));
    process.stdin.once('data', async () => {
      await pods.pause('${id}');
      console.log('paused');
    });`;
  const server = spawn(process.execPath, ['--input-type=module', '-e', program]);
  await once(server.stdout, 'data');
  // The shell says ready before both of its children have loaded their programs.
  await until('all four run', async () => (await running(id)) >= 4);
  return server;
}

for (const { sandbox, skip } of kinds) {
  const options = { skip, timeout: 30_000 };

  test(`no orphan after SIGKILL, sandbox ${sandbox}`, options, async (t) => {
    const pods = await makePods(t, { sandbox });
    const id = randomUUID();
    const server = await otherServer(pods.directory, sandbox, id);
    const { state } = await pods.find(id);
    assert.equal(state, 'running', 'another process knows that it runs');
    server.kill('SIGKILL');
    await until('none is left', async () => (await running(id)) === 0);
    assert.equal((await pods.find(id)).state, 'paused', 'and that it does not any more');
  });

  test(
    `what a command leaves in the background ends with it, sandbox ${sandbox}`,
    options,
    async (t) => {
      const pods = await makePods(t, { sandbox });
      const pod = await makePod(pods);
      const { code } = await shell(pod, 'sleep 60 & setsid sleep 60 > /dev/null & exit 3');
      assert.equal(code, 3);
      assert.equal(await running(pod.id), 0);
      await pod.exec({ command: 'sleep', args: ['60'], tree: 'writable' });
      assert.equal((await pods.pause(pod.id)).state, 'paused');
      assert.equal(await running(pod.id), 0);
    },
  );

  test(
    `a pod that another server takes over is its own, sandbox ${sandbox}`,
    options,
    async (t) => {
      const pods = await makePods(t, { sandbox });
      const id = randomUUID();
      const server = await otherServer(pods.directory, sandbox, id);
      t.after(() => server.kill());
      const pod = await pods.attach(id);
      assert.equal(await running(id), 0, 'nothing of the other server goes on');
      await pod.exec({ command: 'sleep', args: ['60'], tree: 'writable' });
      await until('it runs', async () => (await running(id)) > 0);
      server.stdin.write('pause\n');
      assert.equal(String((await once(server.stdout, 'data'))[0]), 'paused\n');
      assert.ok((await running(id)) > 0, 'the other server has ended what is not its own');
      assert.equal((await pods.find(id)).state, 'running');
    },
  );
}
