import { personMay } from '../../access/person-may.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/** Pauses a routine, records it, and tells the admins of its project by mail. */
export const pauseRoutine = (
  tx: Tx,
  routineId: string,
  reason: 'failing' | 'right_ended',
): Promise<unknown> =>
  tx.many(sql`
    with paused as (
      update routine set enabled = false, paused_reason = ${reason},
             updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
       where id = ${routineId} and enabled
      returning id, project_id, name),
    noted as (
      insert into audit_event (action, outcome, target_id, organization_id, project_id, after,
                               request_id)
      select 'routine.pause', 'done', paused.id::text, p.organization_id, p.id,
             jsonb_build_object('name', paused.name, 'reason', ${reason}::text), 'routines'
        from paused join project p on p.id = paused.project_id),
    told as (
      insert into routine_notice (routine_id, user_id)
      select paused.id, u.id
        from paused
        join project_person person on person.project_id = paused.project_id
         and ${personMay('manage_routines')}
        join app_user u on u.id = person.user_id and u.kind = 'person'
       where u.mail_warnings
      returning id, user_id)
    insert into mail (kind, recipient, subject_id)
    select 'routine_paused', u.email, told.id from told join app_user u on u.id = told.user_id`);
