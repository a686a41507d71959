import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { appendFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { gitDirOf } from '../../../code/repositories/git.ts';
import { sql } from '../../../db/sql.ts';
import type { ProcessPods } from '../../../platform/pods/open-pods.ts';
import { builtTasks } from '../../../testing/fixtures/code/built-tasks.ts';
import { gitWith } from '../../../testing/fixtures/code/git-client.ts';
import { podKinds } from '../../../testing/fixtures/runner/pod-drivers.ts';
import {
  makePods,
  shell,
  type TestPods,
  withoutSandbox,
} from '../../../testing/fixtures/runner/pods.ts';
import { temporaryFolder } from '../../../testing/fixtures/tasks/file-stores.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { fillPod } from '../commands/fill-pod.ts';
import { runCommand } from '../commands/run-command.ts';
import type { Base, Environment } from './environment.ts';
import { openEnvironments } from './environments.ts';
import { type SetupResults, setupResults } from './setup-results.ts';

/** The setup of pods, and what is kept of it, in pods that are confined. */

const harness = await startHarness({ own: true });
const { db, repositories: directory } = harness;
const owner = await harness.fixtures.user();
const workspace = await harness.fixtures.workspace(owner);
const { built, gitIn } = await builtTasks(harness, owner, workspace);
const options = { skip: await withoutSandbox(), timeout: 180_000 };
const MiB = 1024 ** 2;

/** A build file with this setup. */
const setup = (command: string, cache = ['lock']) => ({
  '.guildhall.yml': JSON.stringify({ environment: { setup: command, cache } }),
});

/** A project whose main branch has these files. */
async function project(files: Record<string, string>) {
  const task = await built(files);
  gitIn(task.projectId, 'update-ref', 'refs/heads/main', task.head);
  return task;
}

interface At {
  limits?: ProcessPods['limits'];
  bytes?: number;
  results?: SetupResults;
  /** Confined processes of this machine unless given. */
  pods?: TestPods;
}

async function at(t: TestContext, { limits, bytes = 64 * MiB, ...given }: At = {}) {
  const pods =
    given.pods ?? (await makePods(t, { sandbox: 'required', ...(limits && { limits }) }));
  const folder = await temporaryFolder();
  const results = given.results ?? setupResults(folder, { bytes });
  const faults: unknown[] = [];
  const environments = openEnvironments(db, {
    driver: pods,
    directory,
    results,
    onFault: (error) => faults.push(error),
  });
  const run = (
    { projectId, head }: { projectId: string; head: string },
    command: string,
    base?: Base,
  ) =>
    runCommand(
      { driver: pods, directory, environments },
      {
        podId: randomUUID(),
        projectId,
        commit: head,
        base,
        purpose: 'checks',
        variables: { env: {}, secrets: [] },
        run: command,
        env: {},
        timeout: 60_000,
      },
      { signal: new AbortController().signal },
    );
  const kept = async (projectId: string) =>
    (await readdir(join(folder, projectId)).catch(() => [])).sort();
  return { pods, folder, results, environments, faults, run, kept };
}

const CACHED =
  /^Setup: .*\nSetup was taken from the cache \(made (?:just now|\d+ minutes? ago) from commit [0-9a-f]{7}\)\.\n/;

test(
  'it runs before a command, whose log begins with it, and once for the same files',
  options,
  async (t) => {
    const { run, kept } = await at(t);
    const task = await project({ ...setup('echo installing; echo made > made'), lock: '1' });
    const first = await run(task, 'cat made');
    assert.deepEqual(first, {
      conclusion: 'success',
      log:
        'Setup: echo installing; echo made > made\ninstalling\nIt ended with code 0.\n\n' +
        'Command:\nmade\nIt ended with code 0.\n',
    });
    const second = await run(task, 'cat made');
    assert.equal(second.conclusion, 'success');
    assert.match(second.log, CACHED);
    assert.match(second.log, /\nCommand:\nmade\n/);
    assert.equal((await kept(task.projectId)).length, 1);
  },
);

test(
  'what it has left in the work tree and the home folder comes back as it was',
  options,
  async (t) => {
    const { run } = await at(t);
    const make =
      'mkdir -p deep/er ~/.cache && echo x > "deep/er/a b" && chmod 750 "deep/er/a b" && ' +
      'ln -s /etc/passwd link && ln -s ../.. deep/up && ln "deep/er/a b" hard && ' +
      'echo h > ~/.cache/h && mkdir ro && echo r > ro/r && chmod 555 ro && printf n > "$(printf "new\\nline")"';
    const task = await project({ ...setup(make), lock: '1' });
    const show =
      'cat "deep/er/a b" hard ~/.cache/h ro/r; stat -c "%a %F %N" "deep/er/a b" link deep/up ro; ' +
      'stat -c %h hard; cat "$(printf "new\\nline")"';
    const [ran, restored] = [await run(task, show), await run(task, show)];
    assert.match(restored.log, CACHED);
    const after = (log: string) => log.split('\nCommand:\n')[1];
    assert.match(after(ran.log) ?? '', /^x\nx\nh\nr\n750 regular file/);
    assert.equal(after(restored.log), after(ran.log));
  },
);

test(
  'files of the commit stay as they are, and files that it deleted stay away',
  options,
  async (t) => {
    const { run } = await at(t);
    const task = await project({
      ...setup('echo changed > old; echo changed > kept; echo g > generated'),
      lock: '1',
      old: 'old',
      kept: 'one',
    });
    await run(task, 'true');
    const { projectId } = task;
    // The next commit has what the setup made, no longer has another file, and has changed a third.
    const blob = await gitWith(
      gitDirOf(directory, projectId),
      'mine',
      'hash-object',
      '-w',
      '--stdin',
    );
    const entries = gitIn(projectId, 'ls-tree', task.head)
      .split('\n')
      .filter((line) => !/\t(old|kept)$/.test(line));
    const lines = [...entries, `100644 blob ${blob}\tgenerated`, `100644 blob ${blob}\tkept`];
    const tree = await gitWith(gitDirOf(directory, projectId), `${lines.join('\n')}\n`, 'mktree');
    const head = gitIn(projectId, 'commit-tree', tree, '-p', task.head, '-m', 'x');
    const { log } = await run({ projectId, head }, 'cat generated kept; ls old');
    assert.match(log, CACHED);
    assert.match(log, /\nCommand:\nminemine.*No such file/s);
  },
);

test('a branch of a task takes from what is kept, and never adds to it', options, async (t) => {
  const { run, kept } = await at(t);
  const main = await project({ ...setup('echo main > made'), lock: '1' });
  const { projectId } = main;
  const changes: Record<string, string>[] = [
    { lock: '2' },
    { ...setup('echo evil > made') },
    { ...setup('echo main > made', []) },
  ];
  for (const files of changes) {
    const task = await built(files, projectId);
    const { log } = await run(task, 'cat made');
    assert.match(log, /^Setup: [^\n]*\nIt ended with code 0\.\n/);
    assert.deepEqual(await kept(projectId), []);
  }
  assert.match((await run(main, 'cat made')).log, /\nCommand:\nmain\n/);
  const before = await kept(projectId);
  assert.equal(before.length, 1);
  for (const files of changes) await run(await built(files, projectId), 'true');
  assert.deepEqual(await kept(projectId), before);
  const same = await built({ 'b.txt': 'other' }, projectId);
  assert.match((await run(same, 'cat made')).log, CACHED);
});

test('another base keeps what its own commit has made, for itself alone', options, async (t) => {
  const { run, kept } = await at(t);
  const main = await project({
    ...setup('sh install.sh'),
    'install.sh': 'echo main > made',
    lock: '1',
  });
  const { projectId } = main;
  // Its command and the files that are looked at are those of the default branch.
  const next = await built({ 'install.sh': 'echo next > made' }, projectId);
  gitIn(projectId, 'update-ref', 'refs/heads/next', next.head);
  const base = { branch: 'next' };
  assert.match((await run(next, 'cat made', base)).log, /code 0\.\n\nCommand:\nnext\n/);
  const [ofNext, ...others] = await kept(projectId);
  assert.ok(ofNext !== undefined && others.length === 0);
  assert.match((await run(next, 'cat made', base)).log, CACHED);
  // Neither the default branch nor another base takes it.
  for (const other of [undefined, { branch: 'main' }, { branch: 'other' }])
    assert.match((await run(main, 'cat made', other)).log, /\nCommand:\nmain\n/);
  // What a task has changed is added to neither, whatever base it names.
  const before = await kept(projectId);
  assert.equal(before.length, 2);
  const evil = await built({ 'install.sh': 'echo evil > made', lock: '2' }, projectId);
  const named = `task/${evil.taskId.slice(0, 8)}`;
  gitIn(projectId, 'update-ref', `refs/heads/${named}`, evil.head);
  for (const branch of ['next', 'main', 'none', named])
    assert.match((await run(evil, 'cat made', { branch })).log, /\nCommand:\nevil\n/);
  assert.deepEqual(await kept(projectId), before);
  // Once the base has moved on, its older commit adds nothing.
  gitIn(projectId, 'update-ref', 'refs/heads/next', main.head);
  const taskId = next.taskId;
  gitIn(projectId, 'update-ref', `refs/guildhall/base/${taskId}`, evil.head);
  await run(evil, 'true', { branch: 'next', taskId });
  assert.deepEqual(await kept(projectId), before);
  // On another host the branch is here only as it was for the task.
  gitIn(projectId, 'update-ref', '-d', 'refs/heads/next');
  await run(evil, 'true', { branch: 'next', taskId });
  assert.equal((await kept(projectId)).length, 3);
});

test(
  'an older commit of the default branch adds nothing, although it was reviewed',
  options,
  async (t) => {
    const { run, kept } = await at(t);
    const old = await project({
      ...setup('sh install.sh'),
      'install.sh': 'echo old > made',
      lock: '1',
    });
    const { projectId } = old;
    const now = await built({ 'install.sh': 'echo new > made' }, projectId);
    gitIn(projectId, 'update-ref', 'refs/heads/main', now.head);
    assert.match((await run(old, 'cat made')).log, /\nCommand:\nold\n/);
    assert.deepEqual(await kept(projectId), []);
    assert.match((await run(now, 'cat made')).log, /\nCommand:\nnew\n/);
    assert.equal((await kept(projectId)).length, 1);
  },
);

test('without files to look at, it is kept for the commit alone', options, async (t) => {
  const { run, kept } = await at(t);
  const main = await project({ ...setup('echo 1 > made', []), a: '1' });
  await run(main, 'true');
  assert.match((await run(main, 'true')).log, CACHED);
  const task = await built({ a: '2' }, main.projectId);
  assert.doesNotMatch((await run(task, 'true')).log, CACHED);
  assert.equal((await kept(main.projectId)).length, 1);
});

test('a failing setup fails the command, which is not run', options, async (t) => {
  const { run, kept } = await at(t);
  const task = await project({ ...setup('echo no such package; exit 7'), lock: '1' });
  assert.deepEqual(await run(task, 'echo never'), {
    conclusion: 'failure',
    log:
      'Setup: echo no such package; exit 7\nno such package\nIt ended with code 7.\n' +
      'The setup has failed: the command was not run.\n',
  });
  assert.deepEqual(await kept(task.projectId), []);
});

for (const [how, spoil] of Object.entries({
  cut: (path: string) => truncate(path, 100),
  extended: (path: string) => appendFile(path, 'more'),
  changed: async (path: string) => {
    const content = await readFile(path);
    content[50] = (content[50] ?? 0) ^ 1;
    await writeFile(path, content);
  },
}))
  test(
    `a file on disk that was ${how} is removed, and the setup runs again`,
    options,
    async (t) => {
      const { run, kept, folder } = await at(t);
      const task = await project({ ...setup('head -c 5000 /dev/urandom > made'), lock: '1' });
      await run(task, 'true');
      const [name = ''] = await kept(task.projectId);
      await spoil(join(folder, task.projectId, name));
      const { log } = await run(task, 'stat -c %s made');
      assert.match(log, /^Setup: [^\n]*\nIt ended with code 0\.\n\nCommand:\n5000\n/);
      const after = await kept(task.projectId);
      assert.equal(after.length, 1);
      assert.notEqual(after[0], name);
      assert.match((await run(task, 'true')).log, CACHED);
    },
  );

test(
  'what cannot be unpacked leaves a pod that is made anew, and the setup runs',
  options,
  async (t) => {
    let discarded = 0;
    const broken: SetupResults = {
      find: async () => ({
        commit: '1'.repeat(40),
        at: new Date(),
        archive: Readable.from([Buffer.from('no archive'.repeat(2_000))]),
        discard: async () => void discarded++,
      }),
      keep: async (_, archive, finish) => {
        archive.resume();
        await finish();
      },
      reap: async () => {},
    };
    const { run } = await at(t, { results: broken });
    const task = await project({ ...setup('ls -A > ../home/seen; echo ran > made'), lock: '1' });
    const { log } = await run(task, 'cat ~/seen made');
    assert.match(
      log,
      /\nCommand:\n\.guildhall\.yml\na\.txt\nlock\nran\n|\nCommand:\n\.guildhall\.yml\nlock\nran\n/,
    );
    assert.equal(discarded, 1);
  },
);

test('two at once make it, and each of them is whole', options, async (t) => {
  const { run, kept } = await at(t);
  const task = await project({ ...setup('seq 20000 > made; seq 20000 > ~/made'), lock: '1' });
  const sum = 'cat made ~/made | sha256sum';
  const ends = await Promise.all([run(task, sum), run(task, sum), run(task, sum)]);
  const last = await run(task, sum);
  assert.match(last.log, CACHED);
  const sums = [...ends, last].map(({ log }) => log.split('\nCommand:\n')[1]);
  assert.equal(new Set(sums).size, 1);
  assert.equal((await kept(task.projectId)).length, 1);
});

test('what is larger than its project may keep is not kept', options, async (t) => {
  const { run, kept, faults } = await at(t, { bytes: MiB });
  const task = await project({ ...setup('head -c 3000000 /dev/urandom > made'), lock: '1' });
  assert.equal((await run(task, 'stat -c %s made')).conclusion, 'success');
  assert.deepEqual(await kept(task.projectId), []);
  assert.match(String(faults[0]), /larger than what is kept/);
});

test(
  'the result that was used longest ago goes first, and all go with their project',
  options,
  async (t) => {
    const { run, kept, results } = await at(t, { bytes: 2 * MiB });
    const first = await project({ ...setup('head -c 900000 /dev/urandom > made'), lock: '0' });
    const { projectId } = first;
    const next = async (lock: string) => {
      const task = await built({ lock }, projectId);
      gitIn(projectId, 'update-ref', 'refs/heads/main', task.head);
      return task;
    };
    await run(first, 'true');
    const second = await next('1');
    await run(second, 'true');
    assert.match((await run(first, 'true')).log, CACHED);
    await run(await next('2'), 'true');
    assert.equal((await kept(projectId)).length, 2);
    assert.match((await run(first, 'true')).log, CACHED);
    assert.doesNotMatch((await run(second, 'true')).log, CACHED);
    await results.reap(db);
    assert.equal((await kept(projectId)).length, 2);
    await results.reap({ many: async () => [] });
    assert.deepEqual(await kept(projectId), []);
  },
);

for (const { name, skip, elsewhere, make } of podKinds.filter(({ elsewhere }) => elsewhere))
  test(`${name}: it is kept and comes back`, { skip, timeout: 180_000 }, async (t) => {
    assert.ok(elsewhere);
    const { run } = await at(t, { pods: await make(t) });
    const command = 'mkdir m && seq 200000 > m/made && ln -s m/made link && echo h > ~/made';
    const task = await project({ ...setup(command), lock: '1' });
    const sum = 'cat link ~/made | sha256sum';
    const [ran, restored] = [await run(task, sum), await run(task, sum)];
    assert.match(restored.log, CACHED);
    assert.equal(restored.log.split('\nCommand:\n')[1], ran.log.split('\nCommand:\n')[1]);
  });

/** Runs one setup in a pod of its own. */
async function hostile(t: TestContext, command: string, timeout: number, at_: At = {}) {
  const place = await at(t, at_);
  const { pods, environments } = place;
  const task = await project({ 'a.txt': 'one\n' });
  const of = { projectId: task.projectId, commit: task.head };
  const signal = new AbortController().signal;
  const id = randomUUID();
  const make = async () => {
    await pods.create(id);
    const pod = await pods.attach(id);
    await fillPod(pod, directory, of, signal);
    return pod;
  };
  const environment: Environment = {
    image: undefined,
    setup: command,
    timeout,
    cache: [],
    notices: [],
  };
  const renew = async () => {
    await pods.destroy(id);
    return make();
  };
  const { pod, end } = await environments.setUp(await make(), environment, of, { signal, renew });
  assert.deepEqual(await place.kept(task.projectId), []);
  return { end, pod, pods, left: await leftOf(pods, id) };
}

const leftOf = async (pods: TestPods, id: string) => {
  const { state } = await pods.pause(id);
  return state;
};

test('one that never ends is ended with all that it has started', options, async (t) => {
  const { end, left } = await hostile(t, '(setsid sleep 300 &); echo begun; sleep 300', 2_000);
  assert.deepEqual(
    [end?.conclusion, end?.log, left],
    ['timed_out', 'begun\nIt was ended after 2 seconds.\n', 'paused'],
  );
});

test('one that forks for ever is bounded and ended', options, async (t) => {
  const limits = { processes: 60 };
  const bomb = 'f() { while :; do f & done; }; f 2>/dev/null; wait';
  const { end, left } = await hostile(t, bomb, 3_000, { limits });
  assert.notEqual(end?.conclusion, 'success');
  assert.equal(left, 'paused');
});

test('one that fills the disk is ended, and its pod is made anew', options, async (t) => {
  const limits = { disk: 20 * MiB };
  const fill = 'i=0; while :; do head -c 5000000 /dev/zero > f$i; i=$((i+1)); sleep 0.2; done';
  const { end, pods, pod } = await hostile(t, fill, 60_000, { limits });
  assert.equal(end?.log, 'It was ended: It used more than 20 MiB of disk.\n');
  const again = await pods.attach(pod.id);
  assert.equal((await shell(again, 'ls; du -sm . | cut -f1')).stdout, 'a.txt\n1\n');
});

test('of one that prints without end, the end is kept', options, async (t) => {
  const { end } = await hostile(t, 'yes "a line of it" | head -c 50000000; echo; exit 3', 60_000);
  assert.equal(end?.conclusion, 'failure');
  assert.ok((end?.log.length ?? 0) < 300_000);
  assert.ok(/\na .*\nIt ended with code 3\.\n$/s.test(end?.log ?? ''));
});

test(
  'settings of the project win field by field, and what cannot be used is said',
  options,
  async (t) => {
    const { environments } = await at(t);
    const file = {
      environment: { image: 'gone', setup: 'a', setup_timeout_minutes: 2, cache: ['x'] },
    };
    const { projectId, head: commit } = await project({ '.guildhall.yml': JSON.stringify(file) });
    const of = () => environments.of({ projectId, commit });
    const image = 'The image "gone" was not used: pods of this server are no containers.';
    const ofFile = {
      image: undefined,
      setup: 'a',
      timeout: 120_000,
      cache: ['x'],
      notices: [image],
    };
    assert.deepEqual(await of(), ofFile);
    const body = { setup: 'b', cache: [] };
    const path = `/api/projects/${projectId}/environment`;
    assert.equal((await harness.request('PUT', path, { key: owner.key, body })).status, 200);
    assert.deepEqual(await of(), { ...ofFile, setup: 'b', cache: [] });
    const containers = openEnvironments(db, {
      driver: { name: 'docker', confined: true },
      directory,
      images: [{ id: 'node-22', image: 'registry.example/node:22' }],
    });
    const { image: none, notices } = await containers.of({ projectId, commit });
    assert.equal(none, undefined);
    assert.match(notices[0] ?? '', /offers no image "gone"/);
    await db.many(
      sql`update project_environment set image = 'node-22' where project_id = ${projectId}`,
    );
    const chosen = await containers.of({ projectId, commit });
    assert.deepEqual([chosen.image, chosen.notices], ['registry.example/node:22', []]);
  },
);
