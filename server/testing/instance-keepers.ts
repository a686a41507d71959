import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeEach, type TestContext } from 'node:test';
import { pino } from 'pino';
import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import type { InstanceDriver } from '../erp/instances/instance-driver.ts';
import { instancePassword } from '../erp/instances/password.ts';
import {
  type InstanceKeeperOptions,
  instanceKeeper,
} from '../runner/worker/instances/keep-instances.ts';
import type { Harness } from './harness.ts';
import { until } from './until.ts';

/** Short, but for the lease: a machine at work may hold up a beat for seconds. */
const KEEPER_TIMES = {
  poll: 50,
  beat: 100,
  lease: 30_000,
  silence: 20_000,
  reap: 100,
  orphaned: 300,
  again: 200,
};
/** Of one whose instances another worker is to take soon. */
export const SHORT_LEASE = { ...KEEPER_TIMES, lease: 2_500, silence: 2_000 };

/** A worker that keeps instances, with short times. */
export const makeKeeper = (
  db: Database,
  driver: InstanceDriver,
  options: Partial<InstanceKeeperOptions> = {},
) =>
  instanceKeeper(db, {
    driver,
    owner: `test-${randomUUID()}`,
    idle: 3_600_000,
    startWithin: 30_000,
    price: 0n,
    passwordOf: (id) => instancePassword('the secret of the server', id),
    publicUrl: () => undefined,
    log: pino({ level: 'silent' }),
    times: KEEPER_TIMES,
    ...options,
  });

/**
 * Tasks with instances that the driver of commands runs. Each test of the file begins without those
 * of the tests before: a worker takes every instance that has none.
 */
export function instancesAtWork({ db, owner: asOwner, fixtures, request }: Harness) {
  beforeEach(async () => {
    await asOwner(sql`delete from erp_instance`);
  });

  async function task() {
    const owner = await fixtures.user();
    const workspace = await fixtures.workspace(owner, { balance: '10.00' });
    const project = await fixtures.project({ organizationId: workspace });
    return { id: await fixtures.task(project, owner), owner, workspace, project };
  }
  type Task = Awaited<ReturnType<typeof task>>;

  const call = (method: string, { id, owner }: Task) =>
    request(method, `/api/tasks/${id}/odoo-instance`, { key: owner.key });
  const status = async (task: Task): Promise<string> =>
    (await call('GET', task)).body.status ?? 'none';

  return {
    task,
    call,
    status,
    /** Asks for an instance. Returns its id. */
    async ask(task: Task): Promise<string> {
      return (await call('POST', task)).body.id;
    },
    untilIs: (task: Task, wanted: string) =>
      until(`the instance is ${wanted}`, async () => (await status(task)) === wanted, 30_000),
    row: (id: string) =>
      db.maybeOne<{ state: string; owner: string | null; reason: string | null; attempt: number }>(
        sql`select state, owner, reason, attempt from erp_instance where id = ${id}`,
      ),
  };
}

/** Runs a keeper for a test. */
export function keepFor(
  t: Pick<TestContext, 'after'>,
  ...given: Parameters<typeof makeKeeper>
): ReturnType<typeof makeKeeper> {
  const keeper = makeKeeper(...given);
  keeper.start();
  t.after(() => keeper.close());
  return keeper;
}

/** A worker of its own process, which keeps instances and dies before `dieBefore`. */
export async function startDyingKeeper(
  t: Pick<TestContext, 'after'>,
  databaseUrl: string,
  directory: string,
  dieBefore?: string,
) {
  const program = join(import.meta.dirname, 'dying-instance-worker.ts');
  const child: ChildProcess = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  child.stdin?.write(`${JSON.stringify({ directory, dieBefore })}\n`);
  return { child, exited };
}
