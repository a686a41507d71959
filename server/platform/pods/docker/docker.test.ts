import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { withoutContainers } from '../../../testing/fakes/containers/container.ts';
import { fakeDocker, IMAGE } from '../../../testing/fakes/containers/docker-server.ts';
import { makePod, shell } from '../../../testing/fixtures/runner/pods.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { remoteDriver } from '../remote/remote-driver.ts';
import { dockerClient } from './client.ts';
import { dockerEngine } from './docker-engine.ts';

/** The driver of Docker, against a fake of the engine's API. */

const options = { skip: withoutContainers, timeout: 60_000 };

async function makeEngine(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-docker-'));
  const engine = await fakeDocker(directory);
  t.after(async () => {
    await engine.close();
    await rm(directory, { recursive: true, force: true });
  });
  const client = await dockerClient(engine.host, undefined, 1_000);
  const driver = (namespace = 'guildhall', image = IMAGE) =>
    remoteDriver(dockerEngine({ client, image, namespace, limits: DEFAULT_LIMITS }));
  return { engine, driver };
}

test(
  'containers have no network, capability, root or writable system, and nothing of the machine',
  options,
  async (t) => {
    const { engine, driver } = await makeEngine(t);
    await makePod(driver());
    assert.equal(engine.made.length, 3);
    for (const made of engine.made) {
      const { User, HostConfig } = made as unknown as {
        User: string;
        HostConfig: Record<string, unknown>;
      };
      assert.equal(User, '1000:1000');
      const expected = {
        NetworkMode: 'none',
        IpcMode: 'private',
        ReadonlyRootfs: true,
        Privileged: false,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges:true'],
        PidsLimit: 512,
      };
      for (const [name, value] of Object.entries(expected))
        assert.deepEqual(HostConfig[name], value, name);
      assert.ok(Number(HostConfig.Memory) > 0 && HostConfig.Memory === HostConfig.MemorySwap);
      assert.ok(Number(HostConfig.NanoCpus) > 0);
      assert.equal(HostConfig.Binds, undefined);
      for (const { Type } of HostConfig.Mounts as { Type: string }[]) assert.equal(Type, 'volume');
    }
  },
);

test(
  'the tree of a plan is read-only, and processes of a plan do not see those of a build',
  options,
  async (t) => {
    const pod = await makePod((await makeEngine(t)).driver());
    const { stderr, code } = await shell(pod, 'echo x > a', 'read-only');
    assert.match(stderr, /Read-only file system/);
    assert.notEqual(code, 0);
    assert.deepEqual(await pod.files.list(''), []);
    const build = await pod.exec({ command: 'sleep', args: ['61'], tree: 'writable' });
    const seen = await shell(pod, 'cat /proc/[0-9]*/cmdline | tr "\\0" " "', 'read-only');
    assert.ok(!seen.stdout.includes('sleep 61'), seen.stdout);
    await build.kill();
  },
);

test(
  'an engine that is down, fails or is silent makes a pod unknown, never absent',
  options,
  async (t) => {
    const { engine, driver } = await makeEngine(t);
    const pods = driver();
    const id = randomUUID();
    await pods.create(id);
    for (const mode of ['fails', 'silent'] as const) {
      engine.mode = mode;
      const { state, reason } = await pods.find(id);
      assert.equal(state, 'unknown', mode);
      assert.match(reason ?? '', /^the container engine does not answer/);
      for (const call of [pods.create, pods.start, pods.pause, pods.destroy])
        await assert.rejects(call(id), { code: 'unavailable' });
    }
    engine.mode = 'works';
    assert.equal((await pods.find(id)).state, 'paused');
    const absent = await dockerClient('unix:///nonexistent/docker.sock');
    const limits = DEFAULT_LIMITS;
    const none = dockerEngine({ client: absent, image: IMAGE, namespace: 'guildhall', limits });
    assert.equal((await none.find(id)).state, 'unknown');
  },
);

test(
  'an engine is asked in its own version, and one that is too old is named',
  options,
  async (t) => {
    const { engine, driver } = await makeEngine(t);
    engine.version = '1.40';
    const pods = driver();
    const id = randomUUID();
    await assert.rejects(pods.create(id), {
      code: 'failed',
      message: /must be Docker 20.10 or newer/,
    });
    // Docker 20.10, as it comes with Debian 12.
    engine.version = '1.41';
    await pods.create(id);
    assert.equal((await shell(await pods.start(id), 'echo ok')).stdout, 'ok\n');
  },
);

test('a pod has the image that it was made with, whoever starts it', options, async (t) => {
  const { driver } = await makeEngine(t);
  const [id, usual] = [randomUUID(), randomUUID()];
  await driver().create(id, 'node:22');
  await driver().create(usual);
  const fault = { code: 'failed', message: /has no image node:22: pull or build it/ };
  await assert.rejects(driver().start(id), fault);
  assert.equal((await shell(await driver().start(usual), 'echo ok')).stdout, 'ok\n');
});

test('the socket of an engine may have any path, as it is', options, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-docker-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  for (const name of ['a folder', 'a%20folder', 'Ordner für #1?']) {
    await mkdir(join(directory, name));
    const engine = await fakeDocker(join(directory, name));
    t.after(() => engine.close());
    const client = await dockerClient(engine.host, undefined, 1_000);
    assert.equal((await client.ask('GET', '/containers/json?all=true')).status, 200, name);
  }
});

test('pods of another installation are not listed', options, async (t) => {
  const { driver } = await makeEngine(t);
  const [mine, theirs] = [driver(), driver('other')];
  const id = randomUUID();
  await mine.create(id);
  await theirs.create(randomUUID());
  assert.deepEqual(
    (await mine.list()).map((pod) => pod.id),
    [id],
  );
});

test('an image that is not there is named', options, async (t) => {
  const pods = (await makeEngine(t)).driver('guildhall', 'none:1');
  const id = randomUUID();
  await pods.create(id);
  await assert.rejects(pods.start(id), {
    code: 'failed',
    message: 'the container engine has no image none:1: pull or build it',
  });
  assert.equal((await pods.find(id)).state, 'paused');
});
