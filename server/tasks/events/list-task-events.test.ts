import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openStream } from '../../testing/clients/event-reader.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { seriesOf } from '../../testing/harness/metrics.ts';
import { until } from '../../testing/harness/until.ts';
import { openTaskEvents } from './task-events.ts';

const harness = await startHarness({ own: true });
const { url, databaseUrl, events, fixtures, metrics, request, shutdown, unchanged } = harness;
const other = openTaskEvents({ url: databaseUrl });
const owner = await fixtures.user();
const stranger = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const project = await fixtures.project({ organizationId: workspace });
const { key } = owner;

/** A task with this many events, which this process (or another one) appends. */
async function taskWith(count: number, { log } = events) {
  const task = await fixtures.task(project, owner);
  await log.acquire(task, 1n, 'worker');
  const append = (numbers: number[]) =>
    log.append(
      task,
      1n,
      numbers.map((n) => ({ type: 'message', payload: { n } })),
    );
  if (count > 0) await append(Array.from({ length: count }, (_, i) => i + 1));
  const path = `/api/tasks/${task}/events`;
  return {
    task,
    path,
    append,
    forget: (lastSeq: number) => log.forget([{ taskId: task, lastSeq }]),
  };
}

const stream = (path: string, lastEventId?: number | string) =>
  openStream(`${url}${path}`, { key, ...(lastEventId === undefined ? {} : { lastEventId }) });
/** Waits until so many streams and long polls are open. */
const untilOpen = (count: number) =>
  until(`${count} are open`, async () => {
    const open = await seriesOf(metrics, 'guildhall_event_streams');
    return open[''] === count;
  });
// biome-ignore lint/suspicious/noExplicitAny: of events as a test received them.
const seqs = (list: any[]) => list.map(({ seq, id }) => seq ?? id);

