import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gitDirOf } from '../../../code/repositories/git.ts';
import { PodError } from '../../../platform/pods/pod.ts';
import type { Variables } from '../../../platform/variables/variables-of.ts';
import { builtTasks } from '../../../testing/fixtures/code/built-tasks.ts';
import { gitWith } from '../../../testing/fixtures/code/git-client.ts';
import { podKinds } from '../../../testing/fixtures/runner/pod-drivers.ts';
import type { TestPods } from '../../../testing/fixtures/runner/pods.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';
import { KEPT_BYTES } from './command-log.ts';
import { type CommandOptions, runCommand } from './run-command.ts';

/** A command runs at a commit, in a pod that is gone afterwards with all that it has started. */

const harness = await startHarness({ own: true });
const owner = await harness.fixtures.user();
const workspace = await harness.fixtures.workspace(owner);
const { built, gitIn } = await builtTasks(harness, owner, workspace);
const FILES = { 'a.txt': 'one\n', 'b c.txt': 'two\n' };
const { projectId, head } = await built(FILES);

interface Run extends Partial<CommandOptions> {
  variables?: Variables;
  commit?: string;
  timeout?: number;
  podId?: string;
}

const runIn = (driver: TestPods, run: string, { commit = head, ...options }: Run = {}) =>
  runCommand(
    { driver, directory: harness.repositories },
    {
      podId: options.podId ?? randomUUID(),
      projectId,
      commit,
      run,
      variables: options.variables ?? { env: {}, secrets: [] },
      purpose: 'checks',
      env: { GUILDHALL_HEAD_SHA: commit },
      timeout: options.timeout ?? 60_000,
    },
    { signal: new AbortController().signal, ...options },
  );

/** Defines a test for each kind of pods. */
function everywhere(title: string, body: (t: TestContext, pods: TestPods) => Promise<void>) {
  for (const { name, skip, make } of podKinds)
    test(`${name}: ${title}`, { skip, timeout: 180_000 }, async (t) => {
      const pods = await make(t);
      await body(t, pods);
      assert.deepEqual(await pods.list(), [], 'its pod is gone');
    });
}

everywhere('it sees the files of the commit, and its end is its code', async (_, pods) => {
  const script = 'ls -A; cat "b c.txt"; echo oops >&2; echo "$0 $CI $GUILDHALL_HEAD_SHA"';
  assert.deepEqual(await runIn(pods, script), {
    conclusion: 'success',
    log: `a.txt\nb c.txt\ntwo\noops\nsh true ${head}\nIt ended with code 0.\n`,
  });
  assert.deepEqual(await runIn(pods, 'echo no; exit 3'), {
    conclusion: 'failure',
    log: 'no\nIt ended with code 3.\n',
  });
  const missing = await runIn(pods, 'no-such-program');
  assert.equal(missing.conclusion, 'failure');
  assert.match(missing.log, /not found\nIt ended with code 127\.\n$/);
});

everywhere('what one has changed is not there for the next', async (_, pods) => {
  const leave = 'echo changed > a.txt; echo x > new; echo x > ~/new; echo x > $TMPDIR/new';
  assert.equal((await runIn(pods, leave)).conclusion, 'success');
  const { log } = await runIn(pods, 'cat a.txt; ls new ~/new $TMPDIR/new 2>/dev/null; echo .');
  assert.equal(log, 'one\n.\nIt ended with code 0.\n');
});

everywhere('one that takes too long is ended with all that it has started', async (_, pods) => {
  const run = '(setsid sleep 300 &) ; echo begun; sleep 300';
  const begun = performance.now();
  const { conclusion, log } = await runIn(pods, run, { timeout: 10_000 });
  assert.deepEqual([conclusion, log], ['timed_out', 'begun\nIt was ended after 10 seconds.\n']);
  assert.ok(performance.now() - begun < 60_000);
});

everywhere('what it leaves in the background is ended, and keeps nothing open', async (_, pods) => {
  const begun = performance.now();
  const run =
    '(setsid sh -c "while :; do echo still here; sleep 1; done" &); nohup sleep 300 & exit 0';
  assert.equal((await runIn(pods, run)).conclusion, 'success');
  assert.ok(performance.now() - begun < 60_000);
});

