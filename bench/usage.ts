import pg from 'pg';
import { usageGroups } from '../server/billing/usage/usage-groups.ts';
import type { Dimension } from '../server/billing/usage/usage-query.ts';
import { type Database, openDatabase } from '../server/db/database/database.ts';
import { migrate } from '../server/db/migrate.ts';
import { type Sql, sql, statement } from '../server/db/sql.ts';
import { fixturesOn } from '../server/testing/fixtures/tenants.ts';
import { quantile } from './load.ts';
import { WrongAnswer } from './measure.ts';
import { cpuOfPostgres } from './processes.ts';
import type { Setting } from './setting.ts';

const NAME = 'bench_usage';
const LINES = 1_000_000;
/** The second workspace has this many times the lines, as far as they are loaded in time. */
const TIMES = 10;
const LOAD_MS = 1_800_000;
const PERIOD = { from: '2025-11-21', to: '2026-11-21' };
const TASKS = 2_000;
/** Calls of one measurement: the CPU time of a process is counted in hundredths of a second. */
const REPEATED = 25;

const GROUPS: Dimension[][] = [
  ['task'],
  ['project'],
  ['workspace'],
  ['model'],
  ['day'],
  ['member'],
  ['project', 'model'],
  ['member', 'day'],
  ['task', 'day'],
] as Dimension[][];

const KEYS: Record<Dimension, Sql> = {
  task: sql`e.task_id`,
  project: sql`e.project_id`,
  workspace: sql`e.organization_id`,
  model: sql`e.model`,
  day: sql`(e.occurred_at at time zone 'UTC')::date`,
  member: sql`e.user_id`,
};

interface Place {
  workspace: string;
  account: string;
  owner: string;
  lines: number;
}

/**
 * What a year of usage costs to sum, from the sums by day and from the lines: in a workspace with a
 * million lines and in one with ten times as many of as many tasks, people and models.
 */
export async function usage({ adminUrl, rounds, say }: Setting): Promise<void> {
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  await admin.query(`drop database if exists ${NAME} with (force)`);
  await admin.query(`create database ${NAME}`);
  const url = Object.assign(new URL(adminUrl), { pathname: `/${NAME}` }).href;
  const owner = new pg.Client(url);
  try {
    await migrate(url);
    await owner.connect();
    await owner.query('set synchronous_commit = off; set jit = off');
    // What neither of the two answers reads: without it the lines are there sooner.
    await owner.query(`
      drop index usage_event_of_user, usage_event_of_project, usage_event_of_task,
        usage_event_unsettled, usage_event_settlement;
      alter table usage_event drop constraint usage_event_idempotency_key_key,
        drop constraint usage_event_account_id_fkey`);
    const db = openDatabase({ url });
    const small = await load(db, owner, LINES, say);
    const large = await load(db, owner, TIMES * LINES, say);
    await db.close();
    await owner.query('vacuum analyze');
    process.stdout.write(await measured(url, owner, { small, large, rounds, say }));
  } finally {
    await owner.end();
    await admin.query(`drop database if exists ${NAME} with (force)`);
    await admin.end();
  }
}

/** 50 people, 100 projects, 2,000 tasks at work on six days each with two models. */
async function load(
  db: Database,
  client: pg.Client,
  wanted: number,
  say: (line: string) => void,
): Promise<Place> {
  const fixtures = fixturesOn(db);
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const account = (
    await client.query('select id from billing_account where organization_id = $1', [workspace])
  ).rows[0].id;
  await client.query(
    `with people as (
       insert into app_user (email) select gen_random_uuid() || '@example.com'
         from generate_series(1, 50) returning id),
     projects as (
       insert into project (organization_id, name, erp_version, erp_edition)
       select $1::uuid, 'Project ' || n || ' of ' || $1::uuid, '19.0', 'community'
         from generate_series(1, 100) n returning id),
     numbered as (select id, row_number() over () as n from projects),
     asked as (select id, row_number() over () as n from people)
     insert into task (project_id, title, created_by_user_id)
     select p.id, 'Task ' || t, a.id from generate_series(1, ${TASKS}) t
       join numbered p on p.n = 1 + t % 100 join asked a on a.n = 1 + (t * 7) % 50`,
    [workspace],
  );
  await client.query(
    `create temporary table work as
     select t.id as task_id, t.project_id, t.created_by_user_id as user_id,
            (row_number() over (order by t.id) - 1)::int as n
       from task t join project p on p.id = t.project_id where p.organization_id = $1`,
    [workspace],
  );
  await client.query('create unique index on work (n); analyze work');
  const until = performance.now() + LOAD_MS;
  let lines = 0;
  while (lines < wanted && (lines < LINES || performance.now() < until)) {
    say(`usage: ${lines} of ${wanted} lines are loaded`);
    await client.query(
      `insert into usage_event
              (account_id, idempotency_key, amount, reference_type, reference_id, occurred_at, kind,
               task_id, project_id, organization_id, user_id, model, input_tokens, output_tokens)
       select $1::uuid, $2::uuid || ':' || l, 1000 + l % 977, 'bench', w.task_id,
              timestamptz '2025-11-21T00:00Z' + (w.n * 17 % 366) * interval '1 day'
                + l / ${TASKS} % 6 * interval '1 day' - interval '6 days' * (w.n * 17 % 366 > 359)::int
                + l % 86400 * interval '1 second',
              'model', w.task_id, w.project_id, $2::uuid, w.user_id,
              case l / ${6 * TASKS} % 2 when 0 then 'large' else 'small' end, 900, 100
         from generate_series($3::int, $4::int) l join work w on w.n = l % ${TASKS}`,
      [account, workspace, lines, Math.min(lines + 250_000, wanted) - 1],
    );
    lines = Math.min(lines + 250_000, wanted);
  }
  await client.query('drop table work');
  return { workspace, account, owner: owner.id, lines };
}

