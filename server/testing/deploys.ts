import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { pino } from 'pino';
import { sql } from '../db/sql.ts';
import type { PodDriver } from '../platform/pods/pod.ts';
import { type DeployTimes, deployer } from '../runner/worker/deploys/deployer.ts';
import { temporaryFolder } from './file-stores.ts';
import type { Harness } from './harness.ts';
import { mergesOn } from './merges.ts';
import { makePods } from './pods.ts';
import { until } from './until.ts';
import { VARIABLES } from './variables.ts';

interface ShownDeploy {
  id: string;
  state: string;
  reason?: string;
  branch: string;
  commit_sha: string;
  started_at?: string;
}

/** Tasks of one workspace that are merged, and what is deployed of them. */
export async function deploysOn(harness: Harness) {
  const { db, request, repositories: directory } = harness;
  const pods = await makePods({ after: (end) => after(end as () => void) }, { sandbox: 'off' });
  const merges = await mergesOn(harness);
  const { owner } = merges;
  const log = pino({ level: 'silent' });
  const show = async (path: string) => (await request('GET', path, { key: owner.key })).body;
  const get = (id: string): Promise<ShownDeploy> => show(`/api/deploys/${id}`);
  /** Its build file has no checks, as a worker of checks would find out. */
  async function offered(files?: Record<string, string>, project?: string) {
    const task = await merges.offered(files, project);
    await db.many(sql`
      update check_suite set state = 'completed', conclusion = 'none', ended_at = now()
       where task_id = ${task.taskId} and state = 'queued'`);
    return task;
  }
  return {
    ...merges,
    offered,
    pods,
    get,
    logOf: async (id: string) =>
      (await request('GET', `/api/deploys/${id}/log`, { key: owner.key })).text,
    /** Merges a task with these files, into a new project unless given. */
    async merged(files: Record<string, string>, project?: string) {
      const task = await offered(files, project);
      await merges.ask(task);
      await merges.work();
      const { id } = await db.one<{ id: string }>(sql`
        select d.id from deploy d join merge m on m.id = d.merge_id
         where m.task_id = ${task.taskId}`);
      return { ...task, deploy: id };
    },
    worker: (times: Partial<DeployTimes> = {}, by: PodDriver = pods) =>
      deployer(db, {
        driver: by,
        directory,
        sealing: VARIABLES,
        log,
        times: { poll: 50, again: 0, drain: 0, ...times },
      }),
    until: (id: string, ...states: string[]) =>
      until(
        `the deploy is ${states.join(' or ')}`,
        async () => states.includes((await get(id)).state),
        60_000,
      ),
  };
}

/** A command that notes its process and then waits until the test lets it go. */
export async function waiting() {
  const folder = await temporaryFolder();
  await chmod(folder, 0o777); // the users of pods write to it
  const lines = (name: string) => async () =>
    (await readFile(join(folder, name), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return {
    command:
      // Each pod has a user of its own.
      `umask 0; echo $$ >> ${folder}/begun; until test -e ${folder}/go; do sleep 0.05; done; ` +
      `echo $$ >> ${folder}/ended`,
    begun: lines('begun'),
    ended: lines('ended'),
    go: () => writeFile(join(folder, 'go'), ''),
  };
}

/** A build file with this command for production. */
export const deploying = (command: string) => ({
  '.guildhall.yml': `deploy:\n  production: ${JSON.stringify(command)}\n`,
});
