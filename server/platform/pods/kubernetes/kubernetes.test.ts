import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { withoutContainers } from '../../../testing/fakes/containers/container.ts';
import { makeCluster } from '../../../testing/fixtures/runner/cluster.ts';
import { makePod, shell } from '../../../testing/fixtures/runner/pods.ts';
import { until } from '../../../testing/harness/until.ts';
import type { Pod, PodDriver } from '../pod.ts';

/** The driver of Kubernetes, against a fake of its API: what the cluster does with Pods. */

const options = { skip: withoutContainers, timeout: 180_000 };

/** Resolves once it really runs. */
async function sleepIn(pod: Pod) {
  const args = ['-c', 'echo ready; exec sleep 600'];
  const process = await pod.exec({ command: 'sh', args, tree: 'writable' });
  await once(process.stdout, 'data');
  return process;
}

const runsForLong = async (pods: PodDriver) => {
  const pod = await makePod(pods);
  return { pod, process: await sleepIn(pod) };
};

test(
  'an API that is down, silent or refuses makes a pod unknown, never absent',
  options,
  async (t) => {
    const { cluster, driver } = await makeCluster(t);
    const pods = driver();
    const id = randomUUID();
    await pods.create(id);
    for (const mode of ['fails', 'silent'] as const) {
      cluster.mode = mode;
      assert.equal((await pods.find(id)).state, 'unknown', mode);
      for (const call of [pods.create, pods.start, pods.pause, pods.destroy])
        await assert.rejects(call(id), { code: 'unavailable' });
    }
    cluster.mode = 'works';
    assert.equal((await driver('/nonexistent').find(id)).state, 'unknown');
    assert.equal((await driver(import.meta.filename).find(id)).state, 'unknown');
    assert.equal((await pods.find(id)).state, 'paused');
  },
);

test('a token that is refused or missing for a while is no failure', options, async (t) => {
  const { cluster, driver } = await makeCluster(t);
  const pods = driver();
  const pod = await makePod(pods);
  const token = await readFile(cluster.tokenFile, 'utf8');
  for (const [now, words] of [
    ['other', /refuses the token of the worker \(Unauthorized\)/],
    ['', /holds no token/],
  ] as const) {
    await writeFile(cluster.tokenFile, now);
    const fault = { code: 'unavailable', message: words };
    const id = randomUUID();
    for (const call of [pods.create, pods.start, pods.attach, pods.pause, pods.destroy])
      await assert.rejects(call(id), fault);
    await assert.rejects(pods.list(), fault);
    await assert.rejects(pods.check(), fault);
    await assert.rejects(pod.exec({ command: 'true', tree: 'writable' }), fault);
    const { state, reason } = await pods.find(pod.id);
    assert.equal(state, 'unknown');
    assert.match(reason ?? '', words);
  }
  await writeFile(cluster.tokenFile, token);
  assert.equal((await pods.find(pod.id)).state, 'running');
});

test('an image that cannot be pulled now is waited for', options, async (t) => {
  const { cluster, driver } = await makeCluster(t);
  cluster.pulls = false;
  const pods = driver();
  const id = randomUUID();
  await pods.create(id);
  const started = pods.start(id);
  await until('it waits', async () => (await pods.find(id)).state === 'creating');
  cluster.pulls = true;
  assert.equal((await shell(await started, 'echo ok')).stdout, 'ok\n');
});

