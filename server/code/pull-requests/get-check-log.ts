import { onCheck } from '../../access/task.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { FILE_ANSWERS, FILE_HEADERS } from '../../platform/files/file-answers.ts';
import { textFile } from '../../platform/files/text-file.ts';

/** What a check has written. */
export const getCheckLog = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/pull-request/checks/{check_id}/log',
  area: 'Pull Requests & Deploys',
  operationId: 'get_check_log',
  summary: 'Get the log of a check',
  description:
    'The last 256 KiB that a check has written, as text, with a line about how it ended; stored ' +
    'every few seconds while it runs. Control characters are removed; `***` stands for what ' +
    'has the form of a key of a well-known service. Empty before it has begun. ' +
    'Everyone who can open the project may read it.',
  access: onCheck('open_project'),
  params: ids('task_id', 'check_id'),
  responses: { ...FILE_ANSWERS, 200: { ...FILE_ANSWERS[200], description: 'The log.' } },
  headers: FILE_HEADERS,
  errors: [],
  handle: ({ statement }) =>
    statement<{ content: string }>(
      {
        select: sql`
          select coalesce((select content from check_log l where l.check_id = authorized.check_id),
                          '') as content
            from authorized`,
      },
      ({ content }) => textFile('check.log', content),
    ),
});
