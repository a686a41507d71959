import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Sql, sql } from '../db/sql.ts';
import { readConfig } from '../platform/config/config.ts';
import { removeDeleted } from '../platform/files/remove-deleted.ts';
import { claimRetention, releaseRetention, renewRetention } from '../platform/retention/lease.ts';
import { removeOld } from '../platform/retention/remove-old.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { retentionRules } from './retention-rules.ts';

const harness = await startHarness({ own: true });
const { db, events, fixtures, owner: asOwner, request } = harness;
const owner = await fixtures.user();
const project = await fixtures.project({ organizationId: await fixtures.workspace(owner) });

const FOR_EVER = retentionRules(readConfig({}), events);
const rules = retentionRules(
  readConfig({
    RETENTION_LOGS_DAYS: '10',
    RETENTION_CONVERSATIONS_DAYS: '10',
    RETENTION_FILES_DAYS: '10',
    RETENTION_SIGN_INS_DAYS: '10',
    RETENTION_INVITATIONS_DAYS: '10',
  }),
  events,
);
const ruleOf = (name: string) => {
  const rule = rules.find((each) => each.name === name);
  assert.ok(rule, name);
  return rule;
};
const removed = async (name: string) => (await removeOld(db, [ruleOf(name)]))[0]?.removed;
const get = async (path: string) => request('GET', path, { key: owner.key });
const count = async (query: Sql) => (await db.many(query)).length;

/** A task with a message, a turn, a plan that was approved, comments and a question. */
async function taskOf(archivedDaysAgo: number | undefined): Promise<string> {
  const task = await fixtures.task(project, owner);
  await fixtures.revision(task, 'Paint the office green.');
  assert.equal(
    (await request('POST', `/api/tasks/${task}/plan/approve`, { key: owner.key })).status,
    200,
  );
  await fixtures.planComment(task, owner);
  await fixtures.diffComment(task, owner);
  await db.many(sql`
    with turn as (
      insert into task_turn (task_id, number, kind, source, prompt, state, ended_at)
      values (${task}, 1, 'prompt', ${task}, 'Paint it', 'done', now()) returning id)
    insert into task_message (task_id, number, turn_id, role, author_user_id, content)
    select ${task}, 1, id, 'user', ${owner.id}::uuid, 'Paint it' from turn`);
  await db.many(sql`
    insert into attachment (project_id, task_id, uploaded_by_user_id, name, media_type, size, sha256,
                            storage_key)
    values (${project}, ${task}, ${owner.id}, 'a.txt', 'text/plain', 1, ${'a'.repeat(64)},
            ${`${project}/${randomUUID()}`})`);
  await db.many(sql`
    update task set last_message = 1, last_turn = 1,
                    archived_at = now() - make_interval(days => ${archivedDaysAgo ?? null}::int)
     where id = ${task}`);
  return task;
}

test('conversations of tasks that were archived long ago go; who approved what stays, with its hash', async () => {
  const [old, lately, open, busy] = [
    await taskOf(11),
    await taskOf(9),
    await taskOf(undefined),
    await taskOf(11),
  ];
  await fixtures.turn(busy, { state: 'interrupted', attempt: 1 });
  const approved = await db.one<{ sha256: Buffer }>(sql`
    select sha256 from plan_revision where task_id = ${old}`);
  assert.equal(await ruleOf('conversations of archived tasks').due(db), 1);
  assert.equal(await removed('conversations of archived tasks'), 1);
  assert.equal(await removed('conversations of archived tasks'), 0);

  const task = (await get(`/api/tasks/${old}`)).body;
  assert.match(task.conversation_removed_at, /Z$/);
  assert.deepEqual((await get(`/api/tasks/${old}/messages`)).body, []);
  assert.deepEqual((await get(`/api/tasks/${old}/plan/comments`)).body, []);
  const { text, text_removed_at, approved_by_user_id, sha256 } = (
    await get(`/api/tasks/${old}/plan`)
  ).body;
  assert.deepEqual([text, approved_by_user_id], ['', owner.id]);
  assert.equal(text_removed_at, task.conversation_removed_at);
  assert.equal(sha256, approved.sha256.toString('hex'));
  assert.equal(await count(sql`select from plan_approval where task_id = ${old}`), 1);
  const left = await db.many<{ prompt: string }>(sql`
    select prompt from task_turn where task_id = ${old} and prompt <> ''`);
  assert.deepEqual(left, []);
  for (const kept of [lately, open, busy]) {
    assert.equal((await get(`/api/tasks/${kept}/messages`)).body.length, 1);
    assert.equal((await get(`/api/tasks/${kept}/plan`)).body.text, 'Paint the office green.');
    assert.equal((await get(`/api/tasks/${kept}`)).body.conversation_removed_at, undefined);
  }
});

