import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../db/sql.ts';
import { openStream } from '../../testing/clients/event-reader.ts';
import { watchStatements } from '../../testing/database/statements.ts';
import { type Harness, startHarness } from '../../testing/harness/harness.ts';
import { seriesOf } from '../../testing/harness/metrics.ts';
import { until } from '../../testing/harness/until.ts';

const harness = await startHarness({ own: true });
const { db, url, databaseUrl, fixtures, request, shutdown, unchanged } = harness;
// Another server on the same database: what one does, both tell.
const other = await startHarness({ databaseUrl });
const path = '/api/task-changes';
const owner = await fixtures.user();
const stranger = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const project = await fixtures.project({ organizationId: workspace });
const { key } = owner;
/** As if memberships had not changed lately: else a stream that continues begins with a reset. */
async function longAgo() {
  await db.many(sql`update membership set created_at = now() - interval '1 day'`);
  await db.many(sql`delete from revocation`);
}
await longAgo();

const polls: string[] = [];
watchStatements(({ text }) => {
  if (/pg_visible_in_snapshot/.test(text)) polls.push(text);
});

type Opened = Awaited<ReturnType<typeof openStream<string>>>;
const stream = (at = path, lastEventId?: string, by: { key: string } = { key }, from = url) =>
  openStream<string>(`${from}${at}`, {
    key: by.key,
    ...(lastEventId === undefined ? {} : { lastEventId }),
  });
/** A stream that has said that the lists have to be read. */
async function begun(...args: Parameters<typeof stream>): Promise<Opened> {
  const opened = await stream(...args);
  await opened.until(1);
  return opened;
}
const toldOf = ({ frames }: Opened, task: string) =>
  frames.filter(({ event, data }) => event === 'changed' && data.task_id === task);
const resets = ({ frames }: Opened) => frames.filter(({ event }) => event === 'reset').length;
const toldTimes = (opened: Opened, task: string, times: number) =>
  until(`told ${times} times`, () => toldOf(opened, task).length >= times);
/** Waits until a stream has told what has happened before, which it does in that order. */
async function toldAll(opened: Opened): Promise<void> {
  const witness = await fixtures.task(project, owner);
  await toldTimes(opened, witness, 1);
}
const rename = (task: string, title: string) =>
  db.many(sql`update task set title = ${title} where id = ${task}`);
const lastId = ({ frames }: Opened) => frames.at(-1)?.id ?? assert.fail('no frame came');

/** How many streams are open at a server. */
const openAt = async ({ metrics }: Harness) =>
  (await seriesOf(metrics, 'guildhall_event_streams'))[''];

/** What can happen to a task that a list shows, and to what the list shows of it. */
const CHANGES: Record<string, (task: string) => Promise<unknown>> = {
  'its title': (task) => rename(task, 'Another title'),
  'its status': (task) => db.many(sql`update task set status = 'queued' where id = ${task}`),
  'its limit': (task) => db.many(sql`update task set spend_cap = 5000000 where id = ${task}`),
  'its archive': (task) => request('PUT', `/api/tasks/${task}`, { key, body: { archived: true } }),
  'its cost': async (task) => {
    await fixtures.turn(task, { state: 'running' });
    await db.many(sql`update task_turn set spent_nano = 7000 where task_id = ${task}`);
  },
  'its pull request': (task) => fixtures.pullRequest(task, owner),
  'its plan': (task) => fixtures.revision(task),
};

for (const [what, change] of Object.entries(CHANGES))
  test(`200: ${what} changes, and the stream names the task within two polls`, async () => {
    const task = await fixtures.task(project, owner);
    const streams = [await begun(), await begun(path, undefined, owner, other.url)];
    await Promise.all(streams.map(toldAll));
    const before = streams.map((each) => toldOf(each, task).length);
    const began = performance.now();
    await change(task);
    for (const [i, each] of streams.entries())
      await toldTimes(each, task, (before[i] as number) + 1);
    assert.ok(performance.now() - began < 3_000);
    const { data, id } = toldOf(streams[0] as Opened, task).at(-1) ?? assert.fail();
    const { body } = await request('GET', `/api/tasks/${task}`, { key });
    assert.deepEqual(data, { task_id: task, project_id: project, updated_at: body.updated_at });
    assert.match(id, /^\d+-\d+$/);
    for (const each of streams) each.cut();
  });

