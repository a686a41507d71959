import { sql } from '../../db/sql.ts';
import { route } from '../../http/route.ts';
import { onMute } from './project-mute.ts';

/** The caller is told nothing more of the tasks of a project. */
export const muteProject = route({
  ...onMute,
  method: 'PUT',
  operationId: 'mute_project',
  summary: 'Mute a project',
  description: 'You, and nobody else, are told nothing of its tasks until you unmute it.',
  responses: { 204: { description: 'The project is muted.' } },
  handle: ({ statement }) =>
    statement<object>(
      {
        with: sql`
          changed as (
            insert into project_mute (user_id, project_id)
            select caller.user_id, authorized.project_id from authorized cross join caller
            on conflict (user_id, project_id) do nothing
            returning project_id)`,
        select: sql`select (select project_id from changed) as project_id from authorized`,
      },
      () => ({ status: 204 }),
    ),
});
