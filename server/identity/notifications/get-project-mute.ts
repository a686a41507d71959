import { sql } from '../../db/sql.ts';
import { route } from '../../http/route.ts';
import { mute, onMute } from './project-mute.ts';

/** Whether the caller has muted a project. */
export const getProjectMute = route({
  ...onMute,
  method: 'GET',
  operationId: 'get_project_mute',
  summary: 'Get whether you have muted a project',
  description: 'A muted project tells you nothing of its tasks.',
  responses: { 200: mute.shown('Whether it is muted.', []) },
  handle: ({ statement }) =>
    statement<{ item: string }>(
      { select: sql`select ${mute.json} as item from authorized` },
      ({ item }) => ({ status: 200, body: item }),
    ),
});
