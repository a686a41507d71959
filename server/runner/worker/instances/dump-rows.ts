import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';

/** The rows of dumps, as the workers that prepare them change them. */

/** A dump that this worker has just taken. */
export interface TakenDump {
  id: string;
  erpVersion: string;
  edition: string;
  key: string;
  size: number;
  attempt: number;
}

/** `lease`: milliseconds. */
interface Keeper {
  owner: string;
  lease: number;
}

/** The name of what is made of it. */
export const databaseOfDump = (id: string): string => `guildhall_dump_${id.replaceAll('-', '')}`;

/** Takes one that no worker has. */
export const takeDump = (db: Database, { owner, lease }: Keeper) =>
  db.maybeOne<TakenDump>(sql`
    with due as materialized (
      select id from odoo_dump
       where state = 'preparing' and not_before <= now()
         and (lease_until is null or lease_until < now())
       order by not_before, id limit 1 for no key update skip locked)
    update odoo_dump d
       set owner = ${owner}, lease_until = now() + ${lease}::bigint * interval '1 millisecond',
           attempt = d.attempt + 1
      from due, project p
     where d.id = due.id and p.id = d.project_id
    returning d.id, d.erp_version as "erpVersion", p.erp_edition as edition,
              d.storage_key as key, d.size::float8 as size, d.attempt`);

/** Whether it still belongs to this worker: not once it was deleted or replaced. */
export const renewDump = async (db: Database, { owner, lease }: Keeper, id: string) =>
  (
    await db.many(sql`
      update odoo_dump set lease_until = now() + ${lease}::bigint * interval '1 millisecond'
       where id = ${id} and owner = ${owner} and state = 'preparing' returning id`)
  ).length > 0;

export const dumpReady = (db: Database, owner: string, id: string) =>
  db.many(sql`
    update odoo_dump
       set state = 'ready', prepared_at = now(), attempt = 0, owner = null, lease_until = null
     where id = ${id} and owner = ${owner} and state = 'preparing' returning id`);

export const dumpFailed = (db: Database, owner: string, id: string, reason: string) =>
  db.many(sql`
    update odoo_dump
       set state = 'failed', reason = ${reason.slice(0, 1_000)}, owner = null, lease_until = null
     where id = ${id} and owner = ${owner} and state = 'preparing' returning id`);

/** It is tried again, by any worker. `after`: milliseconds. */
export const dumpPostponed = (db: Database, owner: string, id: string, after: number) =>
  db.many(sql`
    update odoo_dump
       set not_before = now() + ${after}::bigint * interval '1 millisecond', owner = null,
           lease_until = null
     where id = ${id} and owner = ${owner} and state = 'preparing' returning id`);

/** What was made of it is gone, so it is made again. */
export const dumpLost = (db: Database, id: string) =>
  db.many(sql`
    update odoo_dump set state = 'preparing', attempt = 0, not_before = now()
     where id = ${id} and state = 'ready' returning id`);

/** The dump of the project of a task. */
export const dumpOfTask = (db: Database, taskId: string) =>
  db.maybeOne<{ id: string; state: 'preparing' | 'ready' | 'failed'; erpVersion: string }>(sql`
    select d.id, d.state, d.erp_version as "erpVersion"
      from task t join odoo_dump d on d.project_id = t.project_id where t.id = ${taskId}`);
