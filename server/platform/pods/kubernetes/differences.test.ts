import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, request as overHttp } from 'node:http';
import { request as overTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { shell } from '../../../testing/fixtures/runner/pods.ts';
import { realCluster, withoutCluster } from '../../../testing/fixtures/runner/real-cluster.ts';
import { until } from '../../../testing/harness/until.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import type { PodDriver } from '../pod.ts';

/** What a real cluster does where it refuses, ends or waits: deploy/kubernetes/cluster/differences.sh. */

const options = { skip: withoutCluster, timeout: 400_000 };

/** How `started` ends, and after how many milliseconds. */
async function outcomeOf(started: Promise<unknown>) {
  const began = performance.now();
  const fault = await started.then(
    () => undefined,
    (error) => error,
  );
  return { fault, after: Math.round(performance.now() - began) };
}

const isPaused = (pods: PodDriver, id: string) => async () =>
  (await pods.find(id)).state === 'paused';

test(
  'kubernetes: an exec that the role forbids is told once, and leaves no Pod',
  options,
  async (t) => {
    const { driver, createIn, kubectl } = await realCluster(t);
    const pods = driver();
    const id = await createIn(pods);
    const role = JSON.parse(await kubectl('get', 'role', '-o', 'json')).items[0];
    const rules = role.rules.filter((rule: { resources: string[] }) =>
      rule.resources.every((one) => one !== 'pods/exec'),
    );
    const change = (to: unknown[]) =>
      kubectl(
        'patch',
        'role',
        role.metadata.name,
        '--type=merge',
        '-p',
        JSON.stringify({ rules: to }),
      );
    t.after(() => change(role.rules));
    await change(rules);
    const { fault, after } = await outcomeOf(pods.start(id));
    t.diagnostic(`${fault?.code} after ${after} ms: ${fault?.message}`);
    assert.equal(fault?.code, 'failed');
    assert.match(fault.message, /cannot (get|create) resource "pods\/exec"/);
    await until('its Pod is gone', isPaused(pods, id));
    await change(role.rules);
    assert.equal((await shell(await pods.start(id), 'echo ok')).stdout, 'ok\n');
  },
);

/** A proxy that passes requests on, without what makes them WebSockets. */
async function withoutWebSockets(t: TestContext, api: string, ca: string): Promise<string> {
  const authority = await readFile(ca);
  const server = createServer((asked, answer) => {
    const { connection, upgrade, host, ...headers } = asked.headers;
    const { method } = asked;
    const passed = overTls(`${api}${asked.url}`, { method, headers, ca: authority }, (got) => {
      answer.writeHead(got.statusCode ?? 0, got.headers);
      got.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  // Node.js would take an upgrade for its own event.
  server.on('upgrade', (asked, socket) => {
    const { connection, upgrade, host, ...headers } = asked.headers;
    const { port } = server.address() as AddressInfo;
    const again = overHttp({ port, path: asked.url, headers }, (got) => {
      socket.write(`HTTP/1.1 ${got.statusCode} Refused\r\nconnection: close\r\n`);
      socket.write(`content-type: ${got.headers['content-type']}\r\n\r\n`);
      got.pipe(socket);
    });
    again.on('error', () => socket.destroy());
    again.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('kubernetes: a proxy without WebSockets is named', options, async (t) => {
  const { driver, createIn, url, caFile } = await realCluster(t);
  const pods = driver({ url: await withoutWebSockets(t, url, caFile ?? ''), caFile: undefined });
  const id = await createIn(pods);
  const { fault, after } = await outcomeOf(pods.start(id));
  t.diagnostic(`${fault?.code} after ${after} ms: ${fault?.message}`);
  assert.equal(fault?.code, 'failed');
  assert.match(fault.message, /Upgrade request required: WebSockets must be let through/);
  await until('its Pod is gone', isPaused(pods, id));
});

const MANY = 'const all = []; for (;;) all.push(Buffer.alloc(1 << 22, 1));';

/** Ends the first process of a container, as the kernel does where it ends all of one. */
async function endFirstOf(container: string): Promise<void> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [groups, status] = await Promise.all(
      ['cgroup', 'status'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
    );
    if (groups?.includes(container) && /^NSpid:.*\t1$/m.test(status ?? ''))
      process.kill(Number(pid), 'SIGKILL');
  }
}

test(
  'kubernetes: a container without memory left ends, and start replaces its Pod',
  options,
  async (t) => {
    const { driver, createIn, kubectl } = await realCluster(t);
    const pods = driver({ limits: { ...DEFAULT_LIMITS, memory: 256 * 1024 ** 2 } });
    const id = await createIn(pods);
    const pod = await pods.start(id);
    await shell(pod, 'echo kept > file');
    const name = `guildhall-${id}`;
    const build = '{.status.containerStatuses[?(@.name=="build")].containerID}';
    const path = await kubectl('get', 'pod', name, '-o', `jsonpath=${build}`);
    const greedy = await pod.exec({ command: 'node', args: ['-e', MANY], tree: 'writable' });
    const idle = await pod.exec({ command: 'sleep', args: ['300'], tree: 'writable' });
    const alone = await greedy.exited;
    const still = (await pods.find(id)).state;
    t.diagnostic(`it ends with ${JSON.stringify(alone)}; the pod is ${still} then`);
    // Where the kernel ends one process, as with the first version of control groups, the container
    // goes on; otherwise all of it has ended.
    if (still === 'running') await endFirstOf(path.replace(/.*\//, ''));
    const exit = await idle.exited;
    const found = await pods.find(id);
    t.diagnostic(JSON.stringify({ exit, found }));
    assert.deepEqual(exit, {
      code: null,
      signal: 'SIGKILL',
      reason: 'It used more than 256 MiB of memory.',
    });
    assert.equal(found.state, 'paused');
    assert.equal(found.reason?.startsWith('its container build has ended: OOMKilled'), true);
    assert.equal((await shell(await pods.start(id), 'cat file')).stdout, 'kept\n');
  },
);

test('kubernetes: a quota is waited for in words, and passes', options, async (t) => {
  const { driver, createIn, kubectl } = await realCluster(t);
  const quota = async (pods: number) => {
    await kubectl('create', 'quota', 'of-tests', `--hard=pods=${pods}`);
    const used = () => kubectl('get', 'quota', 'of-tests', '-o', 'jsonpath={.status.hard.pods}');
    await until('it counts', async () => (await used()) === String(pods));
  };
  const lift = () => kubectl('delete', 'quota', 'of-tests', '--ignore-not-found');
  t.after(lift);
  await quota(0);
  const short = driver({ times: { start: 4_000 } });
  const id = await createIn(short);
  const { fault, after } = await outcomeOf(short.start(id));
  t.diagnostic(`${fault?.code} after ${after} ms: ${fault?.message}`);
  assert.equal(fault?.code, 'unavailable');
  assert.match(fault.message, /exceeded quota: of-tests/);
  assert.ok(after >= 4_000, `${after} ms`);
  const started = driver().start(id);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  await lift();
  assert.equal((await shell(await started, 'echo ok')).stdout, 'ok\n');
});

test('kubernetes: a token that is refused is told, and passes', options, async (t) => {
  const { driver, createIn, directory, token } = await realCluster(t);
  const tokenFile = join(directory, 'token');
  const good = await token();
  await writeFile(tokenFile, good);
  const pods = driver({ tokenFile });
  const id = await createIn(pods);
  await writeFile(tokenFile, `${good.slice(0, -8)}AAAAAAAA`);
  const { fault, after } = await outcomeOf(pods.start(id));
  t.diagnostic(`${fault?.code} after ${after} ms: ${fault?.message}`);
  assert.equal(fault?.code, 'unavailable');
  assert.match(fault.message, /refuses the token of the worker/);
  assert.equal((await pods.find(id)).state, 'unknown');
  await writeFile(tokenFile, good);
  assert.equal((await shell(await pods.start(id), 'echo ok')).stdout, 'ok\n');
});

test('kubernetes: a pull that fails is tried again, and passes', options, async (t) => {
  const { driver, createIn, ctr } = await realCluster(t);
  const image = `localhost:9/late-${Date.now()}:1`;
  const pods = driver();
  const id = await createIn(pods, image);
  const short = await outcomeOf(driver({ times: { start: 8_000 } }).start(id));
  t.diagnostic(`${short.fault?.code} after ${short.after} ms: ${short.fault?.message}`);
  assert.equal(short.fault?.code, 'failed');
  assert.match(short.fault.message, /ErrImagePull|ImagePullBackOff/);
  await until('its Pod is gone', isPaused(pods, id));
  const started = pods.start(id);
  const pulls = /ErrImagePull|ImagePullBackOff/;
  await until('a pull has failed', async () => pulls.test((await pods.find(id)).reason ?? ''));
  const { state, reason } = await pods.find(id);
  t.diagnostic(`${state}: ${reason}`);
  assert.equal(state, 'creating');
  await ctr('images', 'tag', 'docker.io/library/guildhall-agent:test', image);
  t.after(() => ctr('images', 'rm', image));
  const again = await outcomeOf(started);
  t.diagnostic(`it runs ${again.after} ms later`);
  assert.equal((await shell(await pods.start(id), 'echo ok')).stdout, 'ok\n');
});

test('kubernetes: a reader that is slow misses nothing', options, async (t) => {
  const { driver, createIn } = await realCluster(t);
  const pods = driver();
  const pod = await pods.start(await createIn(pods));
  const size = 20_000_000;
  const args = ['-c', String(size), '/dev/zero'];
  const process = await pod.exec({ command: 'head', args, tree: 'writable' });
  let length = 0;
  for await (const chunk of process.stdout) {
    length += chunk.length;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  // Without the acknowledgement of the end, 0.5 to 2 MB were missing.
  assert.deepEqual([length, (await process.exited).code], [size, 0]);
});

test('kubernetes: git works in a work tree that the kubelet has made', options, async (t) => {
  const { driver, createIn } = await realCluster(t);
  const pods = driver();
  const pod = await pods.start(await createIn(pods));
  const { stdout, stderr, code } = await shell(pod, 'git init -q . && git status --short --branch');
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /No commits yet/);
});

test(
  'kubernetes: a drain without --force takes a Pod, which is lost and starts anew with its files',
  options,
  async (t) => {
    const { driver, createIn, kubectl } = await realCluster(t);
    const pods = driver();
    const id = await createIn(pods);
    const pod = await pods.start(id);
    await shell(pod, 'echo kept > file');
    const idle = await pod.exec({ command: 'sleep', args: ['300'], tree: 'writable' });
    const node = await kubectl('get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}');
    t.after(() => kubectl('uncordon', node));
    const its = ['--ignore-daemonsets', '--delete-emptydir-data'];
    await kubectl('drain', node, ...its, `--pod-selector=guildhall/pod=${id}`, '--timeout=60s');
    assert.deepEqual(await idle.exited, { code: null, signal: 'SIGKILL', lost: true });
    await until('its Pod is gone', isPaused(pods, id));
    await kubectl('uncordon', node);
    assert.equal((await shell(await pods.attach(id), 'cat file')).stdout, 'kept\n');
  },
);

test(
  'kubernetes: a pod on a node that is silent is unknown, and runs again with it',
  options,
  async (t) => {
    const { driver, createIn, kubelet } = await realCluster(t);
    const pods = driver();
    const id = await createIn(pods);
    await shell(await pods.start(id), 'echo kept > file');
    t.after(() => kubelet('SIGCONT'));
    await kubelet('SIGSTOP');
    const isUnknown = async () => (await pods.find(id)).state === 'unknown';
    await until('its node is silent', isUnknown, 120_000);
    const { fault, after } = await outcomeOf(pods.pause(id));
    t.diagnostic(`${fault?.code} after ${after} ms: ${fault?.message}`);
    assert.equal(fault?.code, 'unavailable');
    assert.match(fault.message, /node \S+ does not answer/);
    await kubelet('SIGCONT');
    await until('its Pod has ended', isPaused(pods, id), 120_000);
    assert.equal((await shell(await pods.attach(id), 'cat file')).stdout, 'kept\n');
  },
);

test(
  'kubernetes: where a silent node is said to be out of service, its pods are free for another one',
  options,
  async (t) => {
    const { driver, createIn, kubelet, kubectl } = await realCluster(t);
    const pods = driver();
    const id = await createIn(pods);
    await shell(await pods.start(id), 'echo kept > file');
    const node = await kubectl('get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}');
    const taint = 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute';
    t.after(async () => {
      await kubelet('SIGCONT');
      await kubectl('taint', 'nodes', node, `${taint}-`).catch(() => {});
    });
    await kubelet('SIGSTOP');
    const isUnknown = async () => (await pods.find(id)).state === 'unknown';
    await until('its node is silent', isUnknown, 120_000);
    assert.equal((await outcomeOf(pods.pause(id))).fault?.code, 'unavailable');
    await kubectl('taint', 'nodes', node, taint);
    await until('the cluster has forgotten its Pod', isPaused(pods, id), 120_000);
    // The only node stands for another one.
    const started = pods.start(id);
    await kubelet('SIGCONT');
    await kubectl('taint', 'nodes', node, `${taint}-`);
    assert.equal((await shell(await started, 'cat file')).stdout, 'kept\n');
  },
);
