import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { podDrivers } from '../../testing/fixtures/runner/pod-drivers.ts';
import { makePod, run, shell, type TestPods } from '../../testing/fixtures/runner/pods.ts';

/** What every driver of pods guarantees. */

for (const { name, skip, make } of podDrivers) {
  const contract = (title: string, body: (context: { pods: TestPods }) => Promise<void>) =>
    test(`${name}: ${title}`, { skip, timeout: 180_000 }, async (t) =>
      body({ pods: await make(t) }),
    );

  contract('create, start, pause and destroy may be repeated', async ({ pods }) => {
    const id = randomUUID();
    const state = async () => (await pods.find(id)).state;
    assert.equal(await state(), 'absent');
    await assert.rejects(pods.start(id), { code: 'absent' });
    for (const _ of [1, 2]) assert.equal((await pods.create(id)).state, 'paused');
    for (const _ of [1, 2]) await pods.start(id);
    assert.equal(await state(), 'running');
    assert.deepEqual(
      (await pods.list()).map((pod) => pod.id),
      [id],
    );
    for (const _ of [1, 2]) assert.equal((await pods.pause(id)).state, 'paused');
    for (const _ of [1, 2]) assert.equal((await pods.destroy(id)).state, 'absent');
    assert.deepEqual(await pods.list(), []);
  });

  contract('an id that is no UUID is refused', async ({ pods }) => {
    for (const id of ['../x', '', 'a/b', `${randomUUID()}/..`])
      await assert.rejects(pods.create(id), { code: 'failed' });
  });

  contract('files outlive a pause, not the pod', async ({ pods }) => {
    const { id, files } = await makePod(pods);
    await files.write('a/b.txt', Buffer.from('kept'));
    await pods.pause(id);
    const again = await pods.start(id);
    assert.equal(String(await again.files.read('a/b.txt', { maxBytes: 10 })), 'kept');
    await pods.destroy(id);
    await pods.create(id);
    assert.deepEqual(await (await pods.start(id)).files.list(''), []);
  });

  contract('a process has the work tree, a home, its input and its code', async ({ pods }) => {
    const pod = await makePod(pods);
    await pod.files.write('name.txt', Buffer.from('Ada'));
    const script = 'cat name.txt; cat; pwd; touch ~/kept made.txt; echo no >&2; exit 7';
    const done = await run(pod, { command: 'sh', args: ['-c', script], tree: 'writable' }, '!');
    assert.deepEqual(done, {
      code: 7,
      signal: null,
      stderr: 'no\n',
      stdout: `Ada!${pod.workTree}\n`,
    });
    const files = (await pod.files.list(''))?.map((file) => [file.name, file.type, file.size]);
    assert.deepEqual(files, [
      ['made.txt', 'file', 0],
      ['name.txt', 'file', 3],
    ]);
    assert.equal((await shell(pod, 'ls ~')).stdout, 'kept\n');
  });

  contract(
    'what a process has printed is there for whoever reads it after its end',
    async ({ pods }) => {
      const pod = await makePod(pods);
      const process = await pod.exec({ command: 'echo', args: ['late'], tree: 'read-only' });
      process.stdin.end();
      await process.exited;
      await turn(); // In which Node.js would have thrown it away.
      assert.equal(await text(process.stdout), 'late\n');
    },
  );

  contract('both outputs arrive whole, also after the end of the input', async ({ pods }) => {
    const pod = await makePod(pods);
    const digits = 'head -c 400000 /dev/zero | tr "\\0" 7';
    const done = await shell(pod, `cat; sleep 0.2; ${digits} && ${digits} >&2; exit 7`);
    const { stdout, stderr, code } = done;
    const whole = (text: string) => text.length === 400_000 && /^7+$/.test(text);
    assert.deepEqual([code, whole(stdout), whole(stderr)], [7, true, true], stderr.slice(-100));
  });

  contract('a program that does not exist ends with a code', async ({ pods }) => {
    const pod = await makePod(pods);
    const done = await run(pod, { command: 'no-such-program', tree: 'writable' });
    assert.ok(done.code !== 0 && done.stderr.includes('no-such-program'), done.stderr);
  });

  contract('the environment has nothing of the server', async ({ pods }) => {
    const pod = await makePod(pods);
    process.env.GUILDHALL_TEST_SECRET = 'sk_live_secret';
    const env = { TOKEN: 'mine' };
    const { stdout } = await run(pod, { command: 'env', tree: 'writable', env });
    delete process.env.GUILDHALL_TEST_SECRET;
    assert.ok(stdout.includes('TOKEN=mine\n') && !stdout.includes('sk_live_secret'));
    const names = stdout.trim().split('\n');
    const more = names.map((line) => line.replace(/=.*/, '')).filter((one) => !VARIABLES.has(one));
    assert.deepEqual(more, []);
  });

  test(`${name}: what all processes get besides is there, and a command may say otherwise`, {
    skip,
    timeout: 180_000,
  }, async (t) => {
    const pods = await make(t, undefined, { MIRROR: 'https://a.example', LEVEL: 'all' });
    const env = { LEVEL: 'mine' };
    for (const pod of [await makePod(pods), await pods.attach((await makePod(pods)).id)]) {
      const { stdout } = await run(pod, { command: 'env', tree: 'writable', env });
      assert.match(stdout, /^MIRROR=https:\/\/a\.example$/m);
      assert.match(stdout, /^LEVEL=mine$/m);
    }
  });

  contract('ending a process ends its descendants', async ({ pods }) => {
    const pod = await makePod(pods);
    const ticks = 'while :; do date >> ticks; sleep 0.05; done';
    const script = `(${ticks}) & setsid sh -c '${ticks}' & echo ready; wait`;
    const process = await pod.exec({ command: 'sh', args: ['-c', script], tree: 'writable' });
    await new Promise((resolve) => process.stdout.once('data', resolve));
    await process.kill();
    const size = async () => (await pod.files.read('ticks', { maxBytes: 1e6 }))?.length;
    const before = await size();
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(await size(), before);
  });

  contract('pause ends what runs; the pod that was stopped runs nothing', async ({ pods }) => {
    const pod = await makePod(pods);
    const process = await pod.exec({ command: 'sleep', args: ['60'], tree: 'writable' });
    await pods.pause(pod.id);
    assert.notEqual((await process.exited).code, 0);
    await assert.rejects(pod.exec({ command: 'true', tree: 'writable' }), { code: 'failed' });
  });

  contract('attach ends what an owner before has left running', async ({ pods }) => {
    const pod = await makePod(pods);
    const process = await pod.exec({ command: 'sleep', args: ['60'], tree: 'writable' });
    const mine = await pods.attach(pod.id);
    assert.notEqual((await process.exited).code, 0);
    assert.equal((await shell(mine, 'echo mine')).stdout, 'mine\n');
  });

  contract('a signal that aborts ends the process', async ({ pods }) => {
    const pod = await makePod(pods);
    const stop = new AbortController();
    const sleep = { command: 'sleep', args: ['60'], tree: 'writable' } as const;
    const process = await pod.exec({ ...sleep, signal: stop.signal });
    stop.abort();
    await process.exited;
    await assert.rejects(pod.exec({ ...sleep, signal: stop.signal }), { code: 'failed' });
  });

  contract('a socket that is named can be reached', async ({ pods }) => {
    const pod = await makePod(pods);
    const server = createServer((connection) => connection.end('hello'));
    const path = join(pods.directory, 'gateway.sock');
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const script =
      'require("net").connect(process.env.GUILDHALL_SOCKETS + "/model").pipe(process.stdout)';
    const command = { command: 'node', args: ['-e', script], tree: 'read-only' } as const;
    const done = await run(pod, { ...command, sockets: { model: path } });
    server.close();
    assert.equal(done.stdout, 'hello', done.stderr);
  });

  contract('files are never reached outside the work tree', async ({ pods }) => {
    const pod = await makePod(pods);
    await shell(pod, 'ln -s /etc/hosts link; ln -s /etc folder');
    const limit = { maxBytes: 100 };
    for (const path of ['../secret', '/etc/passwd', 'a/../../x', 'folder/hosts', 'link'])
      await assert.rejects(pod.files.read(path, limit), { code: 'outside' }, path);
    for (const path of ['../x', 'folder/x', '/tmp/x'])
      await assert.rejects(pod.files.write(path, Buffer.from('x')), { code: 'outside' }, path);
    // A link is replaced, never followed.
    await pod.files.write('link', Buffer.from('mine'));
    await pod.files.remove('folder');
    assert.equal((await run(pod, { command: 'ls', tree: 'writable' })).stdout, 'link\n');
    assert.equal(String(await pod.files.read('link', limit)), 'mine');
    await assert.rejects(pod.files.read('link', { maxBytes: 3 }), { code: 'too_large' });
    assert.equal(await pod.files.read('none/none', limit), undefined);
    assert.equal(await pod.files.list('none'), undefined);
  });

  contract('a name that is not UTF-8 hides no other file of its folder', async ({ pods }) => {
    const pod = await makePod(pods);
    await shell(pod, 'printf x > report.txt; printf x > "$(printf "caf\\351.txt")"');
    assert.deepEqual(await pod.files.list(''), [
      { name: 'caf\ufffd.txt', type: 'unnamed', size: 0 },
      { name: 'report.txt', type: 'file', size: 1 },
    ]);
  });

  contract('the whole tree moves from one pod to another', async ({ pods }) => {
    const [from, to] = [await makePod(pods), await makePod(pods)];
    await shell(from, 'mkdir -p a/b .git; echo run > a/b/run; chmod +x a/b/run; ln -s b/run a/to');
    await shell(from, 'ln -s /etc/passwd out; touch .git/config');
    await to.files.write('before', Buffer.from('gone'));
    await to.files.unpack(from.files.pack());
    const { stdout } = await shell(to, 'ls -A; stat -c %A a/b/run; cat a/to; touch a/b/mine');
    assert.equal(stdout, 'a\n-rwxr-xr-x\nrun\n');
    const few = { maxBytes: 100, maxEntries: 3 };
    await assert.rejects(to.files.unpack(from.files.pack(few)), { code: 'too_large' });
  });

  contract('a named pipe in the tree blocks no reader', async ({ pods }) => {
    const pod = await makePod(pods);
    await shell(pod, 'mkfifo pipe');
    await assert.rejects(pod.files.read('pipe', { maxBytes: 10 }), { code: 'failed' });
  });
}

const VARIABLES = new Set([
  'GIT_CONFIG_COUNT',
  'GIT_CONFIG_KEY_0',
  'GIT_CONFIG_VALUE_0',
  'GUILDHALL_COMMAND',
  'GUILDHALL_POD',
  'GUILDHALL_SOCKETS',
  'HOME',
  'LANG',
  'OLDPWD',
  'PATH',
  'PWD',
  'SHLVL',
  'TMPDIR',
  'TOKEN',
  '_',
]);