test('200: a stream begins with a reset, and then names tasks that are created, and those that are deleted', async () => {
  const opened = await begun();
  assert.deepEqual([opened.frames[0]?.event, opened.frames[0]?.data], ['reset', {}]);
  const created = await request('POST', `/api/projects/${project}/tasks`, {
    key,
    body: { message: 'Make it.' },
  });
  const task = created.body.id;
  await toldTimes(opened, task, 1);
  await request('POST', `/api/tasks/${task}/cancel`, { key });
  await toldTimes(opened, task, 2);
  const deleted = await request('DELETE', `/api/tasks/${task}`, { key });
  assert.equal(deleted.status, 200, deleted.text);
  await toldTimes(opened, task, 3);
  assert.deepEqual(toldOf(opened, task).at(-1)?.data, { task_id: task, project_id: project });
  assert.equal(resets(opened), 1);
  opened.cut();
});

test('200: what no list shows is not told of, such as the fence and the counters of a task', async () => {
  const task = await fixtures.task(project, owner);
  const opened = await begun();
  await toldAll(opened);
  const before = toldOf(opened, task).length;
  await db.many(sql`update task set fence = fence + 1, last_turn = 3 where id = ${task}`);
  await toldAll(opened);
  assert.equal(toldOf(opened, task).length, before);
  opened.cut();
});

test('200: with a project, nothing of another', async () => {
  const elsewhere = await fixtures.project({ organizationId: workspace });
  const [here, there] = [
    await fixtures.task(project, owner),
    await fixtures.task(elsewhere, owner),
  ];
  const all = await begun();
  const one = await begun(`${path}?project_id=${project}`);
  await rename(there, 'There');
  await toldTimes(all, there, 1);
  await rename(here, 'Here');
  await toldTimes(one, here, 1);
  assert.deepEqual(toldOf(one, there), []);
  for (const each of [all, one]) each.cut();
});

test('200: a stream continues after Last-Event-ID at any server, without a reset and with what was missed', async () => {
  for (const from of [url, other.url]) {
    const [kept, gone] = [await fixtures.task(project, owner), await fixtures.task(project, owner)];
    const first = await begun();
    await rename(kept, 'Before');
    await toldTimes(first, kept, 1);
    first.cut();
    await rename(kept, 'Meanwhile');
    await db.many(sql`delete from task where id = ${gone}`);
    const again = await stream(path, lastId(first), owner, from);
    await toldTimes(again, kept, 1);
    await toldTimes(again, gone, 1);
    assert.equal(toldOf(again, gone).at(-1)?.data.updated_at, undefined);
    assert.equal(resets(again), 0);
    await rename(kept, 'After');
    await toldTimes(again, kept, toldOf(again, kept).length + 1);
    again.cut();
  }
});

test('200: a position that is too old, or of another database, is answered with a reset', async () => {
  const opened = await begun();
  const id = lastId(opened);
  opened.cut();
  const [xmin, at] = id.split('-').map(Number) as [number, number];
  const past = `${xmin}-${at - 3_400}`;
  const ahead = `${xmin + 1_000_000}-${at}`;
  // The clock was set back since: notes of now are deleted before such a position is too old.
  const future = `${xmin}-${at + 400}`;
  for (const each of [past, ahead, future]) {
    const reader = await begun(path, each);
    assert.deepEqual([reader.frames[0]?.event, reader.frames[0]?.data], ['reset', {}]);
    reader.cut();
  }
});

test('200: changes of a transaction that commits seconds later are sent after what came between', async () => {
  const [late, soon] = [await fixtures.task(project, owner), await fixtures.task(project, owner)];
  const opened = await begun();
  await toldAll(opened);
  const before = toldOf(opened, late).length;
  let commit = () => {};
  const waits = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const slow = db.transaction(async (tx) => {
    await tx.many(sql`update task set title = 'Late' where id = ${late}`);
    await waits;
  });
  for (const n of [1, 2, 3]) {
    await rename(soon, `Soon ${n}`);
    await toldTimes(opened, soon, n);
  }
  assert.equal(toldOf(opened, late).length, before);
  commit();
  await slow;
  await toldTimes(opened, late, before + 1);
  // A reader that continues before it finds it as well.
  const again = await stream(path, opened.frames[0]?.id);
  await toldTimes(again, late, 1);
  for (const each of [opened, again]) each.cut();
});

