import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { sql } from '../db/sql.ts';
import { openEventLog } from '../events/open-event-log.ts';
import type { StorePlan } from '../worker/end-turn.ts';
import type { TurnRunner } from '../worker/runner.ts';
import { taskWorker, type WorkerOptions } from '../worker/worker.ts';
import type { Harness } from './harness.ts';

/** For tests of workers: tasks with turns, and workers whose agents are scripts. */
export function workersOn({ db, databaseUrl, fixtures }: Harness) {
  const events = openEventLog({ urls: [databaseUrl] });
  const workers: ReturnType<typeof taskWorker>[] = [];
  const closeWorkers = async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
  };
  // So that a test that failed leaves none to the next.
  afterEach(closeWorkers);
  after(events.close);

  /** A task in a funded workspace, and its owner. */
  async function task(options: { balance?: string } = {}) {
    const owner = await fixtures.user();
    const workspace = await fixtures.workspace(owner, { balance: options.balance ?? '100.00' });
    const id = await fixtures.task(await fixtures.project({ organizationId: workspace }), owner);
    return { id, owner, workspace };
  }

  /** Queues a turn as an operation does. Returns its id. */
  const queue = async (taskId: string, kind: 'plan' | 'prompt' = 'plan', prompt = 'Do it') =>
    (
      await db.one<{ id: string }>(sql`
        with numbered as (
          update task set last_turn = last_turn + 1, status = 'queued', status_reason = null
           where id = ${taskId} returning last_turn)
        insert into task_turn (task_id, number, kind, source, prompt)
        select ${taskId}, last_turn, ${kind}, ${`test:${randomUUID()}`}, ${prompt} from numbered
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
        look: 25,
        beat: 100,
        lease: 1_500,
        silence: 1_000,
        drain: 100,
        stop: 500,
        funds: 100,
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
    told: async (taskId: string) =>
      (await events.read(taskId, 0, 1_000)).map(({ type, payload }) => ({
        type,
        ...JSON.parse(payload),
      })),
    /** Waits until the turn has this state. */
    untilTurn: (id: string, state: string) =>
      until(`turn ${state}`, async () => (await turn(id)).state === state),
    /** Waits until a turn that has ended is told as an event: its worker writes nothing more. */
    untilTold: (id: string) =>
      until('turn told', async () => {
        const { told } = await db.one<{ told: boolean }>(sql`
          select told_at is not null as told from task_turn where id = ${id}`);
        return told;
      }),
    untilStatus: (taskId: string, wanted: string) =>
      until(`task ${wanted}`, async () => (await status(taskId)).status === wanted),
  };
}

/** Waits until it holds, at most ten seconds. */
export async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!(await holds())) {
    assert.ok(performance.now() < end, `waited in vain: ${what}`);
    await pause(20);
  }
}
