import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { auditLedger } from '../server/billing/audit/ledger-audit.ts';
import { settleUsage } from '../server/billing/ledger/usage.ts';
import { openDatabase } from '../server/db/database/database.ts';
import { retentionRules } from '../server/main/retention-rules.ts';
import { readConfig } from '../server/platform/config/config.ts';
import { removeOld } from '../server/platform/retention/remove-old.ts';
import { openEventLog } from '../server/tasks/events/open-event-log.ts';
import { prepareRounds, round, roundLines } from './month/measure.ts';
import { DAYS, multiply, newRows, type Row } from './month/multiply.ts';
import { type Place, SHAPES, SUBJECT, TOLD, untilQuiet, withWorkshop } from './month/workshop.ts';
import { aligned, tableOf } from './report.ts';
import type { Setting } from './setting.ts';
import { type Known, prepare } from './world.ts';

/** 200 workspaces with 2,000 projects, as they are before the month. */
const WORLD = { name: 'bench_month_world', workspaces: 200, transfers: 10_000, large: [] };
/** Rules without a number of days keep what they are about for ever; here, all of them have a week. */
const A_WEEK = Object.fromEntries(
  'EVENTS LOGS CONVERSATIONS FILES IDEMPOTENCY WEBHOOKS MAIL NOTIFICATIONS ROUTINE_RUNS SIGN_INS INVITATIONS'
    .split(' ')
    .map((name) => [`RETENTION_${name}_DAYS`, '7']),
);

/**
 * A month of so many tasks a day, beside the same place with a few tasks: the size of each table, the
 * statements of a server, its pages, retention, vacuum and the audit of the ledger. Both databases are
 * dropped afterwards.
 */
