import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { auditLedger } from '../server/billing/audit/ledger-audit.ts';
import { settleUsage } from '../server/billing/ledger/usage.ts';
import { type Database, openDatabase } from '../server/db/database/database.ts';
import { migrate } from '../server/db/migrate.ts';
import { sql } from '../server/db/sql.ts';
import { type Cluster, startCluster } from '../server/testing/database/cluster.ts';
import { startProxy } from '../server/testing/database/proxy.ts';
import { fixturesOn, type User } from '../server/testing/fixtures/tenants.ts';
import { endNow, serve } from '../server/testing/harness/serve.ts';
import { brokenEvents, countOrphans, exceededLimits, type Found } from './soak-turns-check.ts';

// Workers are killed and stopped, PostgreSQL is killed, agents hang, and balances and spend limits
// run out, while people send messages, approve plans and cancel. In the end no event and no cent may be lost or
// there twice, and no process may be left.

const MESSAGES = [
  'Add a greeting',
  'Add a greeting [[cost 0.09]]',
  'Add a greeting [[cost 0.09]] [[build:cost 0.08]]',
  'Add a greeting [[slow]]',
  'Add a greeting [[large]]',
  'Fail [[fail]]',
  'Crash [[crash]]',
  'Hang [[hang]]',
];
const counts = {
  messages: 0,
  approvals: 0,
  cancels: 0,
  funds: 0,
  limits: 0,
  kills: 0,
  stops: 0,
  outages: 0,
};

interface SoakOptions {
  minutes: number;
  workers: number;
  clients: number;
}

/** Returns the figures; `passed` is whether all that must be zero is. */
export async function soakTurns({ minutes, workers: count, clients }: SoakOptions) {
  const cluster = await startCluster();
  await migrate(cluster.url);
  const proxy = await startProxy(cluster.url);
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-soak-'));
  await chmod(folder, 0o755); // as root, the users of pods have to pass
  const db = openDatabase({ url: proxy.url, connectTimeout: 2_000 });
  const server = await serve({
    LOG_LEVEL: 'silent',
    DATABASE_URL: proxy.url,
    DATA_DIR: join(folder, 'server'),
  });
  const workers = await Promise.all(
    Array.from({ length: count }, () => startWorker(proxy.url, folder)),
  );
  const done = new AbortController();
  const places: Place[] = [];
  const running = [];
  for (let i = 0; i < clients; i++) {
    const place = await newPlace(db, server.url);
    places.push(place);
    running.push(client(db, server.url, place, done.signal));
  }
  const again = () => startWorker(proxy.url, folder);
  running.push(trouble(workers, again, done.signal), outages(cluster, proxy, done.signal));
  const until = Date.now() + minutes * 60_000;
  while (Date.now() < until) {
    await Promise.race([pause(Math.min(10_000, until - Date.now())), ...running]);
    process.stderr.write(`${JSON.stringify(counts)}\n`);
  }
  done.abort();
  await Promise.all(running);

  // No more trouble: what is at work may end, what hangs is cancelled.
  await untilAtRest(db);
  await Promise.all(workers.map(stop));
  // A task that paused may have gone on meanwhile, and its turn is then another worker's.
  while (await isBusy(db)) {
    const last = await again();
    await untilAtRest(db);
    await stop(last);
  }
  while ((await settleUsage(db)).settlements > 0);
  const found: Found = {
    ...(await brokenEvents(db)),
    limits_exceeded: await exceededLimits(db, places),
    orphans: await countOrphans(join(folder, 'pods')),
    ledger_violations: (await auditLedger(db)).violations.length,
  };
  const { spent, ...sums } = await db.one<Record<'turns' | 'losses' | 'spent' | 'limited', bigint>>(
    sql`select count(*) as turns, coalesce(sum(losses), 0)::bigint as losses,
               coalesce(sum(spent_nano), 0)::bigint as spent,
               (select count(*) from task_event
                 where type = 'notice' and payload like '%spend limit%') as limited
          from task_turn`,
  );
  const states = await db.many<{ state: string; count: bigint }>(sql`
    select state, count(*) from task_turn group by state order by state`);
  await endNow(server);
  await db.close();
  await proxy.close();
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
  const figures = {
    minutes,
    turns: Number(sums.turns),
    losses: Number(sums.losses),
    ...counts,
    stopped_at_a_limit: Number(sums.limited),
    ...Object.fromEntries(states.map(({ state, count: n }) => [`turns_${state}`, Number(n)])),
    usd_spent: (Number(spent) / 1e9).toFixed(6),
    ...found,
  };
  return { figures, passed: Object.values(found).every((number) => number === 0) };
}

