import { Counter, Histogram, type Registry } from 'prom-client';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { sharedGauges } from '../../telemetry/metrics.ts';

/** What workers do with the code of tasks. */
type CodeWork = 'checks' | 'merge' | 'deploy';

/** What the metrics of that count. */
export interface CodeObserver {
  /** This process has ended something, so many seconds after it began with it. */
  onEnd(kind: CodeWork, result: string, seconds: number): void;
}

const RESULTS: Record<CodeWork, readonly string[]> = {
  checks: ['none', 'passed', 'failed'],
  merge: ['merged', 'failed'],
  deploy: ['success', 'failed'],
};

/** Adds what a process counts while it runs checks, merges and deploys to a registry. */
export function measureCodeWork(registry: Registry): CodeObserver {
  const ended = new Counter({
    name: 'guildhall_code_work_ended_total',
    help: 'Checks of commits, merges and deploys that this process has ended',
    labelNames: ['kind', 'result'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'guildhall_code_work_duration_seconds',
    help: 'From when this process began with it until its end was stored, by kind',
    labelNames: ['kind'],
    buckets: [0.1, 0.5, 1, 5, 15, 60, 120, 300, 600, 1_200, 3_600],
    registers: [registry],
  });
  for (const [kind, results] of Object.entries(RESULTS))
    for (const result of results) ended.inc({ kind, result }, 0);
  return {
    onEnd: (kind, result, seconds) => {
      ended.inc({ kind, result });
      duration.observe({ kind }, seconds);
    },
  };
}

/**
 * Adds what waits and runs in all processes to a registry. It is queried at each scrape, by index,
 * and left out while the database cannot be reached.
 */
export function measureCode(registry: Registry, db: Pick<Database, 'one'>): void {
  const gauge = sharedGauges(registry, () => readFigures(db));
  gauge(
    'code_work',
    'Checks of commits, merges, deploys and events about them that have not ended, by state',
    ['kind', 'state'],
    (work, { kinds }) => {
      for (const { kind, queued, running } of kinds) {
        work.set({ kind, state: 'queued' }, queued);
        if (kind === 'checks' || kind === 'deploy') work.set({ kind, state: 'running' }, running);
      }
    },
  );
  gauge(
    'code_work_oldest_due_seconds',
    'Age of the oldest that any worker could carry out now; 0 if there is none',
    ['kind'],
    (oldest, { kinds }) => {
      for (const { kind, due } of kinds) oldest.set({ kind }, due);
    },
  );
}

interface Figures {
  /** `due` in seconds. */
  kinds: { kind: string; queued: number; running: number; due: number }[];
}

// What waits for something else is not due: a deploy for the one before it, and a merge or an event
// for the worker that has begun with it.
const readFigures = (db: Pick<Database, 'one'>): Promise<Figures> =>
  db.one<Figures>(sql`
    with open (kind, running, since) as (
      select 'checks', s.state = 'running',
             case when s.state = 'queued' then s.created_at
                  when s.held_until < now() then s.held_until end
        from check_suite s
        join pull_request pr on pr.task_id = s.task_id
        join repository r on r.id = pr.repository_id and r.host = 'local'
       where s.state <> 'completed'
      union all
      select 'merge', false, case when not_before <= now() then not_before end
        from merge where state = 'queued'
      union all
      select 'deploy', d.state = 'running',
             case when d.state = 'running' and d.held_until < now() then d.held_until
                  when d.state = 'queued'
                       and not exists (select from deploy w
                                        where w.repository_id = d.repository_id
                                          and w.branch = d.branch and w.state = 'running'
                                          and w.height is not null) then d.created_at end
        from deploy d
       where d.state in ('queued', 'running') and d.height is not null
      union all
      select 'event', false, noted_at from task_event_outbox)
    select json_agg(each) as kinds
      from (select k.kind, count(*) filter (where o.kind = k.kind and not o.running)::int as queued,
                   count(*) filter (where o.running)::int as running,
                   coalesce(extract(epoch from now() - min(o.since)), 0)::float8 as due
              from (values ('checks'), ('merge'), ('deploy'), ('event')) k (kind)
              left join open o on o.kind = k.kind
             group by k.kind) each`);
