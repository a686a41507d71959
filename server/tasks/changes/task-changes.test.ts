import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { onProjectsOrOne } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { eventStreams } from '../../http/event-stream.ts';
import { type Permit, stillAllowed } from '../../http/still-allowed.ts';
import { hashKey } from '../../identity/keys/key.ts';
import { genericPlan, watchStatements } from '../../testing/database/statements.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { type Moment, momentColumns } from './position.ts';
import { openTaskChanges, purgeTaskChanges } from './task-changes.ts';

const { db, fixtures, databaseUrl, owner: asOwner, request } = await startHarness({ own: true });
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const project = await fixtures.project({ organizationId: workspace });

const now = () => db.one<Moment>(sql`select ${momentColumns}`);

let sent: string[] = [];
watchStatements(({ text }) => sent.push(text));

/** All that a reader has to say now, as text. */
function taken(reader: { next(): Buffer | undefined }): string {
  let text = '';
  for (let piece = reader.next(); piece !== undefined; piece = reader.next()) text += piece;
  return text;
}
const count = (text: string, what: RegExp) => text.match(what)?.length ?? 0;

test('one statement for each poll serves a thousand readers and a thousand tasks, to each those of its projects', async () => {
  const projects = await Promise.all(
    Array.from({ length: 20 }, () => fixtures.project({ organizationId: workspace })),
  );
  await db.many(sql`
    insert into task (project_id, title, created_by_user_id)
    select id, 'A task', ${owner.id} from unnest(${projects}::uuid[]) as p (id),
           generate_series(1, 50)`);
  const changes = openTaskChanges(db, { pollEveryMs: 200 });
  const moment = await now();
  const readers = Array.from({ length: 1_000 }, (_, i) =>
    changes.open({ moment, projects: [projects[i % 20] as string], since: changes.polls() }),
  );
  for (const reader of readers) assert.equal(count(taken(reader), /event: reset/g), 1);
  sent = [];
  const began = changes.polls();
  await db.many(sql`update task set title = 'B' where project_id = any(${projects}::uuid[])`);
  const changed = changes.polls();
  await until('a poll after it', () => changes.polls() >= changed + 2);
  const texts = readers.map(taken);
  const asked = sent.filter((text) => /task_change/.test(text)).length;
  assert.ok(asked <= changes.polls() - began + 1, `${asked} statements`);
  for (const [i, text] of texts.entries()) {
    assert.equal(count(text, /event: changed/g), 50);
    assert.equal(count(text, new RegExp(projects[i % 20] as string, 'g')), 50);
  }
  for (const reader of readers) reader.stop();
});

test('several changes of a task between two polls are one frame', async () => {
  const task = await fixtures.task(project, owner);
  let held = Promise.resolve();
  let holding = 0;
  const changes = openTaskChanges(
    {
      read: async (query) => {
        holding++;
        await held;
        return db.read(query);
      },
    },
    { pollEveryMs: 20 },
  );
  const reader = changes.open({ moment: await now(), projects: [project], since: 0 });
  taken(reader);
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  const before = holding;
  await until('a poll is held', () => holding > before);
  for (let i = 0; i < 5; i++) await db.many(sql`update task set title = ${i} where id = ${task}`);
  resolve();
  const witness = await fixtures.task(project, owner);
  let text = '';
  await until('what came after them', () => {
    text += taken(reader);
    return text.includes(witness);
  });
  assert.equal(count(text, new RegExp(task, 'g')), 1);
  reader.stop();
});

test('more than five thousand changes at once are a reset', async () => {
  const large = await fixtures.project({ organizationId: workspace });
  const changes = openTaskChanges(db, { pollEveryMs: 100 });
  const reader = changes.open({ moment: await now(), projects: [large], since: 0 });
  taken(reader);
  await asOwner(sql`
    insert into task (project_id, title, created_by_user_id)
    select ${large}, 'A task', ${owner.id} from generate_series(1, 5001)`);
  let text = '';
  await until('a reset', () => {
    text += taken(reader);
    return text !== '';
  });
  assert.deepEqual([count(text, /event: reset/g), count(text, /event: changed/g)], [1, 0]);
  reader.stop();
});

