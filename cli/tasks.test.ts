import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { sql } from '../server/db/sql.ts';
import type { TurnRunner } from '../server/runner/worker/runner.ts';
import { workersOn } from '../server/testing/fixtures/runner/worker.ts';
import { startHarness } from '../server/testing/harness/harness.ts';
import { GUILDHALL } from '../server/testing/harness/serve.ts';
import { until } from '../server/testing/harness/until.ts';
import { jsonOf, runCommand } from '../server/testing/processes/command.ts';

/** `guildhall tasks`, in processes of its own, beside a worker in this one. */

const harness = await startHarness({ own: true });
const { db, databaseUrl, unchanged } = harness;
const tasks = workersOn(harness);
const env = { DATABASE_URL: databaseUrl };
const KEY = 'gld_0123456789abcdefghijklmnopqrstuvwxyzAB';

/** An agent that says something with a key in it, then works until it is stopped. */
const forever: TurnRunner['run'] = async (_, { append, signal }) => {
  await append({ type: 'notice', payload: { text: `the key is ${KEY}` } });
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason)),
  );
};

const ids = async (...options: string[]) =>
  (await jsonOf(['tasks', 'list', ...options], { env })).tasks.map(({ id }: { id: string }) => id);

test('list: what runs or waits to run, by status, workspace and age, in a bounded page', async () => {
  const [one, two, rests] = [await tasks.task(), await tasks.task(), await tasks.task()];
  await tasks.queue(one.id);
  await tasks.queue(two.id);
  await db.many(sql`update task set updated_at = now() - interval '3 hours' where id = ${one.id}`);
  const lists = await Promise.all([
    ids(),
    ids('--workspace', one.workspace),
    ids('--unchanged', '2h'),
    ids('--status', 'queued'),
    ids('--status', 'building'),
    ids('--status', 'ready', '--workspace', rests.workspace),
  ]);
  const all = [two.id, one.id];
  assert.deepEqual(lists, [all, [one.id], [one.id], all, [], [rests.id]]);
  assert.equal((await ids('--status', 'any')).length, 3);
  const { tasks: page, more } = await jsonOf(['tasks', 'list', '--limit', '1'], { env });
  assert.deepEqual([page.length, more], [1, true]);
  assert.deepEqual(page[0].turn, { number: 1, kind: 'plan', state: 'queued', attempt: 0 });
  const { out } = await runCommand(['tasks', 'list'], { env });
  assert.match(out, new RegExp(`^${one.id} +queued +3 h +1 plan queued +0\\.00 `, 'm'));
  const refused = await runCommand(['tasks', 'list', '--unchanged', 'long'], { env });
  assert.deepEqual([refused.code, refused.out], [2, '']);
});

test('show: turns, lease, pod, costs and the newest events, without a secret', async () => {
  const { id, workspace, owner } = await tasks.task();
  const turn = await tasks.queue(id, 'plan', 'Do it', owner);
  await db.many(sql`
    insert into pod (task_id, driver, state) values (${id}, 'process', 'running')`);
  tasks.worker(async (claimed, work) => {
    await work.charge(7_000_000n);
    return forever(claimed, work);
  });
  await until('it has begun', async () => (await tasks.eventsOf(id)).length === 3);
  const shown = await jsonOf(['tasks', 'show', id], { env });
  assert.deepEqual(
    [shown.status, shown.spent, shown.held, shown.workspace.id, shown.pods[0].state],
    ['planning', '0.007', '0.50', workspace, 'running'],
  );
  const [{ state, attempt, worker, lease_until, requested_by_user_id }] = shown.turns;
  assert.deepEqual([state, attempt, requested_by_user_id], ['running', 1, owner.id]);
  assert.match(worker, /^test-/);
  assert.ok(new Date(lease_until) > new Date());
  assert.deepEqual(
    shown.events.map(({ type }: { type: string }) => type),
    ['turn_started', 'status', 'notice'],
  );
  const { out } = await runCommand(['tasks', 'show', id], { env });
  assert.match(out, /^Status +planning$/m);
  assert.match(out, /^1 +plan +running +1 +0 +test-/m);
  for (const text of [out, JSON.stringify(shown)]) {
    assert.match(text, /the key is gld_\*\*\*/);
    assert.ok(!text.includes(KEY));
  }
  await db.many(sql`update task_turn set cancel_requested_at = now() where id = ${turn}`);
  await tasks.untilPublished(turn);
});

