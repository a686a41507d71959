import type pg from 'pg';
import type { Migration } from './files.ts';
import { prepareViews } from './views.ts';

const FIRST = '0001-schema.sql';
/** The schema after it is that of `FIRST`. */
const LAST_BEFORE = '0206-brief-answers-index.sql';

/** What is named otherwise since. */
const RENAMED = `
  alter table task_turn rename told_at to published_at;
  alter index task_turn_untold rename to task_turn_unpublished;
  alter table artifact rename told_at to published_at;
  alter table pod_wish rename to pod_request;
  alter table pod_request rename wish to action;
  alter table pod_request rename constraint pod_wish_wish_check to pod_request_action_check;
  alter table pod_request rename constraint pod_wish_attempts_check to pod_request_attempts_check;
  alter table pod_request rename constraint pod_wish_task_id_fkey to pod_request_task_id_fkey;
  alter table pod_request rename constraint pod_wish_requested_by_user_id_fkey
    to pod_request_requested_by_user_id_fkey;
  alter index pod_wish_pkey rename to pod_request_pkey;
  alter index pod_wish_due rename to pod_request_due;
  alter index pod_wish_requested_by rename to pod_request_requested_by`;

/**
 * Databases of before version 0.1.0 had 141 migrations, which are one now. One that has them all is
 * recorded as having that one; beside a few names nothing of it changes. Returns whether it was one.
 * Throws an Error if it lacks any, or if `mayMigrate` is false: only the owner of the schema can take
 * it over. Runs in an open transaction.
 */
export async function takeOverFromBefore(
  client: pg.Client,
  migrations: readonly Migration[],
  mayMigrate: boolean,
): Promise<boolean> {
  const first = migrations.find(({ name }) => name === FIRST);
  if (first === undefined) return false;
  const { rows } = await client.query<{ last: string | null; isFromBefore: boolean }>(`
    select max(name) as last, count(*) filter (where name = '0001-foundation.sql') > 0 as "isFromBefore"
      from schema_migration`);
  const [{ last, isFromBefore }] = rows as [(typeof rows)[number]];
  if (!isFromBefore) return false;
  if (last !== LAST_BEFORE)
    throw new Error(
      `The database is of before version 0.1.0, at ${last}. Start it once with the last commit ` +
        `that has server/db/migrations/${LAST_BEFORE}, then with this version.`,
    );
  if (!mayMigrate) throw new Error(notTheOwner([first]));
  await client.query(RENAMED).catch((error) => {
    throw new Error(`${FIRST}: ${(error as Error).message}`, { cause: error });
  });
  await client.query('delete from schema_migration');
  await client.query('insert into schema_migration (name, sha256) values ($1, $2)', [
    first.name,
    first.sha256,
  ]);
  // Its views may never have been applied.
  await prepareViews(client);
  await client.query('update schema_view set migration = $1', [first.name]);
  return true;
}

/** What a login is told that may not migrate. */
export const notTheOwner = (missing: readonly { name: string }[]) =>
  `The database lacks ${missing.map(({ name }) => name).join(', ')}, ` +
  'and this login is not its owner: run ' +
  '`guildhall migrate` with the login of its owner in DATABASE_URL, then start again.';
