import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { tableOf } from '../report.ts';
import type { Known } from '../world.ts';
import { type Place, SHAPES, SUBJECT, withWorkshop } from './workshop.ts';

const IDLE_MS = 10_000;
const TASKS_AT_ONCE = 3;
const TIMES = 20;

/** What pages of the dashboard ask for, and monitoring. */
const requestsOf = ({ workspaces: [first] }: Known, metrics: string): Record<string, string> => {
  const { id, projects } = first as Known['workspaces'][number];
  const tasks = `projects/${projects[0]}/tasks`;
  const usage = `organizations/${id}/usage`;
  return {
    'home: the inbox': 'inbox?limit=50',
    'home: tasks of the person': 'tasks?limit=50',
    'home: merged lately': 'tasks?merged=true&sort=merged&limit=20',
    'the board: a column': `${tasks}?status=ready&sort=updated&limit=50`,
    'tasks of a project': `${tasks}?limit=50`,
    'tasks of a project, by title': `${tasks}?q=harbour`,
    'search with results': 'search?q=price+list',
    'search without': 'search?q=harbour',
    'usage of the workspace, by day': `${usage}?group_by=day`,
    'usage of the workspace, by task': `${usage}?group_by=task&limit=50`,
    'the audit trail': `organizations/${id}/audit-events?limit=50`,
    'the audit trail, of an action': `organizations/${id}/audit-events?action=task.archive&limit=50`,
    'transactions of the balance': `organizations/${id}/billing/transactions?limit=50`,
    'the operators’ page': 'operator/server',
    'turns, for operators': 'operator/turns',
    'deliveries that failed, for operators': 'operator/webhook-deliveries',
    'the audit trail, for operators': 'operator/audit-events',
    metrics,
  };
};

/** What rounds have found, in tables of the session of `admin`. */
export const prepareRounds = (admin: pg.Client) =>
  admin.query(`
    create temp table asked (n serial, place text, round int, what text, ms float8);
    create temp table sent (place text, id bigint, text text, calls int8, ms float8, blocks int8)`);

/**
 * Starts a server that carries out tasks: it does nothing for a while, then people look at pages and
 * have tasks carried out.
 */
export async function round(admin: pg.Client, place: Place, known: Known, at: number) {
  await admin.query('select pg_stat_statements_reset()');
  const asked: [what: string, ms: number][] = [];
  await withWorkshop(place, known, async ({ carryOut, get, metrics, startMs }) => {
    await pause(IDLE_MS);
    const requests = Object.entries(requestsOf(known, metrics));
    const look = async () => {
      for (const [, path] of requests) await get(path); // warms it
      for (let time = 0; time < TIMES; time++)
        for (const [what, path] of requests) {
          const began = performance.now();
          await get(path);
          asked.push([what, performance.now() - began]);
        }
    };
    const tasks = Array.from({ length: TASKS_AT_ONCE }, () =>
      carryOut(SHAPES[0], `${SUBJECT} ${randomUUID()}`),
    );
    await Promise.all([look(), ...tasks]);
    asked.push(['start of a server that carries out tasks', startMs]);
  });
  await admin.query(
    `insert into asked (place, round, what, ms)
     select $1, $2::int, * from unnest($3::text[], $4::float8[])`,
    [place.name, at, asked.map(([what]) => what), asked.map(([, ms]) => ms)],
  );
  await admin.query(SENT, [place.name]);
}

const SENT = `
  insert into sent
  select d.datname, queryid, query, calls, total_exec_time, shared_blks_hit + shared_blks_read
    from pg_stat_statements s join pg_database d on d.oid = s.dbid
   where d.datname = $1 and query !~* '^(begin|commit|rollback|set|show|deallocate)'`;

/**
 * Tables of what the rounds have found in the few and in the month: how long requests took, the ten
 * most frequent statements, and those that have grown most.
 */
export async function roundLines(admin: pg.Client, few: Place, month: Place, rounds: number) {
  const statements = (what: string, order: string, limit: number) =>
    tableOf(admin, statementsBy(what, order, limit), [few.name, month.name, rounds]);
  return [
    ...(await tableOf(admin, REQUESTS, [few.name, month.name])),
    ...(await statements('most frequent', 'm.calls', 10)),
    ...(await statements('most grown by blocks a call', 'm.blocks - coalesce(f.blocks, 0)', 20)),
  ];
}

const REQUESTS = `
  select what as "95th percentile, ms",
         round(percentile_cont(0.5) within group (order by few)::numeric, 1) as "few tasks",
         round(percentile_cont(0.5) within group (order by month)::numeric, 1) as "the month",
         format('%s (%s–%s)',
                round(percentile_cont(0.5) within group (order by month / few)::numeric, 1),
                round(min(month / few)::numeric, 1), round(max(month / few)::numeric, 1)) as ratio
    from (select what, min(n) as n,
                 percentile_cont(0.95) within group (order by ms) filter (where place = $1) as few,
                 percentile_cont(0.95) within group (order by ms) filter (where place = $2) as month
            from asked group by what, round) each
   group by what order by min(n)`;

const statementsBy = (what: string, order: string, limit: number) => `
  with each as (
    select place, id, min(text) as text, sum(calls) as calls,
           (sum(ms) / sum(calls))::numeric as ms, sum(blocks) / sum(calls) as blocks
      from sent group by place, id)
  select format('\`%s\`', replace(left(regexp_replace(m.text, '\\s+', ' ', 'g'), 90), '|', '\\|'))
           as "${what}",
         round(m.calls / $3) as "calls a round",
         round(f.ms, 2) as "ms, few", round(m.ms, 2) as "ms, month",
         round(f.blocks) as "blocks, few", round(m.blocks) as "blocks, month",
         round(m.blocks / nullif(f.blocks, 0), 1) as ratio
    from each m left join each f on f.id = m.id and f.place = $1
   where m.place = $2 order by ${order} desc limit ${limit}`;
