import { randomUUID } from 'node:crypto';
import { after, afterEach } from 'node:test';
import { pino } from 'pino';
import { sql } from '../db/sql.ts';
import type { StorePlan } from '../runner/worker/end-turn.ts';
import type { WorkerOptions } from '../runner/worker/options.ts';
import type { TurnRunner } from '../runner/worker/runner.ts';
import { taskWorker } from '../runner/worker/worker.ts';
import { openEventLog } from '../tasks/events/open-event-log.ts';
import type { Harness } from './harness.ts';
import { until } from './until.ts';

/** For tests of workers: tasks with turns, and workers whose agents are scripts. */
export function workersOn({ db, databaseUrl, fixtures }: Harness) {
  const events = openEventLog({ urls: [databaseUrl] });
  const workers: ReturnType<typeof taskWorker>[] = [];
  // So that the workers of the next test find its own turns only.
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    await db.transaction(async (tx) => {
      await tx.many(sql`update task set status = 'cancelled', status_reason = null
                        where status <> 'cancelled'`);
      await tx.many(sql`
        update task_turn
           set state = 'cancelled', owner = null, lease_until = null, ended_at = now()
         where state not in ('done', 'failed', 'cancelled')`);
      await tx.many(sql`update task_turn set published_at = now() where published_at is null`);
    });
  });
  after(events.close);

  /** A task in a funded workspace, and its owner. */
  async function task(options: { balance?: string } = {}) {
    const owner = await fixtures.user();
    const workspace = await fixtures.workspace(owner, { balance: options.balance ?? '100.00' });
    const id = await fixtures.task(await fixtures.project({ organizationId: workspace }), owner);
    return { id, owner, workspace };
  }

  /** Queues a turn as an operation does. Returns its id. */
  const queue = async (
    taskId: string,
    kind: 'plan' | 'prompt' = 'plan',
    prompt = 'Do it',
    by?: { id: string },
  ) =>
    (
      await db.one<{ id: string }>(sql`
        with numbered as (
          update task set last_turn = last_turn + 1, status = 'queued', status_reason = null
           where id = ${taskId} returning last_turn)
        insert into task_turn (task_id, number, kind, source, prompt, requested_by_user_id)
        select ${taskId}, last_turn, ${kind}, ${`test:${randomUUID()}`}, ${prompt}, ${by?.id ?? null}
          from numbered
        returning id`)
    ).id;

  const storePlan: StorePlan = async (tx, { taskId, text }) => {
    const plan = await tx.maybeOne<{ version: number }>(sql`
      select version from plan where task_id = ${taskId} for update`);
    const version = (plan?.version ?? 0) + 1;
    await tx.many(sql`
      insert into plan_revision (task_id, version, body) values (${taskId}, ${version}, ${text})`);
    await tx.many(
      plan === undefined
        ? sql`insert into plan (task_id, version) values (${taskId}, ${version})`
        : sql`update plan set version = ${version} where task_id = ${taskId}`,
    );
  };

  function worker(
    run: TurnRunner['run'],
    options: Omit<Partial<WorkerOptions>, 'events'> & { database?: Harness['db'] } = {},
  ) {
    const { database = db, times, ...others } = options;
    const started = taskWorker(database, {
      owner: `test-${randomUUID()}`,
      runner: { run },
      events,
      storePlan,
      planFault: () => undefined,
      log: pino({ level: 'silent' }),
      places: 4,
      ...others,
      times: {
        poll: 25,
        beat: 100,
        lease: 1_500,
        silence: 1_000,
        drain: 100,
        stop: 500,
        funds: 100,
        changes: 100,
        ...times,
      },
    });
    workers.push(started);
    started.start();
    return started;
  }

  const turn = (id: string) =>
    db.one<{ state: string; attempt: number; losses: number; error: string | null }>(sql`
      select state, attempt, losses, error from task_turn where id = ${id}`);
  const status = (taskId: string) =>
    db.one<{ status: string; reason: string | null }>(sql`
      select status, status_reason as reason from task where id = ${taskId}`);

  return {
    events,
    task,
    queue,
    worker,
    turn,
    status,
    /** The types of a task's events, in order. */
    eventsOf: async (taskId: string) =>
      (await events.read(taskId, 0, 1_000)).map(({ type, payload }) => ({
        type,
        ...JSON.parse(payload),
      })),
    /** Waits until the turn has this state. */
    untilTurn: (id: string, state: string) =>
      until(`turn ${state}`, async () => (await turn(id)).state === state),
    /** Waits until the end of a turn is published as an event: its worker writes nothing more. */
    untilPublished: (id: string) =>
      until('end published', async () => {
        const { published } = await db.one<{ published: boolean }>(sql`
          select published_at is not null as published from task_turn where id = ${id}`);
        return published;
      }),
    untilStatus: (taskId: string, wanted: string) =>
      until(`task ${wanted}`, async () => (await status(taskId)).status === wanted),
  };
}