test('a plan whose text was removed is not approved; what is said afterwards is removed like the rest', async () => {
  const task = await taskOf(11);
  await fixtures.revision(task, 'Paint it blue.');
  await removed('conversations of archived tasks');
  const reply = await harness.unchanged(() =>
    request('POST', `/api/tasks/${task}/plan/approve`, { key: owner.key }),
  );
  assert.deepEqual([reply.status, reply.body.code], [409, 'plan_removed']);
  assert.ok(
    !(await get(`/api/tasks/${task}/plan`)).body.available_actions.includes('approve_plan'),
  );
  await db.many(sql`update task set archived_at = null where id = ${task}`);
  await db.many(sql`
    insert into task_message (task_id, number, role, author_user_id, content)
    values (${task}, 2, 'user', ${owner.id}, 'Go on')`);
  assert.equal(await removed('conversations of archived tasks'), 0);
  await db.many(sql`
    update task set archived_at = now() - interval '11 days',
                    conversation_removed_at = now() - interval '12 days' where id = ${task}`);
  assert.equal(await removed('conversations of archived tasks'), 1);
  assert.deepEqual((await get(`/api/tasks/${task}/messages`)).body, []);
});

test('the text of a plan is removed in no other way', async () => {
  const task = await taskOf(11);
  await assert.rejects(
    asOwner(sql`update plan_revision set body = '' where task_id = ${task}`),
    /insert-only/,
  );
  await removed('conversations of archived tasks');
  await assert.rejects(
    asOwner(sql`update plan_revision set body = 'Another' where task_id = ${task}`),
    /insert-only/,
  );
  await assert.rejects(
    db.many(sql`update plan_revision set body = '' where task_id = ${task}`),
    /permission denied/,
  );
});

test('files of archived tasks go, and their bytes after their rows; the task says how many', async () => {
  const [old, lately] = [await taskOf(11), await taskOf(9)];
  const { storage_key: key } = await db.one<{ storage_key: string }>(sql`
    select storage_key from attachment where task_id = ${old}`);
  assert.ok(((await removed('files of archived tasks')) ?? 0) >= 1);
  const { files_removed, files_removed_at } = (await get(`/api/tasks/${old}`)).body;
  assert.equal(files_removed, 1);
  assert.match(files_removed_at, /Z$/);
  assert.deepEqual((await get(`/api/tasks/${old}/attachments`)).body, []);
  assert.equal((await get(`/api/tasks/${lately}/attachments`)).body.length, 1);
  assert.equal((await get(`/api/tasks/${lately}`)).body.files_removed, undefined);
  const waits = sql`select from file_removal where storage_key = ${key}`;
  assert.equal(await count(waits), 1);
  await removeDeleted(db, harness.files);
  assert.equal(await count(waits), 0);
});

test('of old logs a sentence is left', async () => {
  const task = await fixtures.task(project, owner);
  const pod = await db.one<{ id: string }>(sql`
    insert into pod (task_id, driver, state) values (${task}, 'process', 'paused') returning id`);
  await db.many(sql`
    insert into pod_log (pod_id, content, updated_at)
    values (${pod.id}, 'A secret of the past', now() - interval '11 days')`);
  assert.equal(await removed('logs of pods'), 1);
  assert.equal(await removed('logs of pods'), 0);
  assert.equal((await get(`/api/tasks/${task}/pod/log`)).text, 'Removed after 10 days.\n');
});

