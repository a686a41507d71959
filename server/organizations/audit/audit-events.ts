import Type from 'typebox';
import { nothing, type Sql, sql } from '../../db/sql.ts';
import { fromAfterTo } from '../../http/days.ts';
import { dateTime, text, uuid } from '../../http/input/fields.ts';
import type { ListParts } from '../../http/list.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

const object = () => Type.Optional(Type.Object({}, { additionalProperties: true }));
const optionalUuid = () => Type.Optional(uuid());

/** A row `e` of `audit_event` with its actor `u`: who did what, or was refused. */
export const auditEvent = resource('AuditEvent', {
  id: [uuid(), sql`e.id`, '01939e6c-2f4a-7b1c-8d2e-3f4a5b6c7d8e'],
  occurred_at: [timestamp(), sql`e.occurred_at`, '2026-11-21T08:15:30.123Z'],
  action: [Type.String(), sql`e.action`, 'team.update'],
  outcome: [Type.Enum(['done', 'refused']), sql`e.outcome`, 'done'],
  code: [
    Type.Optional(Type.String({ description: 'Why the attempt was refused.' })),
    sql`e.code`,
    undefined,
  ],
  actor_user_id: [optionalUuid(), sql`e.actor_user_id`, '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  actor_name: [Type.Optional(Type.String()), sql`u.name`, 'Ada Byron'],
  actor_email: [Type.Optional(Type.String()), sql`u.email`, 'ada@example.com'],
  key_id: [optionalUuid(), sql`e.key_id`, '2b3c4d5e-6f7a-4b8c-9d0e-1f2a3b4c5d6e'],
  session_id: [optionalUuid(), sql`e.session_id`, undefined],
  target_id: [Type.String(), sql`e.target_id`, '5d0f9a4e-7c1b-4e2a-8f3d-6b7c8d9e0f1a'],
  project_id: [optionalUuid(), sql`e.project_id`, undefined],
  before: [object(), sql`e.before`, { name: 'Core' }],
  after: [object(), sql`e.after`, { name: 'Platform' }],
  request_id: [Type.String(), sql`e.request_id`, '4c5d6e7f-8a9b-4c0d-9e1f-2a3b4c5d6e7f'],
});

/** The filters of the trail, for its list and its export. */
export const auditFilters = {
  action: Type.Optional(
    text({ minLength: 1, maxLength: 100, description: 'Only this action, such as `team.update`.' }),
  ),
  actor_user_id: Type.Optional(uuid({ description: 'Only what this person did or tried.' })),
  target_id: Type.Optional(
    text({ minLength: 1, maxLength: 255, description: 'Only what was done to this object.' }),
  ),
  from: Type.Optional(dateTime({ description: 'Only events at this time or later.' })),
  to: Type.Optional(dateTime({ description: 'Only events before this time.' })),
};

interface AuditFilters {
  action?: string;
  actor_user_id?: string;
  target_id?: string;
  from?: string;
  to?: string;
}

/**
 * The trail of the workspace `organization` (a uuid), newest first. The workspace is compared as a
 * value instead of joined, so that an index gives the order: the trail may be long. Errors: 422
 * from_after_to.
 */
export function auditTrail(organization: Sql, filters: AuditFilters): ListParts {
  const { action, actor_user_id, target_id, from, to } = filters;
  // In UTC without the final Z, so that one with fewer digits is the smaller text.
  if (from !== undefined && to !== undefined && from.slice(0, -1) > to.slice(0, -1))
    throw fromAfterTo();
  return {
    json: auditEvent.json,
    rows: sql`
      from audit_event e
      left join app_user u on u.id = e.actor_user_id
     where e.organization_id = ${organization}
       ${action === undefined ? nothing : sql`and e.action = ${action}`}
       ${actor_user_id === undefined ? nothing : sql`and e.actor_user_id = ${actor_user_id}`}
       ${target_id === undefined ? nothing : sql`and e.target_id = ${target_id}`}
       ${from === undefined ? nothing : sql`and e.occurred_at >= ${from}`}
       ${to === undefined ? nothing : sql`and e.occurred_at < ${to}`}`,
    order: [
      { by: sql`e.occurred_at`, type: 'timestamptz' },
      { by: sql`e.id`, type: 'uuid' },
    ],
    descending: true,
  };
}
