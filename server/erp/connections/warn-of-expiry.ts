import { personMay } from '../../access/person-may.ts';
import type { Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';

/** How long before the expiry of a secret people are warned. */
const WARN_DAYS = 14;

/**
 * SQL: whether a person `person` of the view `project_person` gets mail about the connections of
 * their project: an admin who can open it and wants warnings by mail, as `u` of app_user says.
 */
export const mayBeWarned: Sql = sql`
  ${personMay('update_project')} and u.mail_warnings`;

/**
 * Warns that the secrets of connections expire within 14 days, and once more when they have: an
 * event of the project, and mail to its admins. Each once for each expiry, in one statement, so any
 * number of processes may look at once: a connection is marked in the statement that queues its mail.
 */
export async function warnOfExpiry(db: Pick<Tx, 'many'>, most = 500): Promise<number> {
  const [found] = await db.many<{ warned: number }>(sql`
    with due as materialized (
      select c.id, c.secret_expires_at,
             case when c.secret_expires_at <= now() then 'expired' else 'expires' end as level
        from odoo_connection c
       where c.secret is not null
         and c.secret_expires_at <= now() + make_interval(days => ${WARN_DAYS})
         and case when c.secret_expires_at <= now() then c.noted_as_expired else c.warned_of_expiry end
             is distinct from c.secret_expires_at
       order by c.secret_expires_at, c.id limit ${most}),
    marked as (
      update odoo_connection c
         set warned_of_expiry = c.secret_expires_at,
             noted_as_expired = case when due.level = 'expired' then c.secret_expires_at
                                     else c.noted_as_expired end
        from due
       where c.id = due.id and c.secret_expires_at = due.secret_expires_at
         and case due.level when 'expired' then c.noted_as_expired else c.warned_of_expiry end
             is distinct from c.secret_expires_at
      returning c.id, c.project_id, c.name, c.secret_expires_at, due.level),
    noted as (
      insert into audit_event (action, outcome, target_id, organization_id, project_id, after,
                               request_id)
      select 'odoo_connection.secret_' || marked.level, 'done', marked.id::text, p.organization_id,
             p.id, jsonb_build_object('name', marked.name,
                                      'secret_expires_at', marked.secret_expires_at),
             'expiry watch'
        from marked join project p on p.id = marked.project_id),
    warned as (
      insert into odoo_expiry_warning (connection_id, user_id, level, expires_at)
      select marked.id, person.user_id, marked.level, marked.secret_expires_at
        from marked
        join project_person person on person.project_id = marked.project_id
        join app_user u on u.id = person.user_id and ${mayBeWarned}
      on conflict on constraint odoo_expiry_warning_once do nothing
      returning id, user_id),
    mailed as (
      insert into mail (kind, recipient, subject_id)
      select 'odoo_expiry', u.email, warned.id
        from warned join app_user u on u.id = warned.user_id)
    select count(*)::integer as warned from marked`);
  return found?.warned ?? 0;
}
