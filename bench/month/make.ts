import { mkdir, rm } from 'node:fs/promises';
import pg from 'pg';
import { settleUsage } from '../../server/billing/ledger/usage.ts';
import { openDatabase } from '../../server/db/database/database.ts';
import type { Known } from '../world.ts';
import { multiply, newRows, type Row } from './multiply.ts';
import { type Place, SHAPES, SUBJECT, untilQuiet, withWorkshop } from './template.ts';

const DAYS = 30;
/** One more, which is due to be removed after thirty and seven days. */
export const KEPT = { days: DAYS + 1, events: 8 };

export const addressOf = (url: string, name: string): string =>
  Object.assign(new URL(url), { pathname: `/${name}` }).href;

/** Carries out one task of each shape in a new copy of the world, and returns what they left. */
export async function carryOutSome(
  admin: pg.Client,
  from: string,
  place: Place,
  known: Known,
): Promise<Row[]> {
  const { url } = place;
  await copyDatabase(admin, from, place.name);
  await rm(place.dataDir, { recursive: true, force: true });
  await mkdir(place.dataDir, { recursive: true, mode: 0o755 }); // the users of pods have to pass
  const owner = new pg.Client(url);
  await owner.connect();
  const db = openDatabase({ url });
  const rows: Row[] = [];
  try {
    await withWorkshop(place, known, async ({ carryOut }) => {
      await owner.query(ENDPOINTS);
      await owner.query('insert into operator (user_id) values ($1)', [
        known.workspaces[0]?.userId,
      ]);
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
    await owner.end();
  }
  return rows;
}

/** Makes of them a month of so many tasks a day, in another copy. */
export async function makeMonth(
  owner: pg.Client,
  rows: Row[],
  perDay: number,
  say: (line: string) => void,
): Promise<void> {
  const shapes = SHAPES.flatMap(({ of }, at) => Array.from({ length: of }, () => at));
  await owner.query(PLACES);
  await owner.query(COPIES, [perDay * KEPT.days, shapes, KEPT.days, KEPT.events]);
  await multiply(owner, rows, SUBJECT, say);
  await owner.query('drop table copy, place');
  say('vacuum analyze');
  await owner.query('vacuum analyze');
  await owner.query('checkpoint');
}

export async function copyDatabase(admin: pg.Client, from: string, name: string): Promise<void> {
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.query(`create database ${name} template ${from} strategy file_copy`);
}

// Each workspace tells somebody, as the first one does.
const ENDPOINTS = `
  with made as (
    insert into webhook_endpoint (organization_id, name, kind, url, event_types, sealed, sealed_key_id)
    select o.id, e.name, e.kind, e.url, e.event_types, e.sealed, e.sealed_key_id
      from webhook_endpoint e join organization o on o.id <> e.organization_id
    returning id)
  insert into webhook_queue (endpoint_id) select id from made on conflict do nothing`;

/** Where tasks are; the first one is where the tasks were carried out. */
const PLACES = `
  create unlogged table place as
  select row_number() over (order by u.email <> 'w0-0@example.com', p.name <> 'Project 0', p.id) - 1 as n,
         p.id as project_id, o.id as organization_id, o.owner_user_id as user_id,
         a.id as account_id, k.id as key_id, r.id as repository_id, e.id as endpoint_id
    from project p
    join organization o on o.id = p.organization_id
    join app_user u on u.id = o.owner_user_id
    join billing_account a on a.organization_id = o.id
    join api_key k on k.user_id = u.id
    join repository r on r.project_id = p.id
    join webhook_endpoint e on e.organization_id = o.id`;

// From the oldest to the newest, so that rows and ids are in the order in which they come about.
const COPIES = `
  create unlogged table copy as
  select t.n, ($2::int[])[1 + t.n % cardinality($2::int[])] as of, t.earlier,
         (extract(epoch from t.earlier) * 1000)::bigint as earlier_ms,
         t.earlier < $4::int * interval '1 day' as has_events,
         row_number() over (partition by p.account_id order by t.n) as of_account,
         'a ' || (array['better', 'new', 'faster', 'missing', 'monthly', 'printed', 'shared'])[1 + t.n % 7]
           || ' ' || (array['invoice', 'report', 'price list', 'calendar', 'warehouse', 'approval', 'label',
                            'reminder', 'import', 'total', 'discount'])[1 + t.n % 11]
           || ' ' || t.n as subject,
         p.project_id, p.organization_id, p.user_id, p.account_id, p.key_id, p.repository_id,
         p.endpoint_id
    from (select n, (1 - n / $1::float8) * ($3::int * interval '1 day') as earlier
            from generate_series(0, $1::int - 1) n) t
    join place p on p.n = (t.n * 7919::bigint) % (select count(*) from place)`;