test('no more than 256 KB wait for a reader that takes nothing, which then gets a reset', async () => {
  const tasks = await Promise.all(Array.from({ length: 40 }, () => fixtures.task(project, owner)));
  const changes = openTaskChanges(db, { pollEveryMs: 20 });
  const reader = changes.open({ moment: await now(), projects: [project], since: 0 });
  taken(reader);
  for (let i = 0; i < 60; i++) {
    await db.many(sql`update task set title = ${`B ${i}`} where id = any(${tasks})`);
    const polls = changes.polls();
    await until('a poll after it', () => changes.polls() >= polls + 2);
  }
  const text = taken(reader);
  assert.equal(count(text, /event: reset/g), 1);
  assert.ok(count(text, /event: changed/g) < 40 * 60);
  assert.ok(text.length <= 300 * 1024);
  reader.stop();
});

test('readers that continue and take nothing keep no more than 64 KB each: who missed more reads its lists', async () => {
  const changes = openTaskChanges({ read: async () => [] }, { pollEveryMs: 60_000 });
  const moment = { snapshot: '1000:1000:', at: 10_000 };
  const missed = (count: number) =>
    Array.from({ length: count }, () => {
      const [task_id, project_id] = [randomUUID(), project];
      const updated_at = '2026-11-21T08:15:30.123Z';
      return { project_id, json: JSON.stringify({ task_id, project_id, updated_at }) };
    });
  const since = changes.polls();
  const first = changes.open({ moment, projects: [project], since });
  const opened = (count: number) => {
    const after = `${'9'.repeat(18)}-10000000000`;
    const at = { moment, projects: [project], since: changes.polls(), after };
    const reader = changes.open({ ...at, missed: missed(count) });
    const text = taken(reader);
    reader.stop();
    return text;
  };
  const few = opened(300);
  assert.deepEqual([count(few, /event: changed/g), count(few, /event: reset/g)], [300, 0]);
  assert.ok(few.length <= 64 * 1024, `${few.length} bytes`);
  const many = opened(301);
  assert.deepEqual([count(many, /event: changed/g), count(many, /event: reset/g)], [0, 1]);
  first.stop();
});

test('a database that cannot be read for a while loses nothing', async () => {
  const task = await fixtures.task(project, owner);
  let broken = false;
  const changes = openTaskChanges(
    {
      read: (query) => (broken ? Promise.reject(new Error('it is away')) : db.read(query)),
    },
    { pollEveryMs: 50 },
  );
  const reader = changes.open({ moment: await now(), projects: [project], since: 0 });
  taken(reader);
  broken = true;
  await db.many(sql`update task set title = 'Meanwhile' where id = ${task}`);
  await pause(300);
  assert.equal(taken(reader), '');
  broken = false;
  await until('it gets the change', () => taken(reader).includes(task));
  reader.stop();
});

test('a database that is another one than before, or was away for an hour, is a reset', async () => {
  const moments: Moment[] = [
    { snapshot: '1000:1000:', at: 10_000 },
    { snapshot: '900:900:', at: 10_001 },
    { snapshot: '901:901:', at: 10_002 },
    { snapshot: '902:902:', at: 14_000 },
  ];
  const [first, ...later] = moments;
  let last = first as Moment;
  const rows = () => {
    last = later.shift() ?? last;
    return [{ ...last, project_id: null, json: null }] as never;
  };
  const changes = openTaskChanges({ read: async () => rows() }, { pollEveryMs: 20 });
  const reader = changes.open({ moment: first as Moment, projects: [project], since: 0 });
  let text = '';
  await until('all of these', () => {
    text += taken(reader);
    return later.length === 0;
  });
  await pause(100);
  text += taken(reader);
  assert.deepEqual(text.match(/^id: .*/gm), ['id: 1000-10000', 'id: 900-10001', 'id: 902-14000']);
  reader.stop();
});

/** A stream of changes whose rights are asked about every 100 ms. */
async function streamOf(user: User) {
  const streams = eventStreams((permits: readonly Permit[]) => stillAllowed(db, permits), {
    recheck: 100,
    poll: 100,
  });
  const changes = openTaskChanges(db, { pollEveryMs: 100 });
  const source = changes.open({ moment: await now(), projects: [], since: 0 });
  const to = new PassThrough();
  let text = '';
  to.on('data', (piece) => {
    text += piece;
  });
  streams.open(
    source,
    {
      userId: user.id,
      permit: {
        credential: { kind: 'key', hash: hashKey(user.key) as Buffer },
        access: onProjectsOrOne,
        objectId: user.id,
        onRights: (rights) => source.follow(rights.projects as string[]),
      },
    },
    () => to,
  );
  return { text: () => text, close: () => streams.close() };
}