test('sessions, sign-in links and closed invitations go; what a charge was made in stays without its browser', async () => {
  const person = await fixtures.user();
  const session = () =>
    db.one<{ id: string }>(sql`
      insert into session (user_id, token_hash, created_at, expires_at, user_agent, network)
      values (${person.id}, sha256(gen_random_uuid()::text::bytea), now() - interval '50 days',
              now() - interval '11 days', 'Firefox', '203.0.113.9') returning id`);
  const [charged, other] = [await session(), await session()];
  const topUp = await fixtures.attendedTopUp(person);
  await db.many(sql`
    insert into top_up_session (top_up_id, session_id) values (${topUp}, ${charged.id})`);
  await db.many(sql`
    insert into sign_in_link (user_id, token_hash, created_at, expires_at, ended_at, session_id)
    values (${person.id}, sha256('x'), now() - interval '50 days', now() - interval '49 days',
            now() - interval '49 days', ${other.id})`);
  const workspace = await fixtures.workspace(person);
  const declined = await fixtures.invitation(workspace, { status: 'declined' });
  const pending = await fixtures.invitation(workspace, { createdAt: new Date(0) });
  await db.many(sql`
    update invitation set updated_at = now() - interval '11 days'
     where id in (${declined}, ${pending})`);
  assert.equal(await removed('sign-in links'), 1);
  assert.equal(await removed('sessions'), 2);
  assert.equal(await ruleOf('sessions').due(db), 0);
  assert.deepEqual(
    await db.many(sql`select id, user_agent, network from session where user_id = ${person.id}`),
    [{ id: charged.id, user_agent: null, network: null }],
  );
  assert.equal(await removed('closed invitations'), 1);
  assert.equal(await count(sql`select from invitation where organization_id = ${workspace}`), 1);
});

test('what has no period is kept for ever', async () => {
  const task = await taskOf(4000);
  const removals = await removeOld(db, FOR_EVER);
  assert.deepEqual(
    FOR_EVER.filter(({ days }) => days === undefined).map(({ name }) => name),
    [
      'logs of checks',
      'logs of deploys',
      'logs of pods',
      'conversations of archived tasks',
      'files of archived tasks',
      'sign-in links',
      'sessions',
      'closed invitations',
    ],
  );
  assert.ok(
    removals.every(({ rule, failure }) => rule.days !== undefined && failure === undefined),
  );
  assert.equal((await get(`/api/tasks/${task}/messages`)).body.length, 1);
});

test('each rule finds the oldest rows by an index', async () => {
  // Runs of routines are ranked within their routine, and events are in a log of their own.
  const others = [
    'runs of routines',
    'events of tasks',
    'traces of people who deleted their account',
  ];
  for (const rule of rules.filter(({ name }) => !others.includes(name))) {
    let asked: Sql | undefined;
    const one = async (query: Sql) => {
      asked = query;
      return { rows: 0 } as never;
    };
    await rule.due({ ...db, one });
    const plan = await db.transaction(async (tx) => {
      await tx.many(sql`set local enable_seqscan = off`);
      await tx.many(sql`set local enable_bitmapscan = off`);
      return tx.many<{ 'QUERY PLAN': string }>(sql`explain ${asked as Sql}`);
    });
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    assert.doesNotMatch(text, /Seq Scan|Sort/, `${rule.name}: ${text}`);
  }
});

test('the document says of every table what bounds it', async () => {
  const document = await readFile(
    join(import.meta.dirname, '../../docs/operations/privacy.md'),
    'utf8',
  );
  const tables = await db.many<{ name: string }>(sql`
    select table_name::text as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`);
  const missing = tables.filter(({ name }) => !document.includes(`\`${name}\``));
  assert.deepEqual(missing, []);
});

