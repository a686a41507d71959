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

/** Of one workspace or person, over all workers: others find a place although each may take an hour. */
const MOST_OF_ONE = 3;

/** Takes one that no worker has: of those who have the fewest at work, the one that waits longest. */
export const takeDump = (db: Database, { owner, lease }: Keeper) =>
  db.maybeOne<TakenDump>(sql`
    with at_work as (
      select coalesce(p.organization_id, p.owner_user_id) as whose, count(*) as dumps
        from odoo_dump d join project p on p.id = d.project_id
       where d.state = 'preparing' and d.lease_until >= now()
       group by whose),
    due as materialized (
      select d.id
        from odoo_dump d join project p on p.id = d.project_id
        left join at_work on at_work.whose = coalesce(p.organization_id, p.owner_user_id)
       where d.state = 'preparing' and d.not_before <= now()
         and (d.lease_until is null or d.lease_until < now())
         and coalesce(at_work.dumps, 0) < ${MOST_OF_ONE}
       order by coalesce(at_work.dumps, 0), d.not_before, d.id
       limit 1 for no key update of d skip locked)
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
