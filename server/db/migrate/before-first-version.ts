import type pg from 'pg';
import type { Migration } from './files.ts';

const FIRST = '0001-schema.sql';
/** The schema after it is that of `FIRST`. */
const LAST_BEFORE = '0206-brief-answers-index.sql';

/**
 * Databases of before version 0.1.0 had 141 migrations, which are one now. One that has them all is
 * recorded as having that one; nothing else of it changes. Throws an Error if it lacks any. Runs in
 * an open transaction, as the owner of the schema.
 */
export async function takeOverFromBefore(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<void> {
  const first = migrations.find(({ name }) => name === FIRST);
  if (first === undefined) return;
  const { rows } = await client.query<{ last: string | null; isFromBefore: boolean }>(`
    select max(name) as last, count(*) filter (where name = '0001-foundation.sql') > 0 as "isFromBefore"
      from schema_migration`);
  const [{ last, isFromBefore }] = rows as [(typeof rows)[number]];
  if (!isFromBefore) return;
  if (last !== LAST_BEFORE)
    throw new Error(
      `The database is of before version 0.1.0, at ${last}. Start it once with the last commit ` +
        `that has server/db/migrations/${LAST_BEFORE}, then with this version.`,
    );
  await client.query('delete from schema_migration');
  await client.query('insert into schema_migration (name, sha256) values ($1, $2)', [
    first.name,
    first.sha256,
  ]);
  await client.query('update schema_view set migration = $1', [first.name]);
}
