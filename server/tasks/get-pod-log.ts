import { onTask } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { ids, route } from '../http/route.ts';
import { FILE_ANSWERS, FILE_HEADERS } from '../platform/files/file-answers.ts';
import { textFile } from '../platform/files/text-file.ts';

/** What the agents of a pod have written beside their messages. */
export const getPodLog = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/pod/log',
  area: 'Tasks',
  operationId: 'get_pod_log',
  summary: 'Get the log of a pod',
  description:
    'The last 64 KiB that agents have written to standard error in the newest pod of the task, as ' +
    'text, stored every few seconds while they run. `***` stands for the secrets that the agent was ' +
    'given, also where they are encoded, and for what has the form of a key of a well-known ' +
    'service. Empty without a pod. Everyone who can open the project may read it.',
  access: onTask('open_project'),
  params: ids('task_id'),
  responses: { ...FILE_ANSWERS, 200: { ...FILE_ANSWERS[200], description: 'The log.' } },
  headers: FILE_HEADERS,
  errors: [],
  handle: ({ statement }) =>
    statement<{ content: string }>(
      {
        select: sql`
          select coalesce(
                   (select l.content
                      from (select id from pod where pod.task_id = authorized.task_id
                             order by generation desc, created_at desc limit 1) p
                      join pod_log l on l.pod_id = p.id), '') as content
            from authorized`,
      },
      ({ content }) => textFile('pod.log', content),
    ),
});
