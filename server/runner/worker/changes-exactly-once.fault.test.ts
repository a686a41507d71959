import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../db/sql.ts';
import { openEventLog } from '../../tasks/events/open-event-log.ts';
import { EventLogReader } from '../../testing/clients/http-event-reader.ts';
import { temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { startProgram } from '../../testing/processes/start-program.ts';
import { publishIdle } from './publish-changes.ts';

/**
 * What happens to the code of a task is appended to its events once and in order, although the
 * processes that publish it are killed with SIGKILL and several of them do it at once.
 */

const { db, databaseUrl, fixtures, url } = await startHarness({ own: true });
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const events = openEventLog({ url: databaseUrl });
after(() => events.close());

const shaOf = (n: number) => String(n).padStart(40, '0');

/** A task with a pull request; `move` gives it its next commit, which is one event. */
async function offeredTask() {
  const project = await fixtures.project({ organizationId: workspace });
  const id = await fixtures.task(project, owner);
  await db.many(sql`
    insert into pull_request
           (task_id, repository_id, number, base, title, body, opened_by_user_id, head_sha)
    select ${id}, r.id, 1, 'main', 'Work', '', ${owner.id}, ${shaOf(1)}
      from repository r where r.project_id = ${project}`);
  let moved = 1;
  const move = async () => {
    moved++;
    await db.many(sql`
      update pull_request set head_sha = ${shaOf(moved)} where task_id = ${id}`);
  };
  return { id, move, moved: () => moved };
}

/** The commits among the events of a task. */
const headsOf = async (taskId: string): Promise<string[]> =>
  (await events.read(taskId, 0, 10_000)).map(({ payload }) => JSON.parse(payload).head_sha);

const commits = (count: number) => Array.from({ length: count }, (_, i) => shaOf(i + 1));
const waiting = async () =>
  (await db.one<{ count: number }>(sql`select count(*)::int as count from task_event_outbox`))
    .count;
const onFailure = (error: unknown) => assert.fail(error as Error);

async function startPublisher(order: object) {
  const child = startProgram('publisher-process.ts', [], { DATABASE_URL: databaseUrl });
  after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  child.stdin.write(`${JSON.stringify(order)}\n`);
  return { child, exited };
}

test('killed before each of its steps, a publisher leaves to the next what is missing, and no more', async () => {
  const folder = await temporaryFolder();
  const task = await offeredTask();
  const publish = async (dieAt?: number) => {
    const { exited } = await startPublisher({ folder, dieAt });
    assert.deepEqual(await exited, [null, 'SIGKILL']);
  };
  await publish();
  const steps = (await readFile(join(folder, 'steps'), 'utf8')).trim().split('\n');
  assert.ok(steps.length >= 7, 'the outbox, the fence, the log');
  for (let step = 1; step <= steps.length + 1; step++) {
    await task.move();
    await task.move();
    await publish(step);
    // What happens meanwhile comes after it.
    await task.move();
    await db.many(sql`update task_event_outbox set not_before = now()`);
    await publishIdle(db, events, { owner: randomUUID(), onFailure });
    assert.equal(await waiting(), 0);
    assert.deepEqual(await headsOf(task.id), commits(task.moved()), `step ${step}`);
  }
});

test('several processes at once, some of which are killed, append each change once, in order', async () => {
  const tasks = await Promise.all(Array.from({ length: 6 }, offeredTask));
  const readers = tasks
    .slice(0, 2)
    .map(({ id }) => new EventLogReader({ urls: [url], taskId: id, key: owner.key, slow: false }));
  let over = false;
  after(() => {
    over = true;
  });
  const reading = readers.map((reader) => reader.read(() => over));
  let publishers = await Promise.all([1, 2, 3].map(() => startPublisher({ again: true })));
  for (let round = 0; round < 4; round++) {
    const [killed, ...others] = publishers;
    const next = startPublisher({ again: true });
    await Promise.all(
      tasks.map(async ({ move }) => {
        for (let n = 0; n < 25; n++) {
          await move();
          await pause(Math.random() * 10);
        }
      }),
    );
    killed?.child.kill('SIGKILL');
    publishers = [...others, await next];
  }
  await until('everything is published', async () => (await waiting()) === 0, 60_000);
  for (const { id, moved } of tasks) assert.deepEqual(await headsOf(id), commits(moved()));
  for (const { child } of publishers) child.kill('SIGKILL');
  const all = (reader: EventLogReader) => reader.payloads.length === 101 || reader.fault;
  await until('the readers have them', async () => readers.every(all), 60_000);
  over = true;
  await Promise.all(reading);
  assert.deepEqual(
    readers.map(({ fault }) => fault),
    [undefined, undefined],
  );
});
