import { personMay } from '../../access/person-may.ts';
import { onProject } from '../../access/project.ts';
import { rolesThatMay } from '../../access/roles.ts';
import type { Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { type StartsBy, unknownFields } from './message-fields.ts';
import {
  onBehalfOfWrong,
  scheduleWrong,
  startWrong,
  timeZoneWrong,
  unknownField,
} from './routine.ts';
import { readSchedule } from './schedule.ts';

/** Who manages the routines of a project. */
export const onRoutines = onProject('manage_routines');

/** What says when a routine begins, and with what message. */
export interface Start {
  message: string;
  starts_by: StartsBy;
  schedule: string | null;
  time_zone: string | null;
  label: string | null;
}

/**
 * When a routine with this start is next due; null without a schedule. Errors: 422 unknown_field,
 * start_wrong, schedule_wrong, time_zone_wrong.
 */
export function requireStart(start: Start, now: Date): Date | null {
  const { message, starts_by, schedule, time_zone, label } = start;
  const [unknown] = unknownFields(message, starts_by);
  if (unknown !== undefined) throw unknownField(unknown);
  const scheduled = starts_by === 'schedule';
  if (scheduled !== (schedule !== null) || scheduled !== (time_zone !== null)) throw startWrong();
  if ((starts_by === 'label') !== (label !== null)) throw startWrong();
  if (schedule === null || time_zone === null) return null;
  const read = readSchedule(schedule, time_zone, now);
  if (read.ok) return read.next;
  throw read.because === 'time_zone' ? timeZoneWrong(time_zone) : scheduleWrong(schedule);
}

/**
 * SQL: whether a caller may let routines of a project act for this user, and so speak for them:
 * only for themselves, and people who manage the service accounts of its workspace for those: no
 * service account manages another (access/service-account.ts).
 */
export const mayActFor = ({ user, caller, project }: Record<'user' | 'caller' | 'project', Sql>) =>
  sql`(${user} = ${caller} or exists (
    select from app_user service
      join project of_it on of_it.id = ${project} and of_it.organization_id = service.service_of
      join organization o on o.id = of_it.organization_id
      join membership own on own.organization_id = o.id and own.user_id = ${caller}
      join app_user chooser on chooser.id = own.user_id and chooser.kind = 'person'
      join role own_role on own_role.id = own.role_id
     where service.id = ${user}
       and (o.owner_user_id = ${caller}
            or own_role.acts_as = any(${rolesThatMay('manage_service_accounts')}::text[]))))`;

/**
 * A routine acts for whoever writes it or for a service account that they manage, who may create
 * tasks there now. Errors: 422 on_behalf_of_wrong.
 */
export async function requireOnBehalfOf(
  tx: Tx,
  place: { project_id: string; userId: string },
  userId: string,
): Promise<void> {
  const may = await tx.maybeOne(sql`
    select person.user_id from project_person person
     where person.project_id = ${place.project_id} and person.user_id = ${userId}
       and ${personMay('create_task')}
       and ${mayActFor({
         user: sql`person.user_id`,
         caller: sql`${place.userId}::uuid`,
         project: sql`${place.project_id}::uuid`,
       })}`);
  if (may === undefined) throw onBehalfOfWrong(userId);
}
