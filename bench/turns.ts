import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gitDirOf } from '../server/code/repositories/git.ts';
import { type Database, openDatabase } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { fixturesOn, type User } from '../server/testing/fixtures/tenants.ts';
import { quantile } from './load.ts';
import { cpuOf, residentMb } from './processes.ts';
import { onScratchDatabase } from './scratch.ts';
import type { Setting } from './setting.ts';
import { byHand } from './turns/by-hand.ts';
import { repositoryOf, SHAPES, type ShapeName } from './turns/repositories.ts';
import { startTree, type Tree } from './turns/tree.ts';

/** What a turn costs beside the same steps by hand, on repositories of three shapes, alternating. */

const STEPS = ['plan', 'build', 'merge'] as const;
type Step = (typeof STEPS)[number];

const GIVE_UP_MS = 600_000;

/** Milliseconds of each turn, and of processor time of all turns of the round. */
interface Measured {
  wall: number[];
  cpu: number;
}
type Round = Record<Step, { ours: Measured; hand: Measured }> & { peakMb: number };

export async function turns(setting: Setting): Promise<void> {
  const { adminUrl, directory, rounds, shapes, atOnce, say } = setting;
  const rows = [
    '| repository | at once | step | p50, p99 ms | by hand | ratio | CPU ms a turn | by hand | ratio |',
    '|---|---:|---|---:|---:|---:|---:|---:|---:|',
  ];
  const memory: string[] = [];
  for (const name of shapes as ShapeName[]) {
    say(`turns: the repository ${name}`);
    const repository = await repositoryOf(directory, name);
    for (const count of atOnce) {
      const measured = await measure(adminUrl, { name, repository, count, rounds, say });
      const lines = STEPS.map((step) => row(name, count, step, measured));
      for (const line of lines) say(line);
      rows.push(...lines);
      memory.push(
        `Memory of the server, ${name}, ${count} at once: ${Math.max(...measured.map(({ peakMb }) => peakMb)).toFixed(0)} MB`,
      );
    }
  }
  process.stdout.write(`${[...rows, '', ...memory].join('\n')}\n`);
}

interface OneShape {
  name: ShapeName;
  repository: string;
  count: number;
  rounds: number;
  say: (line: string) => void;
}