everywhere('it ends with its signal, which is the reason', async (_, pods) => {
  const stop = new AbortController();
  const reason = new Error('enough');
  const logs: string[] = [];
  const running = runIn(pods, 'echo begun; sleep 300', {
    signal: stop.signal,
    onLog: (log) => logs.push(log),
  });
  running.catch(() => {});
  await until('it runs', () => logs.length > 0, 60_000);
  assert.deepEqual(logs, ['begun\n']);
  stop.abort(reason);
  await assert.rejects(running, reason);
  await assert.rejects(runIn(pods, 'true', { signal: stop.signal }), reason);
});

for (const { name, skip, make, elsewhere } of podKinds) {
  if (name === 'not confined' || elsewhere) continue;
  test(`${name}: it reaches no network, not even this machine`, { skip }, async (t) => {
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const script = `
      require('node:net').connect(${port}, '127.0.0.1')
        .on('connect', () => console.log('connected')).on('error', (e) => console.log(e.code))`;
    const { log } = await runIn(await make(t), `node -e "${script}"`);
    assert.match(log, /^(ECONNREFUSED|ENETUNREACH)\n/);
  });
}

const [first] = podKinds;
const here = { skip: first === undefined, timeout: 180_000 };
const makeFirst = (t: TestContext) => (first as (typeof podKinds)[number]).make(t);

test('of 100 MB, the end is kept', here, async (t) => {
  const pods = await makeFirst(t);
  const { conclusion, log } = await runIn(
    pods,
    'yes "a line of it" | head -c 100000000; echo; echo end',
  );
  assert.equal(conclusion, 'success');
  assert.ok(Buffer.byteLength(log) <= KEPT_BYTES + 200, `${log.length}`);
  assert.match(log, /^\[What was written before was left out\.\]\na line of it\n/);
  assert.match(log, /\nend\nIt ended with code 0\.\n$/);
  const one = await runIn(pods, 'head -c 50000000 /dev/zero | tr "\\0" x; echo; echo end');
  assert.equal(one.log, '[What was written before was left out.]\nend\nIt ended with code 0.\n');
});

test('keys and control characters are not in the log; ordinary words are', here, async (t) => {
  const run =
    'printf "\\033[31mred\\033[0m 1%%\\r2%%\\n\\0\\007"; ' +
    `echo "password: expected 3 ghp_${'a1B2'.repeat(9)}"`;
  const { log } = await runIn(await makeFirst(t), run);
  assert.equal(log, 'red 1%\n2%\npassword: expected 3 ghp_***\nIt ended with code 0.\n');
});

const MKTREE = ['mktree', '-z', '--missing'];

test('a commit with links, programs and odd names is checked out as it is', here, async (t) => {
  const blob = gitIn(projectId, 'rev-parse', `${head}:a.txt`);
  const entries = [`100755 blob ${blob}\trun`, `120000 blob ${blob}\tlink`];
  entries.push(`100644 blob ${blob}\t-rf`, `160000 commit ${head}\tmodule`);
  const made = await gitWith(
    gitDirOf(harness.repositories, projectId),
    `${entries.join('\0')}\0`,
    ...MKTREE,
  );
  const commit = gitIn(projectId, 'commit-tree', made, '-m', 'x');
  const { log } = await runIn(await makeFirst(t), 'ls -A; test -x run && ls module', { commit });
  assert.equal(log, '-rf\nlink\nmodule\nrun\nIt ended with code 0.\n');
});

test(
  'a commit that does not exist is an error, and so is a pod that cannot be made',
  here,
  async (t) => {
    const pods = await makeFirst(t);
    await assert.rejects(runIn(pods, 'true', { commit: '1'.repeat(40) }));
    const broken = {
      ...pods,
      create: async () => Promise.reject(new PodError('unavailable', 'gone')),
    };
    await assert.rejects(runIn(broken, 'true'), { code: 'unavailable' });
    assert.deepEqual(await pods.list(), []);
  },
);
