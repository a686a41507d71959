import { onDeploy } from '../../access/deploy.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { FILE_ANSWERS, FILE_HEADERS } from '../../platform/files/file-answers.ts';
import { textFile } from '../../platform/files/text-file.ts';

/** What the command of a deploy has printed. */
export const getDeployLog = route({
  method: 'GET',
  path: '/api/deploys/{deploy_id}/log',
  area: 'Pull Requests & Deploys',
  operationId: 'get_deploy_log',
  summary: 'Get the log of a deploy',
  description:
    'The last 256 KiB that the command of the deploy has printed, as text, stored every few ' +
    'seconds while it runs. `***` stands for what has the form of a key of a well-known ' +
    'service. Empty when no command was run. Everyone who can open the project may ' +
    'read it.',
  access: onDeploy('open_project'),
  params: ids('deploy_id'),
  responses: { ...FILE_ANSWERS, 200: { ...FILE_ANSWERS[200], description: 'The log.' } },
  headers: FILE_HEADERS,
  errors: [],
  handle: ({ statement }) =>
    statement<{ content: string }>(
      {
        select: sql`
          select coalesce(l.content, '') as content
            from authorized left join deploy_log l using (deploy_id)`,
      },
      ({ content }) => textFile('deploy.log', content),
    ),
});