async function measure(adminUrl: string, setting: OneShape): Promise<Round[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-bench-'));
  await chmod(dataDir, 0o755); // as root, the users of pods have to pass
  const rounds: Round[] = [];
  try {
    await onScratchDatabase(adminUrl, 'bench_turns', async (url, postgres) => {
      const db = openDatabase({ url });
      const server = await startServer(url, dataDir, setting.count);
      try {
        const fixtures = fixturesOn(db);
        const owner = await fixtures.user();
        const organizationId = await fixtures.workspace(owner, { balance: '1000.00' });
        const project = await fixtures.project({ organizationId });
        const hand = join(dataDir, 'hand.git');
        await mkdir(join(dataDir, 'repositories', project), { recursive: true });
        await cp(setting.repository, gitDirOf(join(dataDir, 'repositories'), project), {
          recursive: true,
        });
        await cp(setting.repository, hand, { recursive: true });
        const place = { db, server, postgres, owner, project, hand, dataDir, fixtures };
        for (let round = 0; round <= setting.rounds; round++) {
          setting.say(`turns: ${setting.name}, ${setting.count} at once, round ${round}`);
          const result = await runRound(place, setting.count, round);
          if (round > 0) rounds.push(result); // the first one warms both up
        }
      } finally {
        await server.stop();
        await db.close();
      }
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  return rounds;
}

/** One process, which answers requests and carries out tasks, as `npm start` does. */
async function startServer(url: string, dataDir: string, count: number): Promise<Tree> {
  const program = join(import.meta.dirname, '../cli/guildhall.ts');
  return startTree([process.execPath, program, 'serve', '--json'], {
    PATH: process.env.PATH,
    PORT: '0',
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    SERVER_SECRET: 'a secret for the benchmark that is long enough',
    TASK_TURNS_AT_ONCE: String(count),
    LOG_LEVEL: 'error',
  });
}

interface Place {
  db: Database;
  server: Tree;
  postgres: () => number;
  owner: User;
  project: string;
  hand: string;
  dataDir: string;
  fixtures: ReturnType<typeof fixturesOn>;
}

/** A task from its message to its merge, `count` at once: ours, then by hand. */
async function runRound(place: Place, count: number, round: number): Promise<Round> {
  const { db, server, postgres, owner, project } = place;
  const { url } = JSON.parse(server.said);
  const numbers = Array.from({ length: count }, (_, i) => `${round}-${i}`);
  const tasks = await Promise.all(numbers.map(() => place.fixtures.task(project, owner)));
  const hands = numbers.map((number) =>
    byHand(
      place.hand,
      join(place.dataDir, `hand-${number}`),
      `Add a greeting in hello/${number}.md`,
    ),
  );
  const call = async (method: string, path: string, body?: object) => {
    const reply = await fetch(`${url}/api/tasks/${path}`, {
      method,
      headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };
  const heads = new Map<string, string>();
  const steps: Record<Step, (task: string, number: string) => Promise<void>> = {
    async plan(task, number) {
      await call('POST', `${task}/messages`, { text: `Add a greeting in hello/${number}.md` });
      await untilStatus(db, task, 'awaiting_approval');
    },
    async build(task) {
      await call('POST', `${task}/plan/approve`);
      await untilStatus(db, task, 'ready');
    },
    async merge(task) {
      await call('POST', `${task}/merge`, { expected_head_sha: heads.get(task) });
      await until(async () => {
        const { state } = await db.one<{ state: string }>(sql`
          select state from merge where task_id = ${task}`);
        if (state === 'failed') throw new Error('a merge has failed');
        return state === 'merged';
      });
    },
  };
  const cpu = async () => postgres() / 1_000 + (await server.cpu());
  const result = { peakMb: 0 } as Round;
  const watch = setInterval(() => {
    result.peakMb = Math.max(result.peakMb, residentMb(server.pid));
  }, 100);
  for (const step of STEPS) {
    if (step === 'merge')
      for (const task of tasks)
        heads.set(task, (await call('POST', `${task}/pull-request`)).head_sha);
    const ours = await timed(
      cpu,
      (i) => steps[step](tasks[i] as string, numbers[i] as string),
      count,
    );
    const hand = await timed(
      async () => cpuOf(process.pid) / 1_000,
      (i) => (hands[i] as (typeof hands)[number])[step](),
      count,
    );
    result[step] = { ours, hand };
  }
  clearInterval(watch);
  for (const each of hands) await each.close();
  return result;
}

async function timed(
  cpu: () => Promise<number>,
  work: (i: number) => Promise<void>,
  count: number,
): Promise<Measured> {
  const before = await cpu();
  const wall = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const began = performance.now();
      await work(i);
      return performance.now() - began;
    }),
  );
  return { wall, cpu: (await cpu()) - before };
}

/** Asked often enough for a short step, seldom enough to cost little. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > GIVE_UP_MS) throw new Error('a turn does not end');
    await pause(10);
  }
}

/** Until a task has this status and its turn is published, so that nothing of it goes on. */
const untilStatus = (db: Database, task: string, status: string) =>
  until(async () => {
    const row = await db.one<{ status: string; open: boolean }>(sql`
      select status, exists (select from task_turn u where u.task_id = t.id
                              and (u.ended_at is null or u.published_at is null)) as open
        from task t where id = ${task}`);
    if (row.status === 'failed') throw new Error('a turn has failed');
    return row.status === status && !row.open;
  });

function row(name: ShapeName, count: number, step: Step, rounds: Round[]): string {
  const of = (who: 'ours' | 'hand') => {
    const wall = Float64Array.from(rounds.flatMap((round) => round[step][who].wall)).sort();
    const cpu = rounds.map((round) => round[step][who].cpu / count).sort((a, b) => a - b);
    return { p50: quantile(wall, 0.5), p99: quantile(wall, 0.99), cpu: cpu[cpu.length >> 1] ?? 0 };
  };
  const [ours, hand] = [of('ours'), of('hand')];
  const { files, commits } = SHAPES[name];
  const cells = [
    `${name}: ${files} files, ${commits} commits`,
    count,
    step,
    `${ours.p50.toFixed(0)}, ${ours.p99.toFixed(0)}`,
    `${hand.p50.toFixed(0)}, ${hand.p99.toFixed(0)}`,
    (ours.p50 / hand.p50).toFixed(1),
    ours.cpu.toFixed(0),
    hand.cpu.toFixed(0),
    (ours.cpu / hand.cpu).toFixed(1),
  ];
  return `| ${cells.join(' | ')} |`;
}
