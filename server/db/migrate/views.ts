import type pg from 'pg';
import type { View } from './files.ts';
import { NewerDatabase } from './newer-database.ts';

/**
 * Current views and functions. Every text that was ever applied is recorded, so that a release can
 * tell that it is older than the database: then its text is known there, but it is not the last
 * one.
 */

const TABLE = `create table schema_view (
  name text not null,
  sha256 text not null,
  migration text not null,
  applied_at timestamptz not null default clock_timestamp(),
  primary key (name, sha256))`;

/** Makes the table of what was applied. */
export async function prepareViews(client: pg.Client): Promise<void> {
  const { rows } = await client.query("select to_regclass('schema_view') is null as missing");
  if (!rows[0].missing) return;
  await client.query(TABLE);
  await client.query(
    "comment on table schema_view is 'Which texts of views and functions were applied, and when.'",
  );
}

/**
 * The views and functions that are missing or have another text. `current`: the last migration of
 * this release. Throws when the database has a newer text of one.
 */
export async function changedViews(
  client: Pick<pg.Client, 'query'>,
  views: View[],
  current: string,
): Promise<View[]> {
  if (views.length === 0) return [];
  const { rows: found } = await client.query("select to_regclass('schema_view') as name");
  if (found[0].name === null) return views;
  const { rows } = await client.query(
    `select v.name, v.sha256, v.migration,
            v.applied_at = max(v.applied_at) over (partition by v.name) as last,
            exists (select from pg_class c
                     where c.relname = o.object
                       and c.relnamespace = to_regnamespace(current_schema()))
              or exists (select from pg_proc p
                          where p.proname = o.object
                            and p.pronamespace = to_regnamespace(current_schema())) as there
       from schema_view v
       join unnest($1::text[], $2::text[]) o(name, object) using (name)`,
    [views.map(({ name }) => name), views.map(({ object }) => object)],
  );
  return views.filter(({ name, sha256 }) => {
    const applied = rows.filter((row) => row.name === name);
    const ours = applied.find((row) => row.sha256 === sha256);
    const last = applied.find((row) => row.last);
    if (ours === undefined || last === undefined) return true;
    if (ours !== last && last.migration >= current)
      throw new NewerDatabase(`a later text of ${name} was applied to it`);
    return ours !== last || !ours.there;
  });
}

/** Applies them in one transaction that is open already. */
export async function applyViews(
  client: pg.Client,
  views: View[],
  current: string,
  apply: (name: string, text: string) => Promise<void>,
): Promise<void> {
  for (const { name, text, sha256 } of views) {
    await apply(name, text);
    await client.query(
      `insert into schema_view (name, sha256, migration) values ($1, $2, $3)
       on conflict (name, sha256) do update set applied_at = excluded.applied_at,
         migration = excluded.migration`,
      [name, sha256, current],
    );
  }
}
