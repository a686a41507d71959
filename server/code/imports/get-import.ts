import { onRepository } from '../../access/repository.ts';
import { sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { createTransfers } from '../../http/transfers.ts';
import { answered, gitLate } from '../repositories/answered.ts';
import type { Branches } from '../repositories/branches.ts';
import { hasBuilt, localMain, taskRepository } from '../repositories/task-repository.ts';
import { importState, repositoryImport } from './import.ts';

const gitBusy = apiError(
  503,
  'git_busy',
  'Too many repositories are being read, or too many for you: wait a moment, then try again',
  { 'retry-after': '5' },
);

/** The last import into a repository, and whether it takes one. */
export const getImport = ({ branches }: { branches: Branches }) => {
  const transfers = createTransfers(gitBusy, { limit: 64, perUser: 4 });
  return route({
    method: 'GET',
    path: '/api/projects/{project_id}/repositories/{repository_id}/import',
    area: 'Projects',
    operationId: 'get_repository_import',
    summary: 'Get the import of a repository',
    description:
      'The last import into the repository, without its credential, and whether the repository ' +
      'takes one. Read it every second or two while it is `queued` or `running`. Everyone who ' +
      'can open the project may see it.',
    access: onRepository('open_project'),
    params: ids('project_id', 'repository_id'),
    responses: {
      200: {
        description: 'The last import, if there was one.',
        schema: importState,
        example: { takes_history: false, import: repositoryImport.example },
      },
    },
    errors: [gitBusy, gitLate],
    handle: ({ statement }) =>
      statement<{ item: string | null; here: boolean; built: boolean }>(
        {
          select: sql`
            select authorized.host = 'local'
                   and (not ${localMain(sql`authorized`)}
                        or (select ${taskRepository(sql`r`)} from repository r
                             where r.id = authorized.repository_id)) as here,
                   ${hasBuilt(sql`authorized.project_id`)} as built,
                   (select ${repositoryImport.json} from repository_import t
                     where t.repository_id = authorized.repository_id
                     order by t.created_at desc limit 1) as item
              from authorized`,
        },
        ({ project_id, full_name, userId, item, here, built }) => {
          const shown = item === null ? {} : { import: JSON.parse(item) };
          if (!here) return { status: 200, body: { takes_history: false, ...shown } };
          const later = async (signal: AbortSignal) => {
            const repository = { projectId: project_id, name: full_name };
            const asker = { userId, signal };
            // One that is not made yet holds nothing.
            const takes =
              (await answered(branches.takesHistory(repository, asker))) ??
              (built ? undefined : true);
            const takes_history = takes === undefined ? {} : { takes_history: takes };
            return { status: 200, body: { ...takes_history, ...shown } };
          };
          return { status: 200, later: (signal) => transfers.run(userId, () => later(signal)) };
        },
      ),
  });
};
