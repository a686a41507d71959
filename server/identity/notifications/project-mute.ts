import { onProject } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { boolean } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { ids } from '../../http/route.ts';

/** Whether the caller of `authorized` has muted its project. */
export const mute = resource('ProjectMute', {
  muted: [
    boolean({ description: 'Whether you are told nothing of the tasks of the project.' }),
    sql`
      exists (select from project_mute m
               where m.project_id = authorized.project_id
                 and m.user_id = (select user_id from caller))`,
    true,
  ],
});

/** What the operations on it have in common. */
export const onMute = {
  path: '/api/projects/{project_id}/mute',
  area: 'Account',
  access: onProject('open_project'),
  params: ids('project_id'),
  errors: [],
} as const;
