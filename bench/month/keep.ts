import type pg from 'pg';
import { auditLedger } from '../../server/billing/audit/ledger-audit.ts';
import { openDatabase } from '../../server/db/database/database.ts';
import { retentionRules } from '../../server/main/retention-rules.ts';
import { readConfig } from '../../server/platform/config/config.ts';
import { removeOld } from '../../server/platform/retention/remove-old.ts';
import { openEventLog } from '../../server/tasks/events/open-event-log.ts';

/** Tables with their rows and bytes, the largest first. */
export interface Size {
  table: string;
  rows: number;
  heap: number;
  indexes: number;
  toast: number;
}

export const sizesOf = async (owner: pg.Client): Promise<Size[]> => (await owner.query(SIZES)).rows;

const SIZES = `
  select relname as table, n_live_tup::float8 as rows,
         pg_relation_size(relid)::float8 as heap, pg_indexes_size(relid)::float8 as indexes,
         (pg_total_relation_size(relid) - pg_relation_size(relid) - pg_indexes_size(relid))::float8 as toast
    from pg_stat_user_tables
   order by pg_total_relation_size(relid) desc`;

/** What one rule has cost. */
export interface Removed {
  rule: string;
  rows: number;
  seconds: number;
  walMb: number;
  /** The longest of its batches: as long as its locks are held. */
  longestMs: number;
}

/** Removes what is old, as a server does once an hour, by the settings of `env`. */
export async function removeByRules(
  owner: pg.Client,
  url: string,
  env: Record<string, string>,
): Promise<Removed[]> {
  const db = openDatabase({ url });
  const log = openEventLog({ url });
  const removed: Removed[] = [];
  try {
    for (const rule of retentionRules(readConfig(env), { log })) {
      let longestMs = 0;
      const timed = {
        ...rule,
        remove: async (on: typeof db) => {
          const began = performance.now();
          const rows = await rule.remove(on);
          longestMs = Math.max(longestMs, performance.now() - began);
          return rows;
        },
      };
      const before = await lsn(owner);
      const began = performance.now();
      const [removal] = await removeOld(db, [timed]);
      if (removal?.failure !== undefined) throw removal.failure;
      const seconds = (performance.now() - began) / 1000;
      const walMb = ((await lsn(owner)) - before) / 1e6;
      if (removal !== undefined)
        removed.push({ rule: rule.name, rows: removal.removed, seconds, walMb, longestMs });
    }
  } finally {
    await log.close();
    await db.close();
  }
  return removed;
}

const lsn = async (owner: pg.Client): Promise<number> =>
  Number((await owner.query("select pg_current_wal_insert_lsn() - '0/0' as at")).rows[0].at);

/** What a vacuum of a table costs, and whether autovacuum would have come by itself. */
export interface Vacuumed {
  table: string;
  dead: number;
  /** How many dead rows autovacuum waits for. */
  waitsFor: number;
  seconds: number;
}

export async function vacuum(owner: pg.Client): Promise<Vacuumed[]> {
  const found: Vacuumed[] = [];
  const { rows } = await owner.query<Omit<Vacuumed, 'seconds'>>(DEAD);
  for (const row of rows) {
    const began = performance.now();
    await owner.query(`vacuum analyze ${row.table}`);
    found.push({ ...row, seconds: (performance.now() - began) / 1000 });
  }
  return found;
}

const DEAD = `
  select s.relname as table, n_dead_tup::float8 as dead,
         (coalesce(o.base, current_setting('autovacuum_vacuum_threshold'))::float8
          + coalesce(o.scale, current_setting('autovacuum_vacuum_scale_factor'))::float8 * c.reltuples)
           as "waitsFor"
    from pg_stat_user_tables s join pg_class c on c.oid = s.relid
   cross join lateral (
     select max(option_value) filter (where option_name = 'autovacuum_vacuum_threshold') as base,
            max(option_value) filter (where option_name = 'autovacuum_vacuum_scale_factor') as scale
       from pg_options_to_table(c.reloptions)) o
   where n_dead_tup > 1000
   order by n_dead_tup desc`;

/** The audit of the ledger, which a server makes once an hour: seconds. */
export async function audited(url: string): Promise<number> {
  const db = openDatabase({ url });
  const began = performance.now();
  await auditLedger(db);
  await db.close();
  return (performance.now() - began) / 1000;
}
