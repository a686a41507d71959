import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import {
  makePod,
  makePods,
  run,
  shell,
  withoutSandbox,
} from '../../../testing/fixtures/runner/pods.ts';

/** Attempts to leave a pod that is confined, and to use more than it may. */

const options = { skip: await withoutSandbox(), timeout: 60_000 };
const MiB = 1024 ** 2;

test(
  'files of the machine, other processes and namespaces are out of reach',
  options,
  async (t) => {
    const pods = await makePods(t, { sandbox: 'required' });
    const pod = await makePod(pods);
    const script = `cat /etc/shadow; ls ${pods.directory}; ls /root; ls /proc | grep -c '^[0-9]'`;
    const { stdout, stderr } = await shell(pod, script);
    assert.equal(stderr.match(/No such file/g)?.length, 3, stderr);
    assert.ok(Number(stdout) < 8, stdout);
    assert.notEqual((await shell(pod, 'unshare -U true')).code, 0);
    const status = await shell(pod, 'grep -E "^(Cap|NoNewPrivs)" /proc/self/status');
    assert.match(status.stdout, /NoNewPrivs:\t1/);
    assert.equal(status.stdout.match(/:\t0{16}$/gm)?.length, 5, status.stdout);
  },
);

test(
  'a port of this machine, such as that of PostgreSQL, cannot be reached',
  options,
  async (t) => {
    const pod = await makePod(await makePods(t, { sandbox: 'required' }));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as { port: number };
    const script = `require("net").connect(${port}, "127.0.0.1").on("error", (e) => console.log(e.code))`;
    const done = await run(pod, { command: 'node', args: ['-e', script], tree: 'writable' });
    assert.equal(done.stdout, 'ECONNREFUSED\n');
  },
);

test('what is read-only stays so: the system, and the tree of a plan', options, async (t) => {
  const pod = await makePod(await makePods(t, { sandbox: 'required' }));
  const script = 'for f in a /x /usr/x /etc/x /dev/x; do echo x > $f; done';
  const { stderr } = await shell(pod, script, 'read-only');
  assert.equal(stderr.match(/cannot create/g)?.length, 5, stderr);
  assert.deepEqual(await pod.files.list(''), []);
});

test('a fork bomb is bounded and can be ended', options, async (t) => {
  const limits = { processes: 40 };
  const pod = await makePod(await makePods(t, { sandbox: 'required', limits }));
  const bomb = 'n=0; while [ $n -lt 500 ]; do sleep 30 & n=$((n+1)); done';
  const { stderr } = await shell(pod, `(${bomb}); true`);
  assert.match(stderr, /fork/);
  assert.equal((await shell(pod, 'echo alive')).stdout, 'alive\n');
});

test('memory and disk are bounded, and the pod says why it failed', options, async (t) => {
  const limits = { memory: 200 * MiB, disk: 20 * MiB };
  const pod = await makePod(await makePods(t, { sandbox: 'required', limits }));
  const fill = 'i=0; while :; do head -c 5000000 /dev/zero > f$i; i=$((i+1)); sleep 0.2; done';
  const disk = await shell(pod, fill);
  assert.equal(disk.reason, 'It used more than 20 MiB of disk.');
  await shell(pod, 'rm -f f*');
  const hog = 'const a = []; setInterval(() => a.push(Buffer.alloc(5e6, 1)), 20)';
  const memory = await run(pod, { command: 'node', args: ['-e', hog], tree: 'writable' });
  // One process alone is refused memory by the kernel; several together are measured.
  assert.notEqual(memory.code, 0);
});