async function startWorker(url: string, folder: string): Promise<ChildProcess> {
  const file = join(import.meta.dirname, 'soak-worker.ts');
  for (;;) {
    const child = spawn(process.execPath, [file, url, folder], {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ready = once(child.stdout, 'data').then(() => true);
    if (await Promise.race([ready, once(child, 'exit').then(() => false)])) return child;
  }
}

async function stop(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit');
  worker.kill('SIGTERM');
  await ended;
}

/** A person with a workspace that cannot pay for much, and may spend less, and two tasks. */
export interface Place {
  owner: User;
  workspace: string;
  tasks: string[];
  /** In cents: the highest limit of this month that was asked for. */
  limit: number;
}

async function newPlace(db: Database, url: string): Promise<Place> {
  const fixtures = fixturesOn(db);
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '1.20' });
  const project = await fixtures.project({ organizationId: workspace });
  const tasks = [await fixtures.task(project, owner), await fixtures.task(project, owner)];
  const place = { owner, workspace, tasks, limit: 0 };
  if (!(await raiseLimit(url, place))) throw new Error('no spend limit could be set');
  return place;
}

/** By 10 cents. Whether that was done is not known when the answer is lost. */
async function raiseLimit(url: string, place: Place): Promise<boolean> {
  place.limit += 10;
  const limits = [{ subject: 'balance', amount: place.limit / 100 }];
  const path = `${url}/api/organizations/${place.workspace}/billing/spend-limits`;
  return send(place.owner, 'PUT', path, { limits });
}

async function send({ key }: User, method: string, url: string, body?: object): Promise<boolean> {
  const reply = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  }).catch(() => undefined);
  await reply?.text().catch(() => '');
  return reply?.ok === true;
}

/** Does what people do, again and again; a request that fails in an outage is not repeated. */
async function client(db: Database, url: string, place: Place, done: AbortSignal): Promise<void> {
  const { owner, workspace, tasks } = place;
  const post = (path: string, body?: object) =>
    send(owner, 'POST', `${url}/api/tasks/${path}`, body);
  while (!done.aborted) {
    await pause(randomInt(200, 1_500));
    const task = tasks[randomInt(tasks.length)] as string;
    const dice = randomInt(100);
    if (dice < 40) {
      const text = MESSAGES[randomInt(MESSAGES.length)] as string;
      if (await post(`${task}/messages`, { text })) counts.messages++;
    } else if (dice < 75) {
      if (await post(`${task}/plan/approve`)) counts.approvals++;
    } else if (dice < 86) {
      if (await post(`${task}/cancel`)) counts.cancels++;
    } else if (dice < 94) {
      if (await raiseLimit(url, place)) counts.limits++;
    } else {
      const funds = fixturesOn(db).fund({ organizationId: workspace }, '0.60');
      await funds.then(
        () => counts.funds++,
        () => {},
      );
    }
  }
}

async function trouble(
  workers: ChildProcess[],
  again: () => Promise<ChildProcess>,
  done: AbortSignal,
): Promise<void> {
  while (!done.aborted) {
    await pause(randomInt(1_000, 4_000));
    const at = randomInt(workers.length);
    const worker = workers[at] as ChildProcess;
    if (randomInt(2) === 0) {
      counts.kills++;
      const ended = once(worker, 'exit');
      worker.kill('SIGKILL');
      await ended;
      workers[at] = await again();
    } else {
      counts.stops++;
      worker.kill('SIGSTOP');
      await pause(randomInt(500, 6_000));
      worker.kill('SIGCONT');
    }
  }
}

async function outages(
  cluster: Cluster,
  proxy: Awaited<ReturnType<typeof startProxy>>,
  done: AbortSignal,
): Promise<void> {
  for (;;) {
    await pause(randomInt(15_000, 30_000), undefined, { signal: done }).catch(() => {});
    if (done.aborted) return;
    counts.outages++;
    await cluster.kill();
    await pause(randomInt(0, 3_000));
    await cluster.start();
    proxy.lead(cluster.url);
  }
}

/** Waits until no turn is at work or can begin; what hangs is cancelled. */
async function untilAtRest(db: Database): Promise<void> {
  for (;;) {
    await db.many(sql`
      update task_turn set cancel_requested_at = coalesce(cancel_requested_at, now())
       where state in ('running', 'waiting') and started_at < now() - interval '5 seconds'`);
    if (!(await isBusy(db))) return;
    await pause(500);
  }
}

/** Whether a turn is at work or can begin, or its end is not yet published. */
async function isBusy(db: Database): Promise<boolean> {
  const busy = await db.many(sql`
    select u.id from task_turn u join task t on t.id = u.task_id
     where u.state in ('running', 'waiting')
        or u.state in ('queued', 'interrupted') and t.status not in ('paused', 'failed', 'cancelled')
        or u.ended_at is not null and u.published_at is null
     limit 1`);
  return busy.length > 0;
}
