import type { Static } from 'typebox';
import { type OfRoutine, onRoutine } from '../../access/routine.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { changedAt, revision, type Shown, shownAs, withChanges } from '../../http/change.ts';
import { matches } from '../../http/preconditions.ts';
import { ids, route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import type { Catalog } from '../../platform/catalog/catalog.ts';
import { isOffered, modelNotOffered } from '../model-offered.ts';
import {
  LARGEST_ROUTINE,
  onBehalfOfWrong,
  routine,
  routineChanged,
  routineOfAnother,
  scheduleWrong,
  startWrong,
  timeZoneWrong,
  unknownField,
} from './routine.ts';
import { mayActFor, requireOnBehalfOf, requireStart, type Start } from './wanted.ts';

/** Changes, pauses or resumes a routine. */
export const updateRoutine = ({ catalog }: { catalog: Catalog }) =>
  route({
    method: 'PUT',
    path: '/api/projects/{project_id}/routines/{routine_id}',
    area: 'Tasks',
    operationId: 'update_routine',
    summary: 'Update a routine',
    description:
      'A field that is omitted keeps its value, and null clears one; `{}` changes nothing. ' +
      '`enabled` pauses and resumes it; what it has missed meanwhile is not made up for. One that ' +
      'acts for another person only lets itself be renamed, limited, paused and resumed, unless ' +
      '`on_behalf_of_user_id` makes it act for you or a service account. Send the `ETag` of the ' +
      'routine you have read as `If-Match` to avoid overwriting a later change. Admins of the ' +
      'project, and the owner and admins of its workspace only.',
    access: onRoutine('manage_routines'),
    params: ids('project_id', 'routine_id'),
    body: routine.changes,
    bodyLimit: LARGEST_ROUTINE,
    sample: () => ({ body: { name: 'Monthly update', per_hour: 5 } }),
    responses: { 200: routine.shown('The current routine.') },
    headers: { 'If-Match': 'The ETag of the routine that you have read.' },
    errors: [
      modelNotOffered,
      unknownField,
      startWrong,
      scheduleWrong,
      timeZoneWrong,
      onBehalfOfWrong,
      routineChanged,
      routineOfAnother,
    ],
    handle: ({ body, headers, requestId, transaction }) => {
      if (!isOffered(catalog, body.model)) throw modelNotOffered(body.model);
      return transaction(async (tx, place) => {
        const current = await read(tx, place, headers['if-match']);
        if (!current.expected) throw routineChanged();
        const behalf = body.on_behalf_of_user_id ?? current.on_behalf_of_user_id;
        if (body.on_behalf_of_user_id !== undefined) await requireOnBehalfOf(tx, place, behalf);
        else if (speaks(body) && !current.speaks) throw routineOfAnother();
        const { starts_by, ...kept } = current.start;
        const {
          message = kept.message,
          schedule = kept.schedule,
          time_zone = kept.time_zone,
          label = kept.label,
        } = body;
        const start = { message, starts_by, schedule, time_zone, label };
        const nextAt = requireStart(start, new Date());
        return shownAs(200, await write(tx, place, changesOf(body, current, nextAt), requestId));
      });
    },
  });

/** What a change says in the name of whom the routine acts for. */
const SPOKEN = [
  'message',
  'title',
  'model',
  'spend_cap',
  'schedule',
  'time_zone',
  'label',
] as const;
const speaks = (body: object): boolean => SPOKEN.some((field) => field in body);

interface Current {
  start: Start & { enabled: boolean };
  on_behalf_of_user_id: string;
  /** Whether the caller may change what it says. */
  speaks: boolean;
  expected: boolean;
}

const read = (
  tx: Tx,
  { routine_id, userId }: OfRoutine & Caller,
  ifMatch: string | undefined,
): Promise<Current> =>
  tx.one(sql`
    select to_jsonb(t) as start, t.on_behalf_of_user_id,
           ${mayActFor({
             user: sql`t.on_behalf_of_user_id`,
             caller: sql`${userId}::uuid`,
             project: sql`t.project_id`,
           })} as speaks,
           ${matches(ifMatch, revision(sql`t.updated_at`))} as expected
      from routine t where t.id = ${routine_id}`);

const WRITTEN = [
  ...SPOKEN,
  'name',
  'on_behalf_of_user_id',
  'per_hour',
  'at_once',
  'enabled',
] as const;

/** The columns that change. One that a person resumes begins anew. */
function changesOf(
  body: Static<typeof routine.changes>,
  { start }: Current,
  nextAt: Date | null,
): Record<string, unknown> {
  const sent = WRITTEN.filter((field) => body[field] !== undefined).map((field) => [
    field,
    typeof body[field] === 'bigint' ? String(body[field]) : body[field],
  ]);
  const { schedule = start.schedule, time_zone = start.time_zone, enabled = start.enabled } = body;
  const resumed = enabled && !start.enabled;
  const moved = schedule !== start.schedule || time_zone !== start.time_zone;
  return {
    ...Object.fromEntries(sent),
    ...(resumed || moved ? { next_at: nextAt } : {}),
    ...(resumed ? { paused_reason: null, failures: 0 } : {}),
  };
}

// Its row is locked.
const write = (
  tx: Tx,
  { routine_id, organization_id, ...caller }: OfRoutine & Caller,
  changes: Record<string, unknown>,
  requestId: string,
): Promise<Shown> =>
  tx.one(sql`
    with ${actor(caller)},
    before as materialized (select t as row from routine t where t.id = ${routine_id}),
    next as materialized (
      select (${withChanges(sql`before.row`, changes)}).* from before),
    changed as (
      update routine t
         set name = n.name, message = n.message, title = n.title, model = n.model,
             spend_cap = n.spend_cap, on_behalf_of_user_id = n.on_behalf_of_user_id,
             schedule = n.schedule, time_zone = n.time_zone, label = n.label,
             per_hour = n.per_hour, at_once = n.at_once, next_at = n.next_at,
             enabled = n.enabled, paused_reason = n.paused_reason, failures = n.failures,
             updated_at = ${changedAt(sql`t.updated_at`)}
        from next n
       where t.id = n.id and t is distinct from n
      returning t as row),
    audited as (${auditRow({
      action: 'routine.update',
      requestId,
      target: sql`(changed.row).id`,
      organization: sql`${organization_id}::uuid`,
      project: sql`(changed.row).project_id`,
      before: routine.snapshot(sql`before.row`),
      after: routine.snapshot(sql`changed.row`),
      from: sql`changed cross join before`,
    })})
    select ${routine.columns}
      from before left join changed on true
           cross join lateral (select (coalesce(changed.row, before.row)).*) t`);
