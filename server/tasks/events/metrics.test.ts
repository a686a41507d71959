import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Registry } from 'prom-client';
import { openStream } from '../../testing/clients/event-reader.ts';
import { startProxy } from '../../testing/database/proxy.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { seriesOf } from '../../testing/harness/metrics.ts';
import { until } from '../../testing/harness/until.ts';
import { measureEventDatabase } from './metrics.ts';
import { openEventLog } from './open-event-log.ts';

const { url, databaseUrl, events, fixtures, metrics } = await startHarness({ own: true });
const owner = await fixtures.user();
const project = await fixtures.project({ organizationId: await fixtures.workspace(owner) });
const value = async (name: string, labels = '') =>
  (await seriesOf(metrics, `guildhall_${name}`))[labels];

/** A task whose events this process appends. */
async function newTask() {
  const task = await fixtures.task(project, owner);
  await events.log.acquire(task, 1n, 'worker');
  const append = (count: number) =>
    events.log.append(
      task,
      1n,
      Array.from({ length: count }, (_, n) => ({ type: 'notice', payload: { n } })),
    );
  return { task, append, path: `${url}/api/tasks/${task}/events` };
}

test('appends are timed, and the events of each statement are counted', async () => {
  const [one, two] = [await newTask(), await newTask()];
  await Promise.all([one.append(3), one.append(1), two.append(2)]);
  assert.equal(await value('event_append_duration_seconds_count'), 3);
  assert.equal(await value('event_append_batch_events_sum'), 6);
});

test('streams are counted while they are open and when they end, and delivery is timed once a process', async () => {
  const { append, path } = await newTask();
  const streams = [await openStream(path, owner), await openStream(path, owner)];
  assert.equal(await value('event_streams'), 2);
  await append(5);
  await Promise.all(streams.map((stream) => stream.until(5)));
  assert.equal(await value('event_delivery_duration_seconds_count'), 5);
  assert.ok(((await value('event_delivery_duration_seconds_sum')) as number) < 5 * 10);
  for (const stream of streams) stream.cut();
  await until('both have ended', async () => (await value('event_streams')) === 0);
  assert.equal(await value('event_streams_ended_total', '{reason="closed"}'), 2);
  assert.equal(await value('event_streams_ended_total', '{reason="slow"}'), 0);
});

test('what retention deletes is counted, and who asks for it', async () => {
  const { task, append, path } = await newTask();
  await append(4);
  await events.log.forget([{ taskId: task, lastSeq: 3 }]);
  assert.equal(await value('events_removed_total'), 3);
  // Another process has no ring that still holds them.
  const stream = await openStream(path, { key: owner.key, lastEventId: 1 });
  const [reset] = await stream.until(1);
  assert.equal(reset?.event, 'reset');
  assert.equal(await value('event_stream_resets_total'), 1);
  stream.cut();
});

test('whether the database of the log answers is measured', async () => {
  const proxy = await startProxy(databaseUrl);
  const log = openEventLog({ url: proxy.url });
  after(() => Promise.all([log.close(), proxy.close()]));
  const registry = new Registry();
  measureEventDatabase(registry, log);
  const up = () => seriesOf(registry, 'guildhall_event_database_up');
  assert.deepEqual(await up(), { '': 1 });
  proxy.cut();
  assert.deepEqual(await up(), { '': 0 });
  proxy.mend();
  assert.deepEqual(await up(), { '': 1 });
});
