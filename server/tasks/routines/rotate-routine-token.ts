import { onRoutine } from '../../access/routine.ts';
import { sql } from '../../db/sql.ts';
import { changedAt, type Shown, shownAs } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import type { Sealing } from '../../platform/sealing/sealing.ts';
import { withSealedSecret, withSecret } from '../../platform/sealing/shown-once.ts';
import { notCalled, routine, routineOfAnother } from './routine.ts';
import { hashToken, newToken } from './token.ts';
import { mayActFor } from './wanted.ts';

/** Gives a routine that is called a new token; the one before ends at once. */
export const rotateRoutineToken = ({ routineSealing }: { routineSealing: Sealing }) =>
  route({
    method: 'POST',
    path: '/api/projects/{project_id}/routines/{routine_id}/rotate-token',
    area: 'Tasks',
    operationId: 'rotate_routine_token',
    summary: 'Replace the token of a routine',
    description:
      'The new token is shown in this answer and never again; the one before calls nothing any ' +
      'more. Only for a routine that acts for you, or for a service account that you manage.',
    access: onRoutine('manage_routines'),
    params: ids('project_id', 'routine_id'),
    sample: () => ({}),
    responses: { 200: routine.shownOnce('The routine with its new token.', ['ETag']) },
    errors: [notCalled, routineOfAnother],
    completeAnswer: withSecret(routineSealing),
    handle: ({ requestId, statement }) => {
      const token = newToken();
      return statement<Shown & { item: string | null; called: boolean }>(
        {
          with: sql`
            changed as (
              update routine t
                 set token_hash = ${hashToken(token)}::bytea,
                     updated_at = ${changedAt(sql`t.updated_at`)}
                from authorized cross join caller
               where t.id = authorized.routine_id and t.starts_by = 'call'
                 and ${mayActFor({
                   user: sql`t.on_behalf_of_user_id`,
                   caller: sql`caller.user_id`,
                   project: sql`t.project_id`,
                 })}
              returning t as row),
            audited as (${auditRow({
              action: 'routine.rotate_token',
              requestId,
              target: sql`(changed.row).id`,
              organization: sql`authorized.organization_id`,
              project: sql`(changed.row).project_id`,
              before: sql`null::jsonb`,
              after: sql`jsonb_build_object('name', (changed.row).name)`,
              from: sql`changed cross join authorized`,
            })})`,
          select: sql`
            select r.starts_by = 'call' as called, ${routine.columns}
              from authorized join routine r on r.id = authorized.routine_id
              left join changed on true
             cross join lateral (select (changed.row).*) t`,
        },
        ({ item, revision, called }) => {
          if (!called) throw notCalled();
          // Whoever has the token speaks for whom the routine acts for.
          if (item === null) throw routineOfAnother();
          const shown = withSealedSecret(routineSealing, item, token, 'token');
          return shownAs(200, { item: shown, revision });
        },
      );
    },
  });
