import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, openDatabase } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { fixturesOn, type User } from '../server/testing/fixtures/tenants.ts';
import { quantile } from './load.ts';
import { canMeasure, cpuOf } from './processes.ts';
import { onScratchDatabase } from './scratch.ts';
import { startGuildhall } from './servers.ts';

const TURNS = 20;
const NAME = 'bench_turns';
const GIVE_UP_MS = 180_000;

interface Round {
  /** Milliseconds from the answer to a message until its turn starts, and its agent is heard of. */
  started: number[];
  heard: number[];
  seconds: number;
  /** Microseconds of CPU of all turns. */
  cpu: { server: number; worker: number; postgres: number };
}

/** Twenty turns of the sandbox agent at once, by one worker, again and again. */
export async function turns(
  adminUrl: string,
  rounds: number,
  say: (line: string) => void,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-bench-'));
  await chmod(dataDir, 0o755); // as root, the users of pods have to pass
  try {
    await onScratchDatabase(adminUrl, NAME, async (url, postgres) => {
      const measured = await measure(url, { dataDir, rounds, say, postgres });
      process.stdout.write(`${table(measured)}\n`);
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(
  url: string,
  options: {
    dataDir: string;
    rounds: number;
    say: (line: string) => void;
    postgres: () => number;
  },
): Promise<Round[]> {
  const { dataDir, rounds, say, postgres } = options;
  const db = openDatabase({ url });
  const server = await startGuildhall(url, { DATA_DIR: dataDir });
  const worker = await startWorker(url, dataDir);
  const cpu = () => ({
    server: cpuOf(server.pid),
    worker: cpuOf(worker.pid),
    postgres: postgres(),
  });
  try {
    const fixtures = fixturesOn(db);
    const owner = await fixtures.user();
    const workspace = await fixtures.workspace(owner, { balance: '1000.00' });
    const project = await fixtures.project({ organizationId: workspace });
    const tasks = await Promise.all(
      Array.from({ length: TURNS }, () => fixtures.task(project, owner)),
    );
    const measured: Round[] = [];
    for (let round = 0; round <= rounds; round++) {
      say(`turns: round ${round} of ${rounds}`);
      const result = await runRound(db, { address: server.url, owner, tasks, cpu });
      if (round > 0) measured.push(result); // the first one makes the pods
    }
    return measured;
  } finally {
    await worker.stop();
    await server.stop();
    await db.close();
  }
}

async function startWorker(url: string, dataDir: string) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../cli/guildhall.ts'), 'work', '--json'],
    {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: url,
        DATA_DIR: dataDir,
        TASK_TURNS_AT_ONCE: String(TURNS),
        LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await once(child.stdout, 'data');
  child.stdout.resume();
  return {
    pid: child.pid as number,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Sends a message to every task, and waits until all turns have ended and that is published. */
async function runRound(
  db: Database,
  {
    address,
    owner,
    tasks,
    cpu,
  }: {
    address: string;
    owner: User;
    tasks: string[];
    cpu: () => Round['cpu'];
  },
): Promise<Round> {
  const before = cpu();
  const began = performance.now();
  const sent = new Map<string, number>();
  await Promise.all(
    tasks.map(async (task) => {
      const reply = await fetch(`${address}/api/tasks/${task}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'Add a greeting' }),
      });
      if (reply.status !== 201) throw new Error(`a message was answered ${reply.status}`);
      await reply.text();
      sent.set(task, Date.now());
    }),
  );
  const isOver = async () => {
    const open = await db.many(sql`
      select id from task_turn
       where task_id = any(${tasks}::uuid[]) and (ended_at is null or published_at is null) limit 1`);
    return open.length === 0;
  };
  while (!(await isOver())) {
    if (performance.now() - began > GIVE_UP_MS) throw new Error('the turns do not end');
    await pause(50);
  }
  const seconds = (performance.now() - began) / 1000;
  const after = cpu();
  const firsts = await db.many<{ task_id: string; started: Date; heard: Date; state: string }>(sql`
    select u.task_id, u.state,
           (select min(created_at) from task_event e
             where e.task_id = u.task_id and e.turn_id = u.id and e.type = 'turn_started') as started,
           (select min(created_at) from task_event e
             where e.task_id = u.task_id and e.turn_id = u.id
               and e.type not in ('turn_started', 'status')) as heard
      from task_turn u
     where u.task_id = any(${tasks}::uuid[])
       and u.number = (select max(number) from task_turn l where l.task_id = u.task_id)`);
  const failed = firsts.find(({ state }) => state !== 'done');
  if (failed !== undefined) throw new Error(`a turn is ${failed.state}`);
  const since = (of: 'started' | 'heard') =>
    firsts.map((first) => Math.max(0, first[of].getTime() - (sent.get(first.task_id) as number)));
  return {
    started: since('started'),
    heard: since('heard'),
    seconds,
    cpu: {
      server: after.server - before.server,
      worker: after.worker - before.worker,
      postgres: after.postgres - before.postgres,
    },
  };
}

function table(rounds: Round[]): string {
  const sorted = (of: 'started' | 'heard') =>
    Float64Array.from(rounds.flatMap((round) => round[of])).sort();
  const row = (what: string, values: Float64Array) =>
    `| ${what}, p50 and p99, ms | ${quantile(values, 0.5).toFixed(0)} | ${quantile(values, 0.99).toFixed(0)} |`;
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  const perTurn = (of: keyof Round['cpu']) =>
    canMeasure ? (median(rounds.map(({ cpu }) => cpu[of])) / TURNS / 1000).toFixed(1) : '–';
  return [
    `| ${TURNS} turns at once, ${rounds.length} times | | |`,
    '|---|---:|---:|',
    row('from the message to the start of its turn', sorted('started')),
    row('from the message to the first event of its agent', sorted('heard')),
    `| turns a minute | ${((TURNS * 60) / median(rounds.map(({ seconds }) => seconds))).toFixed(0)} | |`,
    `| CPU of the server for a turn, ms | ${perTurn('server')} | |`,
    `| CPU of the worker and its agents for a turn, ms | ${perTurn('worker')} | |`,
    `| CPU of PostgreSQL for a turn, ms | ${perTurn('postgres')} | |`,
  ].join('\n');
}