test('one rule that fails keeps no other from its work', async () => {
  const broken = {
    ...ruleOf('logs of pods'),
    remove: () => Promise.reject(new Error('the disk is on fire')),
  };
  const task = await taskOf(11);
  const [first, second] = await removeOld(db, [broken, ruleOf('conversations of archived tasks')]);
  assert.match(String(first?.failure), /on fire/);
  assert.ok((second?.removed ?? 0) >= 1);
  assert.deepEqual((await get(`/api/tasks/${task}/messages`)).body, []);
});

test('two at once remove each row once', async () => {
  const tasks = await Promise.all(Array.from({ length: 30 }, () => taskOf(11)));
  for (const name of ['conversations of archived tasks', 'files of archived tasks']) {
    const due = await ruleOf(name).due(db);
    const both = await Promise.all([removed(name), removed(name)]);
    const late = (await removed(name)) ?? 0;
    assert.ok(due >= tasks.length);
    assert.equal((both[0] ?? 0) + (both[1] ?? 0) + late, due, name);
  }
  const { files } = await db.one<{ files: number }>(sql`
    select sum(files_removed)::int as files from task where id = any(${tasks}::uuid[])`);
  assert.equal(files, tasks.length);
});

test('one process has the work, until its lease ends; then another one has it', async () => {
  const [one, other] = [
    '11111111-1111-4111-8111-111111111111',
    '22222222-2222-4222-8222-222222222222',
  ];
  const claims = await Promise.all(
    [one, other, one, other].map((holder) => claimRetention(db, holder)),
  );
  assert.equal(claims.filter(Boolean).length, 1);
  const [holder, waits] = claims[0] || claims[2] ? [one, other] : [other, one];
  assert.deepEqual(
    [await renewRetention(db, holder), await renewRetention(db, waits)],
    [true, false],
  );
  await db.many(sql`update retention_work set held_until = now() - interval '1 second'`);
  assert.equal(await claimRetention(db, waits), true, 'the holder has died');
  assert.equal(await renewRetention(db, holder), false);
  await releaseRetention(db, holder, true);
  assert.equal(await claimRetention(db, holder), false, 'a late release takes nothing away');
  await releaseRetention(db, waits, false);
  assert.equal(await claimRetention(db, holder), true, 'broken off: another goes on at once');
  await releaseRetention(db, holder, true);
  assert.equal(await claimRetention(db, waits), false, 'done for this hour');
});

test('times that were noted while the clock was wrong are forgotten once it is right again', async () => {
  const holder = '33333333-3333-4333-8333-333333333333';
  await db.many(sql`
    update retention_work set held_by = null, held_until = null, next_at = now() + interval '1 year'`);
  assert.equal(await claimRetention(db, holder), true, 'an hour far ahead');
  await db.many(sql`update retention_work set held_until = now() + interval '1 year'`);
  const waits = '44444444-4444-4444-8444-444444444444';
  assert.equal(await claimRetention(db, waits), true, 'a lease far ahead');
  await releaseRetention(db, waits, true);
  assert.equal(await claimRetention(db, holder), false, 'done for this hour');
});

test('a batch of archived tasks looks at their turns alone', async () => {
  await asOwner(sql`
    with made as (
      insert into task (project_id, title, created_by_user_id, status, last_turn, archived_at)
      select ${project}, 'Task ' || n, ${owner.id}, 'ready', 2,
             case when n % 8 = 0 then now() - interval '11 days' end
        from generate_series(1, 8000) n returning id)
    insert into task_turn (task_id, number, kind, source, prompt, state, ended_at)
    select id, number, 'plan', 'test:' || id || ':' || number, 'Do it', 'done', now()
      from made, generate_series(1, 2) number`);
  await asOwner(sql`analyze task, task_turn`);
  for (const name of ['conversations of archived tasks', 'files of archived tasks']) {
    const read = await db.transaction(async (tx) => {
      const rows = () =>
        tx.one<{ read: number }>(sql`
          select (seq_tup_read + idx_tup_fetch)::int as read
            from pg_stat_xact_user_tables where relname = 'task_turn'`);
      const before = await rows();
      assert.equal(await ruleOf(name).remove(tx), 20);
      return (await rows()).read - before.read;
    });
    assert.ok(read <= 500, `${name}: ${read} rows of task_turn`);
  }
});