interface Measuring {
  small: Place;
  large: Place;
  rounds: number;
  say: (line: string) => void;
}

/** `owner` has no time limit, which the lines would need. */
async function measured(
  url: string,
  owner: pg.Client,
  { small, large, rounds, say }: Measuring,
): Promise<string> {
  const db = openDatabase({ url, poolSize: 1 });
  const { pid } = await db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  const cpu = cpuOfPostgres(pid);
  const counts = await db.many<{ rows: bigint }>(sql`
    select count(*) as rows from usage_day group by account_id order by 1`);
  const times = large.lines / small.lines;
  const rows = [
    `Usage of 366 days in a workspace with ${small.lines} lines and in one with ${large.lines}`,
    `(${times} times); rows of sums by day: ${counts.map((count) => count.rows).join(' and ')}.`,
    `Milliseconds at the database, median of ${rounds} rounds; the lines in one round.`,
    '',
    'group_by        sums     CPU   CPU at more   ratio   lines: GROUP BY     CPU',
  ];
  for (const by of GROUPS) {
    const [few, many]: [Timed[], Timed[]] = [[], []];
    for (let round = 0; round <= rounds; round++) {
      say(`usage: ${by}, round ${round} of ${rounds}`);
      const a = await timed(cpu, REPEATED, () => db.many(summed(small, by)));
      const b = await timed(cpu, REPEATED, () => db.many(summed(large, by)));
      if (round === 0) continue;
      few.push(a);
      many.push(b);
    }
    let lines: { total: string }[] = [];
    const plain = await timed(cpu, 1, async () => {
      lines = (await owner.query(statement(grouped(small, by)))).rows;
    });
    const { items } = await db.one<{ items: string }>(summed(small, by));
    const [sums, nano] = [JSON.parse(items).total.amount, BigInt(lines[0]?.total ?? 0)];
    if (nanoOf(sums) !== nano)
      throw new WrongAnswer(`by ${by}, the sums are ${sums} USD, the lines ${nano} nano-USD`);
    const cells = [
      median(few, 'time').toFixed(1),
      median(few, 'cpu').toFixed(1),
      median(many, 'cpu').toFixed(1),
      (median(many, 'cpu') / median(few, 'cpu')).toFixed(2),
      plain.time.toFixed(0),
      plain.cpu.toFixed(0),
    ];
    const widths = [8, 8, 12, 8, 18, 8];
    rows.push(
      by.join(',').padEnd(12) + cells.map((cell, i) => cell.padStart(widths[i] ?? 0)).join(''),
    );
  }
  await db.close();
  return `${rows.join('\n')}\n`;
}

/** Of a text in USD. */
function nanoOf(usd: string): bigint {
  const [whole = '', decimals = ''] = usd.split('.');
  return BigInt(whole + decimals.padEnd(9, '0'));
}

type Timed = Awaited<ReturnType<typeof timed>>;
const median = (values: Timed[], name: keyof Timed) =>
  quantile(Float64Array.from(values.map((each) => each[name])).sort(), 0.5);

/** Milliseconds of time, and of the CPU of PostgreSQL, which is counted in tens of them. */
async function timed(cpu: () => number, times: number, run: () => Promise<unknown>) {
  const [begun, used] = [performance.now(), cpu()];
  for (let i = 0; i < times; i++) await run();
  return { time: (performance.now() - begun) / times, cpu: (cpu() - used) / times / 1_000 };
}

/** As `get_workspace_usage` asks for it, for the owner. */
function summed({ account, owner }: Place, by: Dimension[]): Sql {
  const whose = sql`
    d.account_id = (select account_id from authorized)
    and ((select sees_all from authorized) or d.user_id = (select user_id from authorized))`;
  const { with: more, select } = usageGroups({ whose, by, period: PERIOD, query: { limit: 50 } });
  return sql`
    with caller as materialized (
      select ${owner}::uuid as user_id, null::uuid as scope, true as two_factor),
    authorized as materialized (
      select ${account}::uuid as account_id, user_id, true as sees_all from caller),
    ${more as Sql} ${select}`;
}

/** The same from the lines: the groups that cost most, and all of them in all. */
const grouped = ({ account }: Place, by: Dimension[]): Sql => sql`
  with used as materialized (
    select ${by.map((one) => KEYS[one]).reduce((all, one) => sql`${all}, ${one}`)},
           sum(e.amount) as amount, sum(e.input_tokens) as input_tokens,
           sum(e.output_tokens) as output_tokens, sum(e.pod_seconds) as pod_seconds,
           count(*) as lines
      from usage_event e
     where e.account_id = ${account}
       and e.occurred_at >= ${PERIOD.from}::date::timestamp at time zone 'UTC'
       and e.occurred_at < (${PERIOD.to}::date + 1)::timestamp at time zone 'UTC'
     group by ${by.map((one) => KEYS[one]).reduce((all, one) => sql`${all}, ${one}`)})
  select (select sum(amount) from used) as total, u.* from used u order by u.amount desc limit 50`;