test('200: pages of events, oldest first, each with the link to the next while it is full', async () => {
  const { path, task } = await taskWith(0);
  assert.deepEqual((await request('GET', path, { key })).body, []);
  const turnId = randomUUID();
  await events.log.append(task, 1n, [
    { type: 'turn_started', payload: { kind: 'plan' }, turnId },
    { type: 'message', payload: 'a "text"\n' },
    { type: 'turn_ended', payload: null, turnId },
  ]);
  const first = await request('GET', `${path}?limit=2`, { key });
  const [event] = first.body;
  assert.deepEqual(event, {
    seq: 1,
    type: 'turn_started',
    turn_id: turnId,
    created_at: event.created_at,
    payload: { kind: 'plan' },
  });
  assert.match(event.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(first.body[1].payload, 'a "text"\n');
  const [, next = ''] = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
  const second = await request('GET', next, { key });
  assert.deepEqual([seqs(second.body), second.headers.get('link')], [[3], null]);
});

test('200: a page waits for the first event after it, of this process or another, and not for longer', async () => {
  for (const writer of [events, other]) {
    const { path, append } = await taskWith(1, writer);
    const waiting = request('GET', `${path}?after=1&wait=20`, { key });
    await pause(300);
    await append([2, 3]);
    assert.deepEqual(seqs((await waiting).body), [2, 3]);
  }
  const { path } = await taskWith(1);
  const began = performance.now();
  assert.deepEqual((await request('GET', `${path}?after=1&wait=1`, { key })).body, []);
  assert.ok(performance.now() - began >= 990);
});

test('200: a stream sends what is there and then what comes, from this process or another', async () => {
  for (const writer of [events, other]) {
    const { path, append } = await taskWith(300, writer);
    const streams = await Promise.all([stream(path), stream(path), stream(`${path}?after=298`)]);
    await streams[0]?.until(300);
    await append([301, 302]);
    await append([303]);
    const all = Array.from({ length: 303 }, (_, i) => i + 1);
    for (const [index, each] of streams.entries()) {
      const expected = index === 2 ? all.slice(298) : all;
      const frames = await each.until(expected.length);
      assert.deepEqual(seqs(frames), expected);
      for (const { id, event, data } of frames)
        assert.deepEqual([data.seq, data.type, data.payload], [id, event, { n: id }]);
      each.cut();
    }
  }
});

test('200: a stream continues after Last-Event-ID, which takes precedence over the query', async () => {
  const { path, append } = await taskWith(5);
  const resumed = await stream(`${path}?after=1`, 4);
  await append([6]);
  assert.deepEqual(seqs(await resumed.until(2)), [5, 6]);
  resumed.cut();
});

test('200: a stream of deleted events begins with a reset to the first that is there', async () => {
  const { path, forget } = await taskWith(10);
  await forget(6);
  const [below, within] = [await stream(path, 3), await stream(path, 6)];
  const [reset, ...rest] = await below.until(5);
  assert.deepEqual(reset, { id: 6, event: 'reset', data: { first_seq: 7 } });
  assert.deepEqual(seqs(rest), [7, 8, 9, 10]);
  assert.deepEqual(seqs(await within.until(4)), [7, 8, 9, 10]);
  assert.deepEqual(seqs((await request('GET', path, { key })).body), [7, 8, 9, 10]);
  for (const each of [below, within]) each.cut();

  const gone = await taskWith(10);
  await gone.forget(10);
  const empty = await stream(gone.path, 8);
  assert.deepEqual(seqs(await empty.until(1)), [10]);
  await gone.append([11]);
  assert.deepEqual(seqs(await empty.until(2)), [10, 11]);
  empty.cut();
});

test('401, 403, 404: as for every operation on a task', async () => {
  const { path } = await taskWith(1);
  for (const accept of ['application/json', 'text/event-stream']) {
    const ask = async (with_: object, at = path) =>
      (await request('GET', at, { headers: { accept }, ...with_ })).status;
    assert.equal(await ask({}), 401);
    assert.equal(await ask({ key: stranger.key }), 403);
    assert.equal(await ask({ key }, `/api/tasks/${randomUUID()}/events`), 404);
  }
});

test('409: an event that is not there yet, in a page and a stream', async () => {
  const { path } = await taskWith(2);
  for (const headers of [{}, { accept: 'text/event-stream' }]) {
    const reply = await unchanged(() => request('GET', `${path}?after=3`, { key, headers }));
    assert.deepEqual([reply.status, reply.body.code], [409, 'event_ahead']);
  }
  assert.equal((await request('GET', `${path}?after=2`, { key })).status, 200);
});

test('422: a Last-Event-ID that is no number', async () => {
  const { path } = await taskWith(1);
  for (const id of ['x', '-1', '1.5', '1'.repeat(16)]) {
    const reply = await request('GET', path, { key, headers: { 'last-event-id': id } });
    assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, ['header', 'Last-Event-ID']]);
  }
});

test('429: the streams and long polls of one user have a limit', async () => {
  const { path, append } = await taskWith(1);
  const viewer = await fixtures.user();
  await fixtures.member(workspace, viewer, 'viewer');
  const { key } = viewer;
  await untilOpen(0);
  const stream = (at: string) => openStream(`${url}${at}`, { key });
  const open = [];
  // Not all at once: a server that has not read a request for ten seconds answers 408.
  for (let i = 0; i < 199; i++) open.push(await stream(path));
  const waiting = request('GET', `${path}?after=1&wait=25`, { key });
  await untilOpen(200);
  const refused = await request('GET', path, { key, headers: { accept: 'text/event-stream' } });
  assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_streams']);
  await append([2]);
  assert.deepEqual(seqs((await waiting).body), [2]);
  for (const each of open) each.cut();
  await untilOpen(0);
  const next = await stream(path);
  assert.equal(next.status, 200);
  next.cut();
});

test('shutdown ends streams with the time to come back, and long polls with what there is', async () => {
  const { path } = await taskWith(1);
  await untilOpen(0);
  const open = await stream(path);
  const waiting = request('GET', `${path}?after=1&wait=25`, { key });
  await open.until(1);
  await untilOpen(2);
  const began = performance.now();
  await shutdown();
  await open.ended;
  assert.match(open.text(), /\nretry: 1000\n\n$/);
  assert.deepEqual((await waiting).body, []);
  assert.ok(performance.now() - began < 5_000);
  await other.close();
});
