import { sql } from '../../db/sql.ts';
import { route } from '../../http/route.ts';
import { onMute } from './project-mute.ts';

/** The caller is told of the tasks of a project again. */
export const unmuteProject = route({
  ...onMute,
  method: 'DELETE',
  operationId: 'unmute_project',
  summary: 'Unmute a project',
  description: 'Changes nothing if you have not muted it.',
  responses: { 204: { description: 'The project is not muted.' } },
  handle: ({ statement }) =>
    statement<object>(
      {
        with: sql`
          deleted as (
            delete from project_mute m
             using authorized cross join caller
             where m.user_id = caller.user_id and m.project_id = authorized.project_id
            returning m.project_id)`,
        select: sql`select (select project_id from deleted) as project_id from authorized`,
      },
      () => ({ status: 204 }),
    ),
});
