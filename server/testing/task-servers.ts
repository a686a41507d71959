import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openDatabase } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { cloneDatabase } from './database.ts';
import { fixturesOn } from './fixtures.ts';
import { type Served, serve as startServer } from './serve.ts';
import { until } from './until.ts';

/** For tests of real servers that carry out tasks, on one database and one DATA_DIR. */
export async function taskServers() {
  const clone = await cloneDatabase();
  const db = openDatabase({ url: clone.url });
  const fixtures = fixturesOn(db);
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-tasks-'));
  await chmod(directory, 0o755); // as root, the users of pods have to pass
  const dataDir = join(directory, 'data');
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '100.00' });
  const project = await fixtures.project({ organizationId: workspace });
  const servers: Served[] = [];
  after(async () => {
    for (const { child } of servers) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await until('no agent is left', async () => (await agents(dataDir)).length === 0);
    await db.close();
    await clone.drop();
    await rm(directory, { recursive: true });
  });

  async function serve(
    args: string[] = [],
    { work = true, ...env }: { work?: boolean; [name: string]: string | boolean } = {},
  ): Promise<Served> {
    const all = { DATABASE_URL: clone.url, DATA_DIR: dataDir, LOG_LEVEL: 'info', ...env };
    const served = await startServer(all as Record<string, string>, args, { work });
    servers.push(served);
    return served;
  }

  async function call<Answer>(
    { url }: Pick<Served, 'url'>,
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer> {
    const answer = await fetch(`${url}/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
    return (await answer.json()) as Answer;
  }

  const status = async (taskId: string) =>
    (await db.one<{ status: string }>(sql`select status from task where id = ${taskId}`)).status;

  return {
    db,
    databaseUrl: clone.url,
    fixtures,
    dataDir,
    owner,
    workspace,
    serve,
    call,
    status,
    agents: () => agents(dataDir),
    /** Creates a task; returns its id. */
    create: async (server: Pick<Served, 'url'>, message: string): Promise<string> =>
      (await call<{ id: string }>(server, 'POST', `projects/${project}/tasks`, { message })).id,
    /** Waits for a status, at most 60 s: a loaded machine starts an agent in seconds. */
    untilStatus: (taskId: string, wanted: string) =>
      until(wanted, async () => (await status(taskId)) === wanted, 60_000),
    /** Waits until the agent of the task's first turn has opened its session. */
    untilAtWork: (taskId: string) =>
      until(
        'an agent at work',
        async () => {
          const rows = await db.many(sql`
            select from pod where task_id = ${taskId} and agent_session is not null`);
          return rows.length > 0;
        },
        60_000,
      ),
    /** The process that has, or had, the task's newest turn. */
    workerOf: async (taskId: string): Promise<number> => {
      const { owner: name } = await db.one<{ owner: string }>(sql`
        select owner from task_log where task_id = ${taskId}`);
      return Number(name.split(':')[1]);
    },
    /** Lets the leases of all turns run out, as 30 s would. */
    expireLeases: () =>
      db.many(sql`
        update task_turn set lease_until = now() - interval '1 second'
         where state in ('running', 'waiting')`),
    turn: (taskId: string) =>
      db.one<{ state: string; attempt: number; losses: number }>(sql`
        select state, attempt, losses from task_turn where task_id = ${taskId}
         order by number desc limit 1`),
  };
}

/** Processes of agents in the pods of a DATA_DIR. Systems without /proc have none to show. */
export async function agents(dataDir: string): Promise<string[]> {
  const pods = await readdir(join(dataDir, 'pods')).catch(() => []);
  const all = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(
    all.map((pid) => readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')),
  );
  return environments.filter((one) => pods.some((pod) => one.includes(`GUILDHALL_POD=${pod}`)));
}
