import type pg from 'pg';
import type { Migration } from './files.ts';
import { prepareViews } from './views.ts';

/** The schema after it is that of `0001-schema.sql`. */
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

/** Whether the names of applied migrations are of a database of before version 0.1.0. */
export const isFromBefore = (names: readonly string[]): boolean =>
  names.includes('0001-foundation.sql');

/**
 * Databases of before version 0.1.0 had 141 migrations, which are one now. One that has them all is
 * recorded as having that one; beside a few names nothing of it changes. Throws an Error if it lacks
 * any. Runs in an open transaction, as the owner of the schema.
 */
export async function takeOver(
  client: pg.Client,
  names: readonly string[],
  { name, sha256 }: Migration,
): Promise<void> {
  const last = names.at(-1);
  if (last !== LAST_BEFORE)
    throw new Error(
      `The database is of before version 0.1.0, at ${last}. Start it once with the last commit ` +
        `that has server/db/migrations/${LAST_BEFORE}, then with this version.`,
    );
  await client.query(RENAMED).catch((error) => {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  });
  await client.query('delete from schema_migration');
  await client.query('insert into schema_migration (name, sha256) values ($1, $2)', [name, sha256]);
  // Its views may never have been applied.
  await prepareViews(client);
  await client.query('update schema_view set migration = $1', [name]);
}