test(
  'a Pod that cannot start is reported and removed; people learn no address',
  options,
  async (t) => {
    const { cluster, driver } = await makeCluster(t);
    cluster.pulls = false;
    const pods = driver(undefined, { start: 100 });
    const id = randomUUID();
    await pods.create(id);
    await assert.rejects(pods.start(id), (error: Error & { code: string; sentence: string }) => {
      assert.equal(error.code, 'failed');
      assert.match(error.message, /ImagePullBackOff: Back-off pulling image "registry\.internal/);
      assert.match(error.sentence, /^the cluster does not run the pod now; the operator .* log/);
      return true;
    });
    await until('it is gone', async () => (await pods.find(id)).state === 'paused');
    assert.equal(cluster.asked.filter((one) => one === 'DELETE pods').length, 1);
  },
);

test('a quota is waited for as a full cluster is, and passes', options, async (t) => {
  const { cluster, driver } = await makeCluster(t);
  const pods = driver();
  const id = randomUUID();
  cluster.quota = { pods: 0, persistentvolumeclaims: 0 };
  const started = pods.create(id).then(() => pods.start(id));
  const refused = (kind: string) => () =>
    cluster.asked.filter((one) => one === `POST ${kind}`).length > 1;
  await until('there is no room for a claim', refused('persistentvolumeclaims'));
  cluster.quota = { pods: 0 };
  await until('there is no room for a Pod', refused('pods'));
  cluster.quota = {};
  assert.equal((await shell(await started, 'echo ok')).stdout, 'ok\n');
  cluster.quota = { pods: 0 };
  await pods.pause(id);
  const fault = { code: 'unavailable', message: /exceeded quota: of-the-namespace/ };
  await assert.rejects(driver(undefined, { start: 50 }).start(id), fault);
});

test('an evicted Pod was lost, and is started anew with its files', options, async (t) => {
  const { cluster, driver } = await makeCluster(t);
  const pods = driver();
  const { pod, process } = await runsForLong(pods);
  await shell(pod, 'echo kept > file');
  await cluster.evict();
  assert.deepEqual(await process.exited, { code: null, signal: 'SIGKILL', lost: true });
  const { state, reason } = await pods.find(pod.id);
  assert.deepEqual([state, reason], ['paused', 'Evicted: The node was low on resource: memory.']);
  const none = await shell(pod, 'true');
  assert.ok(none.lost && /container not found \("build"\)/.test(none.stderr), none.stderr);
  await assert.rejects(pod.files.list(''), { code: 'unavailable' });
  const again = await pods.attach(pod.id);
  assert.equal((await shell(again, 'cat file')).stdout, 'kept\n');
});

test('a drained Pod was lost, and is started anew once it has ended', options, async (t) => {
  const { cluster, driver } = await makeCluster(t);
  const pods = driver();
  const { pod, process } = await runsForLong(pods);
  const { ended } = await cluster.drain();
  assert.equal((await process.exited).lost, true);
  assert.equal((await pods.find(pod.id)).state, 'destroying');
  ended();
  assert.equal((await pods.find(pod.id)).state, 'paused');
  assert.equal((await shell(await pods.attach(pod.id), 'echo ok')).stdout, 'ok\n');
});

test('what has exceeded a limit of the pod is told why; start replaces it', options, async (t) => {
  const { cluster, driver } = await makeCluster(t);
  const pods = driver();
  const memory = await runsForLong(pods);
  await cluster.kill('build');
  const reason = 'It used more than 4 GiB of memory.';
  assert.deepEqual(await memory.process.exited, { code: null, signal: 'SIGKILL', reason });
  assert.deepEqual(await pods.find(memory.pod.id), {
    id: memory.pod.id,
    state: 'paused',
    externalId: `guildhall-${memory.pod.id}`,
    reason: 'its container build has ended: OOMKilled',
    exceeded: reason,
  });
  const process = await sleepIn(await pods.start(memory.pod.id));
  await cluster.evict('Usage of EmptyDir volume "memory" exceeds the limit "768Mi". ');
  assert.match((await process.exited).reason ?? '', /more room for temporary files/);
});

test('a process that is killed by itself says so, and its pod is not lost', options, async (t) => {
  const { driver } = await makeCluster(t);
  const pods = driver(undefined, { ended: 100 });
  const done = await shell(await makePod(pods), 'kill -9 $$');
  assert.deepEqual([done.signal, done.lost, done.reason], ['SIGKILL', undefined, undefined]);
});

test(
  'a pod on a node that is lost is unknown, and nothing waits for its end',
  options,
  async (t) => {
    const { cluster, driver } = await makeCluster(t);
    const pods = driver();
    const { id } = await makePod(pods);
    cluster.loseNode();
    const { state, reason } = await pods.find(id);
    assert.deepEqual([state, reason], ['unknown', 'node node-1 does not answer']);
    const fault = { code: 'unavailable', message: /does not end: node node-1 does not answer/ };
    for (const call of [pods.pause, pods.attach, pods.destroy])
      await assert.rejects(call(id), fault);
  },
);

test('a Pod is owned by its claim, so that a drain does not leave it', options, async (t) => {
  const { cluster, driver } = await makeCluster(t);
  const { id } = await makePod(driver());
  const [{ metadata }] = cluster.made;
  const [owner] = metadata.ownerReferences;
  const { kind, name, controller } = owner;
  const claim = ['PersistentVolumeClaim', `guildhall-${id}`, true];
  assert.deepEqual([kind, name, controller], claim);
  assert.match(owner.uid, /^[\da-f-]{36}$/);
});

test('the tree of a plan is read-only', options, async (t) => {
  const pod = await makePod((await makeCluster(t)).driver());
  assert.match((await shell(pod, 'echo x > a', 'read-only')).stderr, /Read-only file system/);
});

test('git works in a work tree that the cluster has made for another user', options, async (t) => {
  const { driver } = await makeCluster(t);
  const pod = await makePod(driver());
  const { stdout, stderr, code } = await shell(pod, 'git init -q . && git status --short --branch');
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /No commits yet/);
});
