import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { realCluster, withoutCluster } from '../../../testing/fixtures/runner/real-cluster.ts';
import type { Pod } from '../pod.ts';
import type { KubernetesClient } from './client.ts';

/**
 * What carries nothing for long, on a cluster that ends it after a minute instead of four hours:
 * deploy/kubernetes/cluster/silence.sh makes one.
 */
const seconds = Number(process.env.GUILDHALL_TEST_SILENCE ?? '0');
const skip = withoutCluster || (seconds === 0 && 'needs deploy/kubernetes/cluster/silence.sh');
const options = { skip, timeout: (seconds + 240) * 1_000 };

/** Asks over a socket, is silent, and asks again. */
const ASK_TWICE = `
  const socket = require('node:net').connect(process.env.GUILDHALL_SOCKETS + '/model');
  let answers = 0;
  socket.on('data', (answer) => {
    console.log(String(answer));
    answers += 1;
    if (answers === 2) process.exit(0);
    setTimeout(() => socket.write('again'), ${seconds * 1_000});
  });
  socket.on('close', () => { console.log('closed'); process.exit(1); });
  socket.write('once');`;

/** Its pings remain. */
const withoutSigns = (client: KubernetesClient): KubernetesClient => ({
  ...client,
  async connect(path, protocols) {
    const socket = await client.connect(path, protocols);
    const send = socket.send.bind(socket) as (...args: unknown[]) => void;
    const some = (content: Buffer, ...rest: unknown[]) => {
      if (content.length > 1) send(content, ...rest);
    };
    return Object.assign(socket, { send: some });
  },
});

async function silentIn(pod: Pod, socket: string) {
  const began = performance.now();
  const after = () => Math.round((performance.now() - began) / 1_000);
  const silent = await pod.exec({
    command: 'sh',
    args: ['-c', `sleep ${seconds}; echo end`],
    tree: 'writable',
  });
  const asking = await pod.exec({
    command: 'node',
    args: ['-e', ASK_TWICE],
    tree: 'writable',
    sockets: { model: socket },
  });
  const ends = [silent, asking].map(async (process) => {
    let output = '';
    process.stdout.on('data', (chunk) => (output += chunk));
    const exit = await process.exited;
    return { code: exit.code, output, after: after() };
  });
  return Promise.all(ends);
}

test('kubernetes: what is silent goes on, by signs of life alone', options, async (t) => {
  const { driver, createIn, directory } = await realCluster(t);
  const server = createServer((socket) =>
    socket.on('data', (asked) => socket.write(`heard ${asked}\n`)),
  );
  const path = join(directory, 'model');
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.after(() => server.close());
  const kept = driver();
  const cut = driver({ between: withoutSigns });
  const [ofKept, ofCut] = await Promise.all([
    kept.start(await createIn(kept)),
    cut.start(await createIn(cut)),
  ]);
  const [[silent, asking], [cutSilent, cutAsking]] = await Promise.all([
    silentIn(ofKept, path),
    silentIn(ofCut, path),
  ]);
  t.diagnostic(JSON.stringify({ seconds, silent, asking, cutSilent, cutAsking }));
  assert.deepEqual([silent?.code, silent?.output], [0, 'end\n']);
  assert.deepEqual([asking?.code, asking?.output], [0, 'heard once\n\nheard again\n\n']);
  // Otherwise this cluster bears silence, and nothing was shown.
  assert.equal(cutSilent?.code, null);
  assert.ok((cutSilent?.after ?? seconds) < seconds, `ended after ${cutSilent?.after} s`);
  assert.doesNotMatch(cutAsking?.output ?? '', /again/);
});