export async function month({
  adminUrl,
  directory,
  perDay,
  rounds,
  say,
}: Pick<Setting, 'adminUrl' | 'directory' | 'perDay' | 'rounds' | 'say'>): Promise<void> {
  const { known } = await prepare(adminUrl, directory, WORLD, say);
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  const placeOf = (name: string): Place => ({
    name,
    url: Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href,
    dataDir: join(directory, 'month'),
  });
  const places = [placeOf('bench_month_few'), placeOf('bench_month')] as const;
  const [few, many] = places;
  const print = (...lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`);
  try {
    await admin.query('create extension if not exists pg_stat_statements');
    await copyDatabase(admin, WORLD.name, few.name);
    say('a few tasks are carried out');
    const rows = await onDatabase(few.url, (owner) => carryOutSome(owner, few, known));
    await copyDatabase(admin, few.name, many.name);
    await onDatabase(many.url, async (owner) => {
      const began = performance.now();
      await multiply(owner, rows, perDay, say);
      const minutes = (performance.now() - began) / 60_000;
      print(`${perDay * DAYS} tasks, made in ${minutes.toFixed(0)} minutes`);
      print(...(await tableOf(owner, SIZES, [perDay * DAYS])));
      await prepareRounds(admin);
      for (let at = 1; at <= rounds; at++)
        for (const place of places) {
          say(`round ${at} of ${rounds}: ${place === few ? 'few tasks' : 'the month'}`);
          await round(admin, place, known, at);
        }
      print(...(await roundLines(admin, few, many, rounds)));
      await owner.query('vacuum analyze');
      say('the audit of the ledger');
      const db = openDatabase({ url: many.url });
      const audited = await secondsOf(() => auditLedger(db));
      await db.close();
      print('', `The hourly audit of the ledger: ${audited} s`);
      for (const [name, env] of [
        ['retention of a day, by default', {}],
        ['of nothing, an hour later', {}],
        ['then of all but the last week', A_WEEK],
      ] as const) {
        say(name);
        print('', ...aligned(await removed(owner, many.url, name, env)));
        print('', ...aligned(await vacuumed(owner)));
      }
    });
  } finally {
    for (const { name } of places)
      await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  }
}

async function onDatabase<Result>(url: string, work: (owner: pg.Client) => Promise<Result>) {
  const owner = new pg.Client(url);
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
}

async function copyDatabase(admin: pg.Client, from: string, name: string): Promise<void> {
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.query(`create database ${name} template ${from} strategy file_copy`);
}

const secondsOf = async (work: () => Promise<unknown>): Promise<string> => {
  const began = performance.now();
  await work();
  return ((performance.now() - began) / 1000).toFixed(1);
};

/** Carries out one task of each shape in a new copy of the world, and returns what they left. */
async function carryOutSome(owner: pg.Client, place: Place, known: Known): Promise<Row[]> {
  const [first] = known.workspaces;
  await rm(place.dataDir, { recursive: true, force: true });
  await mkdir(place.dataDir, { recursive: true, mode: 0o755 }); // the users of pods have to pass
  const db = openDatabase({ url: place.url });
  const rows: Row[] = [];
  try {
    await withWorkshop(place, known, async ({ carryOut, client }) => {
      await client.post('/api/organizations/{org_id}/webhooks', {
        org_id: first?.id as string,
        body: {
          name: 'Bench',
          kind: 'standard',
          url: TOLD,
          event_types: ['task.plan_waiting', 'task.merged', 'task.failed'],
        },
      });
      await owner.query(ENDPOINTS);
      await owner.query('insert into operator (user_id) values ($1)', [first?.userId]);
      await untilQuiet(owner);
      const read = await newRows(owner);
      for (const [of, shape] of SHAPES.entries()) {
        await carryOut(shape, SUBJECT);
        await untilQuiet(owner);
        await settleUsage(db); // as it is within the hour
        rows.push(...(await read(of)));
      }
    });
    // What waits for nothing is analysed as it is after the month.
    await owner.query('vacuum analyze');
  } finally {
    await db.close();
  }
  return rows;
}

// Each workspace tells somebody, as the first one does.
const ENDPOINTS = `
  with made as (
    insert into webhook_endpoint (organization_id, name, kind, url, event_types, sealed, sealed_key_id)
    select o.id, e.name, e.kind, e.url, e.event_types, e.sealed, e.sealed_key_id
      from webhook_endpoint e join organization o on o.id <> e.organization_id
    returning id)
  insert into webhook_queue (endpoint_id) select id from made on conflict do nothing`;

/** Of all tables and of the 25 largest. */
const SIZES = `
  select coalesce(relname, 'all') as table, sum(n_live_tup) as rows,
         round(sum(n_live_tup) / $1, 1) as "a task",
         round(sum(pg_relation_size(relid)) / 1e6) as "MB",
         round(sum(pg_indexes_size(relid)) / 1e6) as "of indexes",
         round(sum(pg_total_relation_size(relid) - pg_relation_size(relid) - pg_indexes_size(relid))
               / 1e6) as "of long values"
    from pg_stat_user_tables group by rollup (relname)
   order by sum(pg_total_relation_size(relid)) desc limit 26`;

/** Removes what is old, as a server does once an hour, by the settings of `env`: what it has cost. */
async function removed(
  owner: pg.Client,
  url: string,
  name: string,
  env: Record<string, string>,
): Promise<string[][]> {
  const db = openDatabase({ url });
  const log = openEventLog({ url });
  const lsn = async () =>
    Number((await owner.query("select pg_current_wal_insert_lsn() - '0/0' as at")).rows[0].at);
  const table = [[name, 'rows', 's', 'MB of WAL', 'longest call, ms']];
  try {
    for (const rule of retentionRules(readConfig(env), { log })) {
      let longestMs = 0;
      const remove = async (on: typeof db) => {
        const began = performance.now();
        const rows = await rule.remove(on);
        longestMs = Math.max(longestMs, performance.now() - began);
        return rows;
      };
      const before = await lsn();
      let rows = 0;
      const seconds = await secondsOf(async () => {
        const [removal] = await removeOld(db, [{ ...rule, remove }]);
        if (removal?.failure !== undefined) throw removal.failure;
        rows = removal?.removed ?? 0;
      });
      const walMb = ((await lsn()) - before) / 1e6;
      if (rows > 0 || Number(seconds) > 0.1)
        table.push([rule.name, `${rows}`, seconds, walMb.toFixed(0), longestMs.toFixed(0)]);
    }
  } finally {
    await log.close();
    await db.close();
  }
  return table;
}

/** What a vacuum of each table costs, and whether autovacuum would have come by itself. */
async function vacuumed(owner: pg.Client): Promise<string[][]> {
  const table = [['vacuum', 'dead rows', 'autovacuum waits for', 's']];
  for (const { name, dead, limit } of (await owner.query(DEAD)).rows)
    table.push([name, dead, limit, await secondsOf(() => owner.query(`vacuum analyze ${name}`))]);
  return table;
}

const DEAD = `
  select s.relname as name, n_dead_tup as dead,
         round((coalesce(o.base, current_setting('autovacuum_vacuum_threshold'))::float8
          + coalesce(o.scale, current_setting('autovacuum_vacuum_scale_factor'))::float8
            * c.reltuples))::text as limit
    from pg_stat_user_tables s join pg_class c on c.oid = s.relid
   cross join lateral (
     select max(option_value) filter (where option_name = 'autovacuum_vacuum_threshold') as base,
            max(option_value) filter (where option_name = 'autovacuum_vacuum_scale_factor') as scale
       from pg_options_to_table(c.reloptions)) o
   where n_dead_tup > 1000
   order by n_dead_tup desc`;