test('race: a reader that is cut again and again misses no change of eight writers', async () => {
  const tasks = await Promise.all(Array.from({ length: 8 }, () => fixtures.task(project, owner)));
  const told = new Map<string, string>();
  let opened = await begun();
  let id = lastId(opened);
  let over = false;
  const reading = (async () => {
    for (let last = false; !last; ) {
      // Once more after the last of them.
      last = over;
      await (last ? toldAll(opened) : pause(130));
      opened.cut();
      for (const frame of opened.frames) {
        assert.notEqual(frame.event === 'reset' && frame !== opened.frames[0], true);
        id = frame.id;
        const { task_id, updated_at } = frame.data;
        if (task_id !== undefined) told.set(task_id, updated_at);
      }
      opened = await stream(path, id);
      assert.equal(opened.status, 200);
    }
  })();
  await Promise.all(
    tasks.map(async (task, n) => {
      for (let i = 0; i < 30; i++) {
        await db.transaction(async (tx) => {
          await tx.many(sql`update task set title = ${`${n} ${i}`} where id = ${task}`);
          await pause(Math.random() * 200);
        });
      }
    }),
  );
  over = true;
  await reading;
  opened.cut();
  const rows = await db.many<{ id: string; updated_at: Date }>(sql`
    select id, date_trunc('milliseconds', updated_at) as updated_at
      from task where id = any(${tasks})`);
  for (const { id: task, updated_at } of rows)
    assert.equal(told.get(task), updated_at.toISOString(), 'its last change was told');
});

test('200: a project that is archived or deleted is a reset for whoever reads of it, and for no one else', async () => {
  for (const end of [
    (id: string) => db.many(sql`update project set archived_at = now() where id = ${id}`),
    (id: string) => db.many(sql`delete from project where id = ${id}`),
  ]) {
    const ending = await fixtures.project({ organizationId: workspace });
    const task = await fixtures.task(ending, owner);
    const all = await begun();
    const one = await begun(`${path}?project_id=${project}`);
    await end(ending);
    await until('a reset', () => resets(all) > 1);
    await toldAll(one);
    // Both the poll of changes and the check of rights may have sent it.
    assert.ok([2, 3].includes(resets(all)), String(resets(all)));
    assert.equal(resets(one), 1);
    assert.deepEqual(toldOf(one, task), []);
    for (const each of [all, one]) each.cut();
  }
});

test('200: without a stream, what follows a position, each task once, and nothing without one', async () => {
  assert.deepEqual((await request('GET', path, { key })).body, []);
  await longAgo();
  const opened = await begun();
  const after = lastId(opened);
  opened.cut();
  const task = await fixtures.task(project, owner);
  for (const n of [1, 2]) await rename(task, `Title ${n}`);
  const { body } = await request('GET', `${path}?after=${after}`, { key });
  const found = body.filter(({ task_id }: { task_id: string }) => task_id === task);
  assert.deepEqual(
    found.map(({ project_id }: { project_id: string }) => project_id),
    [project],
  );
  const { body: same } = await request('GET', path, { key, headers: { 'last-event-id': after } });
  assert.deepEqual(same.length, body.length);
  const { body: none } = await request('GET', `${path}?after=${after}`, { key: stranger.key });
  assert.deepEqual(none, []);
});

test('200: without a stream, each answer says where the next one continues, and no change is missed', async () => {
  await longAgo();
  const asked = async (after: string | undefined) => {
    const { status, body, headers } = await request(
      'GET',
      after === undefined ? path : `${path}?after=${after}`,
      { key },
    );
    assert.equal(status, 200, JSON.stringify(body));
    return { told: body as { task_id: string }[], after: headers.get('last-event-id') ?? '' };
  };
  const begins = await asked(undefined);
  assert.deepEqual(begins.told, []);
  const task = await fixtures.task(project, owner);
  const has = ({ told }: { told: { task_id: string }[] }) =>
    told.some(({ task_id }) => task_id === task);
  const first = await asked(begins.after);
  assert.equal(has(first), true);
  // One that commits after an answer which it was too late for.
  let late: { after: string } = first;
  await db.transaction(async (tx) => {
    await tx.many(sql`update task set title = 'Late' where id = ${task}`);
    late = await asked(first.after);
  });
  assert.equal(has(await asked(late.after)), true);
  await until('it is not told any more', async () => {
    late = await asked(late.after);
    return !has(late as never);
  });
  // A stream may continue there, too.
  const opened = await stream(`${path}?after=${late.after}`);
  await rename(task, 'Once more');
  await toldTimes(opened, task, 1);
  assert.equal(resets(opened), 0);
  opened.cut();
});

/** What changes which projects a person can open while their stream is away. */
const MEANWHILE: Record<string, (who: { id: string; in: string }) => Promise<unknown>> = {
  'was removed from a workspace': (who) => fixtures.removeMember(workspace, who.id),
  'joined another workspace': async (who) =>
    fixtures.member(await fixtures.workspace(owner), who as never, 'viewer'),
  'got a role on a project of another workspace': async (who) => {
    const elsewhere = await fixtures.workspace(owner);
    const granted = await fixtures.project({ organizationId: elsewhere });
    return fixtures.grant(granted, who as never, 'viewer');
  },
  'could open a project that was deleted': (who) =>
    db.many(sql`delete from project where id = ${who.in}`),
};

