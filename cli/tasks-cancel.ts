import { setTimeout as pause } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { lockTask } from '../server/access/task.ts';
import type { Database } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { cancelWork } from '../server/tasks/cancel-work.ts';
import { type Cli, withDatabase, withJson } from './command.ts';
import { Failure } from './failure.ts';
import { recordFromCli } from './record.ts';
import { readTaskRef, type TaskRef, taskIdOf, unknownTask } from './task-ref.ts';

const WAIT_S = 30;
const POLL_EVERY_MS = 200;

/** `guildhall tasks cancel`: as the operation does, and then waits until the agent has ended. */
export function addCancel(tasks: Command, cli: Cli): void {
  withJson(tasks.command('cancel'))
    .description('cancel what a task does and was to do, and wait until its agent has ended')
    .argument('<task>', 'its id, or how that begins', readTaskRef)
    .option('--wait <seconds>', 'how long to wait for the agent, up to 600', readSeconds, WAIT_S)
    .addHelpText(
      'after',
      `
Exit status: 0 once the task is cancelled; 1 if there was nothing to cancel, if its turn ended by
itself first, or if the agent has not ended in time.`,
    )
    .action(async (ref: TaskRef, { json, wait }: { json?: boolean; wait: number }) => {
      await withDatabase(cli.readConfig(), async (db) => {
        const id = await taskIdOf(db, ref);
        await cancel(db, id);
        const status = await ended(db, id, wait);
        if (status !== 'cancelled')
          throw new Failure(`The task ended before it was cancelled. Its status is ${status}.`);
        cli.print(json, { id, status }, 'Cancelled.');
      });
    });
}

const cancel = (db: Database, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    if ((await tx.maybeOne(lockTask(id))) === undefined) throw unknownTask(id);
    const { before, cancelled, running } = await cancelWork(tx, id);
    if (!cancelled)
      throw new Failure(`Nothing of this task runs or waits to run. Its status is ${before}.`);
    const { projectId, organizationId } = await tx.one<{
      projectId: string;
      organizationId: string | null;
    }>(sql`
      select p.id as "projectId", p.organization_id as "organizationId"
        from task t join project p on p.id = t.project_id where t.id = ${id}`);
    await recordFromCli(tx, {
      action: 'task.cancel',
      target: id,
      projectId,
      ...(organizationId === null ? {} : { organizationId }),
      before: { status: before },
      after: running ? {} : { status: 'cancelled' },
    });
  });

/** Waits until no turn runs. Returns the status of the task. */
async function ended(db: Database, id: string, seconds: number): Promise<string> {
  const until = performance.now() + seconds * 1_000;
  for (;;) {
    const [task] = await db.read<{ status: string; running: boolean }>(sql`
      select status, exists (select from task_turn u
                              where u.task_id = t.id and u.state in ('running', 'waiting')) as running
        from task t where t.id = ${id}`);
    if (task === undefined) throw unknownTask(id);
    if (!task.running) return task.status;
    if (performance.now() >= until)
      throw new Failure(
        `The agent has been asked to stop, but has not within ${seconds} s. If no worker is alive, ` +
          'start one (`guildhall work`): it ends the turn. `tasks show` says who had it last.',
      );
    await pause(POLL_EVERY_MS);
  }
}

function readSeconds(text: string): number {
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= 600)) throw new InvalidArgumentError('It must be a number from 0 to 600.');
  return seconds;
}