test('a person who joins gets the tasks there from the next check of rights on, after a reset', async () => {
  const person = await fixtures.user();
  const task = await fixtures.task(project, owner);
  const { text, close } = await streamOf(person);
  await until('its first reset', () => count(text(), /event: reset/g) === 1);
  await db.many(sql`update task set title = 'Before' where id = ${task}`);
  await pause(400);
  assert.deepEqual([count(text(), /event: reset/g), text().includes(task)], [1, false]);
  await fixtures.member(workspace, person, 'viewer');
  await until('a reset', () => count(text(), /event: reset/g) === 2);
  await db.many(sql`update task set title = 'After' where id = ${task}`);
  await until('it gets the change', () => text().includes(task));
  assert.equal(count(text(), /event: reset/g), 2);
  close();
});

test('the rights of all streams are one statement', async () => {
  const people = await Promise.all(Array.from({ length: 30 }, () => fixtures.user()));
  for (const person of people) await fixtures.member(workspace, person, 'viewer');
  const told: string[][] = [];
  const permits = people.map((person) => ({
    credential: { kind: 'key' as const, hash: hashKey(person.key) as Buffer },
    access: onProjectsOrOne,
    objectId: person.id,
    onRights: ({ projects }: Record<string, unknown>) => told.push(projects as string[]),
  }));
  sent = [];
  const allowed = await stillAllowed(db, permits);
  assert.equal(sent.length, 1);
  assert.deepEqual(new Set(allowed), new Set([true]));
  assert.deepEqual([told.length, told.every((ids) => ids.includes(project))], [30, true]);
});

test('the projects of one person are read once for all of their streams, and told to each', async () => {
  const [one, two] = [await fixtures.user(), await fixtures.user()];
  for (const person of [one, two]) await fixtures.member(workspace, person, 'viewer');
  const gone = await fixtures.user();
  await db.many(sql`update api_key set revoked_at = now() where user_id = ${gone.id}`);
  const told = new Map<User, string[][]>();
  const permits = [one, gone, two, one, one, two, gone].map((person) => ({
    credential: { kind: 'key' as const, hash: hashKey(person.key) as Buffer },
    access: onProjectsOrOne,
    objectId: person.id,
    onRights: ({ projects }: Record<string, unknown>) => {
      told.set(person, [...(told.get(person) ?? []), projects as string[]]);
    },
  }));
  let rows = 0;
  const counting: Pick<typeof db, 'read' | 'many'> = {
    many: (query) => db.many(query),
    read: async (query) => {
      const read = await db.read(query);
      rows += read.length;
      return read as never;
    },
  };
  const allowed = await stillAllowed(counting, permits);
  assert.deepEqual(allowed, [true, false, true, true, true, true, false]);
  assert.equal(rows, 2);
  assert.deepEqual(
    [one, two, gone].map((person) => told.get(person)?.length),
    [3, 2, undefined],
  );
});

test('notes are kept for an hour', async () => {
  const [old, fresh] = [await fixtures.task(project, owner), await fixtures.task(project, owner)];
  await db.many(sql`delete from task_change`);
  await db.many(sql`
    insert into task_change (transaction_id, object_id, project_id, noted_at)
    values ('5', ${old}, ${project}, now() - interval '61 minutes'),
           ('6', ${fresh}, ${project}, now() - interval '59 minutes')`);
  await purgeTaskChanges(db);
  const left = await db.many<{ object_id: string }>(sql`select object_id from task_change`);
  assert.deepEqual(
    left.map(({ object_id }) => object_id),
    [fresh],
  );
});

test('what has changed is found by an index, whatever a poll or a reader continues after', async () => {
  const task = await fixtures.task(project, owner);
  await db.many(sql`update membership set created_at = now() - interval '1 day'`);
  const changes = openTaskChanges(db, { pollEveryMs: 50 });
  sent = [];
  const reader = changes.open({ moment: await now(), projects: [project], since: 0 });
  await until('a poll', () => changes.polls() >= 3);
  reader.stop();
  const after = `0-${Math.floor(Date.now() / 1_000)}`;
  const { status, body } = await request('GET', `/api/task-changes?after=${after}`, owner);
  assert.deepEqual(
    [status, body.some((each: { task_id: string }) => each.task_id === task)],
    [200, true],
  );
  const texts = new Set(sent.filter((text) => /from task_change/.test(text)));
  assert.equal(texts.size, 2);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan');
    for (const text of texts) {
      const plan = await genericPlan(client, text);
      assert.match(plan, /(Index|Bitmap Index) (Only )?Scan .*task_change_pkey/);
      assert.doesNotMatch(plan, /Seq Scan on (task_change|task)\b/);
    }
  } finally {
    await client.end();
  }
});