for (const [what, happens] of Object.entries(MEANWHILE))
  test(`200: a reader who ${what} since its position gets a reset`, async () => {
    const deletable = await fixtures.project({ organizationId: workspace });
    const person = await fixtures.user();
    await fixtures.member(workspace, person, 'viewer');
    await longAgo();
    const opened = await begun(path, undefined, person);
    const id = lastId(opened);
    opened.cut();
    const same = await stream(path, id, person);
    await pause(300);
    assert.equal(resets(same), 0);
    same.cut();
    await happens({ ...person, in: deletable });
    const again = await stream(path, id, person);
    assert.equal((await again.until(1))[0]?.event, 'reset');
    again.cut();
  });

test('401, 403, 404: without a key, and of a project that the caller cannot open', async () => {
  for (const accept of ['application/json', 'text/event-stream']) {
    const ask = async (at: string, by: object) => {
      const reply = await unchanged(() => request('GET', at, { headers: { accept }, ...by }));
      return [reply.status, reply.body.code];
    };
    const one = `${path}?project_id=${project}`;
    assert.deepEqual(await ask(path, {}), [401, 'not_authenticated']);
    assert.deepEqual(await ask(one, { key: stranger.key }), [403, 'forbidden']);
    assert.deepEqual(await ask(`${path}?project_id=${randomUUID()}`, { key }), [404, 'not_found']);
  }
});

test('409: without a stream, a position from which not everything is known', async () => {
  const opened = await begun();
  const [xmin, at] = lastId(opened).split('-').map(Number) as [number, number];
  opened.cut();
  for (const each of [`${xmin}-${at - 3_400}`, `${xmin}-${at + 400}`, '0-99999999999']) {
    const reply = await unchanged(() => request('GET', `${path}?after=${each}`, { key }));
    assert.deepEqual([reply.status, reply.body.code], [409, 'changes_not_kept'], each);
  }
});

test('422: a position or a Last-Event-ID that is none', async () => {
  for (const id of ['x', '12', '1-', '-1-2', '1-2-3', `${'1'.repeat(19)}-1`]) {
    const after = await request('GET', `${path}?after=${id}`, { key });
    assert.deepEqual([after.status, after.body.detail[0].loc], [422, ['query', 'after']], id);
    const header = await request('GET', path, { key, headers: { 'last-event-id': id } });
    assert.deepEqual(
      [header.status, header.body.detail[0].loc],
      [422, ['header', 'Last-Event-ID']],
    );
  }
  const empty = await stream(path, '');
  assert.equal((await empty.until(1))[0]?.event, 'reset');
  empty.cut();
});

test('429: they count with the streams of one user, and a refused one is not polled for', async () => {
  const viewer = await fixtures.user();
  await fixtures.member(workspace, viewer, 'viewer');
  const task = await fixtures.task(project, owner);
  const open: Opened[] = [];
  // Not all at once: a server that has not read a request for ten seconds answers 408.
  for (let i = 0; i < 100; i++)
    open.push(
      ...(await Promise.all([
        stream(path, undefined, viewer),
        openStream<string>(`${url}/api/tasks/${task}/events`, viewer),
      ])),
    );
  assert.deepEqual([...new Set(open.map(({ status }) => status))], [200]);
  const refused = await request('GET', path, {
    key: viewer.key,
    headers: { accept: 'text/event-stream' },
  });
  assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_streams']);
  for (const each of open) each.cut();
  for (let i = 0; ; i++) {
    const next = await stream(path, undefined, viewer);
    next.cut();
    if (next.status === 200) break;
    await pause(20 + i);
  }
});

test('one statement a second for all streams of a process, and none while there is no stream', async () => {
  const open = await Promise.all(Array.from({ length: 50 }, () => begun()));
  const began = performance.now();
  const before = polls.length;
  await pause(3_000);
  const asked = polls.length - before;
  const most = Math.ceil((performance.now() - began) / 1_000) + 1;
  assert.ok(asked >= 2 && asked <= most, `${asked} polls of at most ${most}`);
  for (const each of open) each.cut();
  await until('none is open', async () => {
    const counts = [await openAt(harness), await openAt(other)];
    return counts.every((count) => count === 0);
  });
  const idle = polls.length;
  await pause(2_500);
  assert.equal(polls.length, idle);
});

test('shutdown ends streams with the time to come back', async () => {
  const opened = await begun();
  await shutdown();
  await opened.ended;
  assert.match(opened.text(), /\nretry: 1000\n\n$/);
});
