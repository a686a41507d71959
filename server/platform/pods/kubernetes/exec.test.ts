import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { withoutContainers } from '../../../testing/fakes/containers/container.ts';
import { makeCluster } from '../../../testing/fixtures/runner/cluster.ts';
import { makePod, run, shell } from '../../../testing/fixtures/runner/pods.ts';
import { until } from '../../../testing/harness/until.ts';

/** Exec of Kubernetes, against a fake of its API. */

const options = { skip: withoutContainers, timeout: 180_000 };

test(
  'a process that is silent for long is not ended: pings alone are silence',
  options,
  async (t) => {
    const { cluster, driver } = await makeCluster(t);
    const pod = await makePod(driver(undefined, { ping: 5 }));
    cluster.rules = { ...cluster.rules, mostPings: 3 };
    const sockets = { model: '/nonexistent' };
    const process = await pod.exec({ command: 'cat', tree: 'writable', sockets });
    let output = '';
    process.stdout.on('data', (chunk) => (output += chunk));
    await until('there were many pings', () => cluster.counts.pings > 30);
    process.stdin.end('still there');
    assert.deepEqual(await process.exited, { code: 0, signal: null });
    assert.equal(output, 'still there');
  },
);

test('much at once is sent in messages that the API server takes', options, async (t) => {
  const { cluster, driver } = await makeCluster(t);
  const pod = await makePod(driver());
  cluster.rules = { ...cluster.rules, mostMessage: 1_048_577 };
  const content = randomBytes(3 * 1_048_576 + 7);
  await pod.files.write('large', content);
  assert.ok(content.equals((await pod.files.read('large', { maxBytes: 1e7 })) ?? Buffer.of()));
});

test('many small files take few messages', options, async (t) => {
  const { cluster, driver } = await makeCluster(t);
  const pods = driver();
  const [from, to] = [await makePod(pods), await makePod(pods)];
  const script = 'for i in $(seq 300); do echo $i > f$i; done';
  const process = await from.exec({ command: 'sh', args: ['-c', script], tree: 'writable' });
  await process.exited;
  const before = { ...cluster.counts };
  await to.files.unpack(from.files.pack());
  // 450 KB of archive, each way.
  assert.ok(cluster.counts.in - before.in < 12, `${cluster.counts.in - before.in} in`);
  assert.ok(cluster.counts.out - before.out < 24, `${cluster.counts.out - before.out} out`);
  assert.equal((await to.files.list(''))?.length, 300);
});

test(
  'what is under way when a process has ended is lost: the helper ends after it',
  options,
  async (t) => {
    const { cluster, driver } = await makeCluster(t);
    const pods = driver();
    const pod = await makePod(pods);
    const content = randomBytes(300_000);
    await pod.files.write('a/large', content);
    cluster.rules = { ...cluster.rules, underWay: 40 };
    assert.ok(content.equals((await pod.files.read('a/large', { maxBytes: 1e6 })) ?? Buffer.of()));
    assert.deepEqual(await pod.files.list(''), [{ name: 'a', type: 'folder', size: 0 }]);
    const to = await makePod(pods);
    await to.files.unpack(pod.files.pack());
    assert.ok(content.equals((await to.files.read('a/large', { maxBytes: 1e6 })) ?? Buffer.of()));
    const bounds = { maxBytes: 1e9, maxEntries: 1 };
    await assert.rejects(to.files.unpack(pod.files.pack(), bounds), { code: 'too_large' });
    assert.equal(await pod.files.read('none', { maxBytes: 1 }), undefined);
    await assert.rejects(pod.files.read('a', { maxBytes: 1 }), { message: 'a is not a file' });
    const script = 'base64 a/large >&2; cat a/large | base64; exit 3';
    const { stdout, stderr, code } = await shell(pod, script);
    assert.deepEqual([code, stdout === stderr, stdout.length > 400_000], [3, true, true]);
    const none = await run(pod, { command: 'no-such-program', tree: 'writable' });
    assert.deepEqual([none.code, /ENOENT/.test(none.stderr)], [127, true]);
  },
);

test('an exec that is refused fails with its words, and leaves no Pod', options, async (t) => {
  const { cluster, driver } = await makeCluster(t);
  const pods = driver();
  const words = 'pods "x" is forbidden: User "system:serviceaccount:a:b" cannot get "pods/exec"';
  const forbidden = JSON.stringify({ kind: 'Status', code: 403, message: words });
  // Of a real cluster, behind a proxy that passes a request on without its upgrade.
  const upgrade = { kind: 'Status', code: 400, message: 'Upgrade request required' };
  for (const [code, text, message, kind] of [
    [400, JSON.stringify(upgrade), /Upgrade .*: WebSockets must be let through/, 'failed'],
    [403, forbidden, /cannot get "pods\/exec"/, 'failed'],
    [400, '<html>Bad Request</html>', /answers 400 .*WebSockets must be let through/, 'failed'],
    [503, 'no healthy upstream', /answers 503/, 'unavailable'],
  ] as const) {
    cluster.refusesExec = { code, text };
    const id = randomUUID();
    await pods.create(id);
    await assert.rejects(pods.start(id), { code: kind, message });
    await until('its Pod is gone', async () => (await pods.find(id)).state === 'paused');
  }
});

test('an image without the helper’s program is named, not tried again', options, async (t) => {
  const { cluster, driver } = await makeCluster(t);
  const pods = driver();
  const id = randomUUID();
  await pods.create(id, 'other:1');
  cluster.rules = { ...cluster.rules, missing: 'node' };
  await assert.rejects(pods.start(id), { code: 'failed', message: /other:1 is no image for pods/ });
});
