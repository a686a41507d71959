import { afterEach } from 'node:test';
import pino from 'pino';
import { sql } from '../db/sql.ts';
import type { PodDriver } from '../platform/pods/pod.ts';
import { type CheckTimes, checkWorker } from '../runner/worker/checks/check-worker.ts';
import type { Harness } from './harness.ts';
import { mergesOn } from './merges.ts';
import { until } from './until.ts';
import { VARIABLES } from './variables.ts';

/** A check of a build file: its name and its command. */
const buildFile = (checks: Record<string, string>): string =>
  JSON.stringify({ checks: Object.entries(checks).map(([name, run]) => ({ name, run })) });

/** Pull requests with checks, and workers that run them. */
export async function checksOn(harness: Harness) {
  const { db, repositories: directory } = harness;
  const merges = await mergesOn(harness);
  const workers: ReturnType<typeof checkWorker>[] = [];
  // So that the workers of the next test find its own checks only.
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((each) => each.close()));
    await db.many(sql`
      update check_suite
         set state = 'completed', conclusion = 'cancelled', ended_at = now(), held_by = null,
             held_until = null, pod_id = null
       where state <> 'completed'`);
  });

  const suites = (taskId: string) =>
    db.many<{
      id: string;
      head: string;
      state: string;
      conclusion: string | null;
      attempts: number;
    }>(
      sql`select id, head_sha as head, state, conclusion, attempts
            from check_suite where task_id = ${taskId} order by created_at, id`,
    );
  const suite = async (taskId: string) => (await suites(taskId)).at(-1);
  /** The checks of the newest suite, in their order. */
  const runs = (taskId: string) =>
    db.many<{ name: string; state: string; conclusion: string | null; log: string | null }>(sql`
      select c.name, c.state, c.conclusion, l.content as log
        from check_run c left join check_log l on l.check_id = c.id
       where c.suite_id = (select id from check_suite where task_id = ${taskId}
                            order by created_at desc, id desc limit 1)
       order by c.position`);

  return {
    ...merges,
    suites,
    suite,
    runs,
    /** An open pull request whose commit has these checks, which are begun. */
    async checked(checks: Record<string, string> | string, project?: string) {
      const file = typeof checks === 'string' ? checks : buildFile(checks);
      return merges.offered({ 'a.txt': 'one\n', '.guildhall.yml': file }, project);
    },
    /** A worker of this process, until the end of the test. */
    worker(driver: PodDriver, times: Partial<CheckTimes> = {}) {
      const worker = checkWorker(db, {
        driver,
        directory,
        sealing: VARIABLES,
        log: pino({ level: 'silent' }),
        times: {
          poll: 25,
          lease: 1_500,
          renew: 50,
          silence: 1_000,
          again: 50,
          heads: 3_600_000,
          ...times,
        },
      });
      workers.push(worker);
      worker.start();
      return worker;
    },
    untilEnded: (taskId: string) =>
      until(
        'its checks have ended',
        async () => (await suite(taskId))?.state === 'completed',
        60_000,
      ),
    untilRun: (taskId: string, name: string, state: string) =>
      until(
        `${name} is ${state}`,
        async () => (await runs(taskId)).some((run) => run.name === name && run.state === state),
        60_000,
      ),
  };
}
