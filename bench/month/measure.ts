import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { quantile } from '../load.ts';
import { spread } from '../measure.ts';
import type { Known } from '../world.ts';
import { type Place, SHAPES, SUBJECT, type Workshop, withWorkshop } from './template.ts';

interface Statement {
  id: string;
  text: string;
  calls: number;
  ms: number;
  blocks: number;
}

/** What a round found in one place. */
export interface Round {
  startMs: number;
  /** Milliseconds of each request, by what it asks for. */
  requests: Record<string, number[]>;
  statements: Statement[];
}

const IDLE_MS = 10_000;
const TASKS_AT_ONCE = 3;
const TIMES = 20;

/** What pages of the dashboard ask for, and monitoring. */
const requestsOf = ({ workspaces: [first] }: Known): Record<string, string> => {
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
  };
};

/**
 * Starts a server that carries out tasks: it does nothing for a while, then people look at pages and
 * have tasks carried out.
 */
export async function round(admin: pg.Client, place: Place, known: Known): Promise<Round> {
  await admin.query('select pg_stat_statements_reset()');
  const requests: Record<string, number[]> = {};
  let startMs = 0;
  const ask = async (what: string, asked: () => Promise<unknown>) => {
    const began = performance.now();
    await asked();
    requests[what] = [...(requests[what] ?? []), performance.now() - began];
  };
  const look = async ({ call, metrics }: Workshop) => {
    for (const path of Object.values(requestsOf(known))) await call('GET', path); // warms it
    for (let time = 0; time < TIMES; time++) {
      for (const [what, path] of Object.entries(requestsOf(known)))
        await ask(what, () => call('GET', path));
      await ask('metrics', async () => (await fetch(metrics)).text());
    }
  };
  await withWorkshop(place, known, async (workshop) => {
    startMs = workshop.startMs;
    await pause(IDLE_MS);
    const [merged] = SHAPES;
    const tasks = Array.from({ length: TASKS_AT_ONCE }, () =>
      workshop.carryOut(merged, `${SUBJECT} ${randomUUID()}`),
    );
    await Promise.all([look(workshop), ...tasks]);
  });
  const { rows } = await admin.query<Statement>(STATEMENTS, [place.name]);
  return { startMs, requests, statements: rows };
}

const STATEMENTS = `
  select queryid::text as id, query as text, calls::float8 as calls,
         total_exec_time / calls as ms,
         ((shared_blks_hit + shared_blks_read) / calls)::float8 as blocks
    from pg_stat_statements s join pg_database d on d.oid = s.dbid
   where d.datname = $1 and query !~* '^(begin|commit|rollback|set|show|deallocate)'`;

/** Lines of a table: how long requests took, in the few and in the month. */
export function requestLines(few: Round[], month: Round[]): string[] {
  const p95 = ({ requests }: Round, what: string) =>
    quantile(Float64Array.from(requests[what] ?? []).sort(), 0.95);
  const row = (what: string, of: (round: Round) => number) => {
    const [before, after] = [few.map(of), month.map(of)];
    const ratio = spread(after.map((ms, at) => ms / (before[at] as number)));
    const cells = [spread(before).median, spread(after).median].map((ms) => ms.toFixed(1));
    return `| ${what} | ${cells.join(' | ')} | ${ratio.median.toFixed(1)} (${ratio.min.toFixed(1)}–${ratio.max.toFixed(1)}) |`;
  };
  return [
    '| 95th percentile, ms | few tasks | the month | ratio |',
    '|---|---:|---:|---:|',
    ...Object.keys(month[0]?.requests ?? {}).map((what) => row(what, (round) => p95(round, what))),
    row('start of a server that carries out tasks', ({ startMs }) => startMs),
  ];
}

/** Lines of a table: the ten most frequent statements, and those that have grown most. */
export function statementLines(few: Round[], month: Round[]): string[] {
  const all = Map.groupBy(
    month.flatMap(({ statements }) => statements),
    ({ id }) => id,
  );
  const before = Map.groupBy(
    few.flatMap(({ statements }) => statements),
    ({ id }) => id,
  );
  const of = (list: Statement[], value: (one: Statement) => number) =>
    list.reduce((sum, one) => sum + value(one) * one.calls, 0) /
    list.reduce((sum, one) => sum + one.calls, 0);
  const found = [...all].map(([id, list]) => {
    const former = before.get(id) ?? [];
    return {
      text: (list[0] as Statement).text.replaceAll(/\s+/g, ' ').slice(0, 90).replaceAll('|', '\\|'),
      calls: list.reduce((sum, { calls }) => sum + calls, 0) / month.length,
      ms: [of(former, ({ ms }) => ms), of(list, ({ ms }) => ms)] as const,
      blocks: [of(former, ({ blocks }) => blocks), of(list, ({ blocks }) => blocks)] as const,
    };
  });
  const grown = ({ blocks: [less, more] }: (typeof found)[number]) => more - (less || 0);
  const row = ({ text, calls, ms, blocks }: (typeof found)[number]) =>
    `| \`${text}\` | ${calls.toFixed(0)} | ${ms.map((one) => one.toFixed(2)).join(' | ')} | ${blocks.map((one) => one.toFixed(0)).join(' | ')} | ${(blocks[1] / blocks[0]).toFixed(1)} |`;
  const head = (what: string) => [
    '',
    `| ${what} | calls a round | ms, few | month | blocks, few | month | ratio |`,
    '|---|---:|---:|---:|---:|---:|---:|',
  ];
  return [
    ...head('most frequent'),
    ...found
      .toSorted((a, b) => b.calls - a.calls)
      .slice(0, 10)
      .map(row),
    ...head('most grown by blocks a call'),
    ...found
      .toSorted((a, b) => grown(b) - grown(a))
      .slice(0, 20)
      .map(row),
  ];
}
