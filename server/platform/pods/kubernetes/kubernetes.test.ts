import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { withoutContainers } from '../../../testing/fakes/containers/container.ts';
import { fakeKubernetes } from '../../../testing/fakes/containers/kubernetes-server.ts';
import { makePod, shell } from '../../../testing/fixtures/runner/pods.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { remoteDriver } from '../remote/remote-driver.ts';
import { kubernetesClient } from './client.ts';
import { kubernetesEngine } from './kubernetes-engine.ts';

/** The driver of Kubernetes, against a fake of its API. */

const options = { skip: withoutContainers, timeout: 180_000 };

async function makeCluster(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-kubernetes-'));
  const cluster = await fakeKubernetes(directory);
  t.after(async () => {
    await cluster.close();
    await rm(directory, { recursive: true, force: true });
  });
  const place = { url: cluster.url, tokenFile: cluster.tokenFile, caFile: undefined };
  const driver = (tokenFile = cluster.tokenFile) => {
    const client = kubernetesClient({ ...place, tokenFile }, 1_000);
    const limits = DEFAULT_LIMITS;
    return remoteDriver(kubernetesEngine({ client, image: 'image', namespace: 'agents', limits }));
  };
  return { cluster, driver };
}

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

test('an image that cannot be pulled is reported', options, async (t) => {
  const { cluster, driver } = await makeCluster(t);
  cluster.pulls = false;
  const pods = driver();
  const id = randomUUID();
  await pods.create(id);
  await assert.rejects(pods.start(id), { code: 'failed', message: /ErrImagePull. no such image/ });
});

test('an evicted Pod is paused, and started anew with its files', options, async (t) => {
  const { cluster, driver } = await makeCluster(t);
  const pods = driver();
  const pod = await makePod(pods);
  await shell(pod, 'echo kept > file');
  await cluster.evict();
  const { state, reason } = await pods.find(pod.id);
  assert.deepEqual([state, reason], ['paused', 'The node was low on resource: memory.']);
  const again = await pods.attach(pod.id);
  assert.equal((await shell(again, 'cat file')).stdout, 'kept\n');
});

test('the tree of a plan is read-only', options, async (t) => {
  const pod = await makePod((await makeCluster(t)).driver());
  assert.match((await shell(pod, 'echo x > a', 'read-only')).stderr, /Read-only file system/);
});
