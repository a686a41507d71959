import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Registry } from 'prom-client';
import { openDatabase } from '../db/database/database.ts';
import { openEventLog } from '../tasks/events/open-event-log.ts';
import { serveMetrics } from '../telemetry/metrics.ts';
import { cloneDatabase } from '../testing/database/database.ts';
import { startProxy } from '../testing/database/proxy.ts';
import { workerHealth } from './worker-health.ts';

const clone = await cloneDatabase();
const [core, events] = [await startProxy(clone.url), await startProxy(clone.url)];
const db = openDatabase({ url: core.url });
const log = openEventLog({ url: events.url });
let draining = false;
let fault: string | undefined;

/** What this version of the program would answer. */
const serve = (migration: string) =>
  serveMetrics(
    new Registry(),
    { host: '127.0.0.1', port: 0 },
    workerHealth({ db, log, migration, draining: () => draining, fault: () => fault }),
  );
const served = await serve('0001-schema.sql');
after(async () => {
  await served.close();
  await Promise.all([db.close(), log.close()]);
  await Promise.all([core.close(), events.close()]);
  await clone.drop();
});

async function ask(path: string, { url } = served): Promise<[number, string]> {
  const answer = await fetch(new URL(path, url));
  const { status, detail } = (await answer.json()) as { status?: string; detail?: string };
  return [answer.status, status ?? detail ?? ''];
}

test('it is ready while its databases answer, and alive whatever they do', async () => {
  assert.deepEqual(await ask('/readyz'), [200, 'ok']);
  core.cut();
  assert.deepEqual(await ask('/readyz'), [503, 'The database does not answer']);
  assert.deepEqual(await ask('/livez'), [200, 'ok']);
  core.mend();
  events.cut();
  assert.deepEqual(await ask('/readyz'), [
    503,
    'The database with the events of tasks does not answer',
  ]);
  events.mend();
  assert.deepEqual(await ask('/readyz'), [200, 'ok']);
});

test('it is not ready while no pods can be made', async () => {
  fault = 'The container engine does not answer.';
  assert.deepEqual(await ask('/readyz'), [503, 'No tasks can be carried out: its log says why']);
  fault = undefined;
  assert.deepEqual(await ask('/readyz'), [200, 'ok']);
});

test('a database without the migrations of this version is not one to work on', async () => {
  const newer = await serve('9999-of-a-later-version.sql');
  const [status, detail] = await ask('/readyz', newer);
  assert.equal(status, 503);
  assert.match(detail, /run `guildhall migrate`/);
  await newer.close();
});

test('it is not ready from the signal on, and other paths and methods are not found', async () => {
  draining = true;
  assert.deepEqual(await ask('/readyz'), [503, 'This process is shutting down']);
  assert.deepEqual(await ask('/livez'), [200, 'ok']);
  const unknown = await fetch(new URL('/toString', served.url));
  assert.equal(unknown.status, 404);
  assert.equal(await unknown.text(), 'GET /metrics\nGET /livez\nGET /readyz\n');
  assert.equal((await fetch(new URL('/readyz', served.url), { method: 'POST' })).status, 404);
});
