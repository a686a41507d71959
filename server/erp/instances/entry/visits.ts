import { createHash, randomBytes } from 'node:crypto';
import { allowed } from '../../../access/project.ts';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';

/** How long a link lets someone in, in seconds. */
export const TICKET_SECONDS = 60;

export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The instance of a visit `v` runs, and its person may still work on its task. */
const isGood = sql`
  exists (select from erp_instance i
            join task t on t.id = i.task_id
            join project_person person
              on person.project_id = t.project_id and person.user_id = v.user_id
           where i.id = v.instance_id and i.state = 'running' and person.hidden_reason is null
             and person.acts_as = any(${allowed('work_on_task')}))`;

/** An instance that someone was let into. */
interface Visit {
  /** What their browser is known by. */
  session: string;
  database: string;
}

/** Lets in who has the ticket of a link, once. */
export async function beginVisit(
  db: Database,
  instanceId: string,
  ticket: string,
): Promise<Visit | undefined> {
  const session = randomBytes(32).toString('base64url');
  const [row] = await db.many<{ database: string }>(sql`
    with opened as (
      update erp_instance_visit v
         set session_hash = ${hashOf(session)}, opened_at = now()
       where v.ticket_hash = ${hashOf(ticket)} and v.instance_id = ${instanceId}
         and v.opened_at is null
         and v.created_at > now() - ${TICKET_SECONDS}::integer * interval '1 second'
         and ${isGood}
      returning v.instance_id)
    select i.database_name as database from opened join erp_instance i on i.id = opened.instance_id`);
  return row && { session, database: row.database };
}

/** Whether a browser is still let into an instance. */
export async function isVisiting(
  db: Pick<Database, 'read'>,
  instanceId: string,
  session: string,
): Promise<boolean> {
  const rows = await db.read(sql`
    select v.id from erp_instance_visit v
     where v.session_hash = ${hashOf(session)} and v.instance_id = ${instanceId} and ${isGood}`);
  return rows.length > 0;
}