test('watch: the newest events, then each that happens, until the turn ends', async () => {
  const { id } = await tasks.task();
  const turn = await tasks.queue(id);
  const { promise, resolve } = Promise.withResolvers<void>();
  tasks.worker(async (_, { append }) => {
    await append({ type: 'notice', payload: { text: KEY } });
    await promise;
    await append({ type: 'notice', payload: { text: 'later' } });
    return { text: 'A plan' };
  });
  const child = spawn(process.execPath, [GUILDHALL, 'tasks', 'watch', id, '--json'], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const seen: { type: string; payload: { text?: string } }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    seen.push(JSON.parse(line));
    if (seen.at(-1)?.type === 'notice') resolve();
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  assert.deepEqual(
    seen.map(({ type, payload }) => payload.text ?? type),
    ['turn_started', 'status', 'gld_***', 'later', 'turn_ended'],
  );
  await tasks.untilPublished(turn);
});

test('show and watch: what happens to the code of a task is a sentence', async () => {
  const { id } = await tasks.task();
  await tasks.events.acquire(id, 1n, 'test');
  const head_sha = 'a'.repeat(40);
  const merge = { branch: 'main', stage: 'production', head_sha };
  const failure = { code: 'conflict', message: 'a.txt is in conflict.' };
  await tasks.events.append(id, 1n, [
    { type: 'pull_request', payload: { number: 7, state: 'open', base: 'main', head_sha } },
    { type: 'check', payload: { name: 'tests', head_sha, state: 'in_progress' } },
    { type: 'checks', payload: { head_sha, state: 'failed' } },
    { type: 'fix_checks', payload: { head_sha, message_number: 3 } },
    { type: 'merge', payload: { ...merge, state: 'failed', failure } },
    { type: 'deploy', payload: { ...merge, state: 'running', commit_sha: head_sha } },
  ]);
  const { out } = await runCommand(['tasks', 'show', id], { env });
  for (const sentence of [
    'pull_request      #7 open: commit aaaaaaaaaaaa into main\n',
    'check             tests: in_progress, of commit aaaaaaaaaaaa\n',
    'checks            failed, of commit aaaaaaaaaaaa\n',
    'fix_checks        message 3 asks the agent to fix those of commit aaaaaaaaaaaa\n',
    'merge             failed: commit aaaaaaaaaaaa into main (production): a.txt is in conflict.\n',
    'deploy            running: commit aaaaaaaaaaaa of main (production)\n',
  ])
    assert.ok(out.includes(sentence), out);
});

test('watch: Ctrl-C ends it, and not the task', async () => {
  const { id } = await tasks.task();
  const child = spawn(process.execPath, [GUILDHALL, 'tasks', 'watch', id], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (/^No turn is at work/.test(chunk)) child.kill('SIGINT');
    out += chunk;
  });
  assert.deepEqual(await once(child, 'close'), [0, null]);
  assert.match(out, /Stopped watching\. The task goes on\.\n$/);
});

test('cancel: it ends the agent, waits for that, and is in the audit trail', async () => {
  const { id, workspace } = await tasks.task();
  const turn = await tasks.queue(id);
  tasks.worker(forever);
  await tasks.untilStatus(id, 'planning');
  assert.deepEqual(await jsonOf(['tasks', 'cancel', id], { env }), { id, status: 'cancelled' });
  assert.equal((await tasks.turn(turn)).state, 'cancelled');
  const audited = await db.many(sql`
    select organization_id, before, actor_user_id from audit_event
     where action = 'task.cancel' and target_id = ${id}`);
  assert.deepEqual(audited, [
    { organization_id: workspace, before: { status: 'planning' }, actor_user_id: null },
  ]);
  await tasks.untilPublished(turn);
});

test('cancel: 1 when nothing runs, and when no worker ends the turn in time', async () => {
  const { id } = await tasks.task();
  const nothing = await unchanged(() => runCommand(['tasks', 'cancel', id], { env }));
  assert.deepEqual([nothing.code, nothing.out], [1, '']);
  assert.match(nothing.err, /Nothing of this task runs .* Its status is ready\./);

  const turn = await tasks.queue(id);
  await db.many(sql`
    with begun as (
      update task_turn set state = 'running', owner = 'gone', lease_until = now(),
             started_at = now(), attempt = 1, mode = 'plan'
       where id = ${turn})
    update task set status = 'planning' where id = ${id}`);
  const late = await runCommand(['tasks', 'cancel', id, '--wait', '0'], { env });
  assert.deepEqual([late.code, late.out], [1, '']);
  assert.match(late.err, /has been asked to stop.*start one \(`guildhall work`\)/s);
  // Any worker finds the turn, whose lease is over, and ends it.
  tasks.worker(forever);
  await tasks.untilTurn(turn, 'cancelled');
  await tasks.untilPublished(turn);
});

test('the beginning of an id that the dashboard shows is enough, unless several tasks have it', async () => {
  const { id } = await tasks.task();
  const short = id.slice(0, 8);
  assert.equal((await jsonOf(['tasks', 'show', short.toUpperCase()], { env })).id, id);
  const other = `${short}-0000-4000-8000-000000000000`;
  await db.many(sql`
    insert into task (id, project_id, title, created_by_user_id)
    select ${other}, project_id, 'Another', created_by_user_id from task where id = ${id}`);
  const several = await runCommand(['tasks', 'show', short], { env });
  assert.deepEqual([several.code, several.out], [1, '']);
  assert.match(several.err, new RegExp(`^Several tasks begin with ${short}: give more of the id`));
  assert.equal((await jsonOf(['tasks', 'show', id.slice(0, 14)], { env })).id, id);
});

test('an id of no task is refused by each, and what is no id is wrong usage', async () => {
  const refuse = async (command: string) => {
    const [unknown, wrong, help] = await Promise.all([
      runCommand(['tasks', command, command === 'show' ? 'abcdef01' : randomUUID()], { env }),
      runCommand(['tasks', command, command === 'watch' ? 'abcdef0' : 'seven'], { env }),
      runCommand(['tasks', command, '--help'], { env }),
    ]);
    assert.deepEqual([unknown.code, unknown.out], [1, ''], command);
    assert.match(unknown.err, /^There is no task /);
    assert.deepEqual([wrong.code, help.code], [2, 0]);
    assert.match(help.out, new RegExp(`^Usage: guildhall tasks ${command} `));
  };
  await Promise.all(['show', 'watch', 'cancel'].map(refuse));
});
