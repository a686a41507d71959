import Type from 'typebox';
import type { InProject } from '../../access/project.ts';
import { onLockedTask } from '../../access/task.ts';
import type { Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { apiError } from '../../http/errors.ts';
import { multilineText, object } from '../../http/input/fields.ts';
import { ids, route } from '../../http/route.ts';
import { message } from '../message.ts';
import { addedMessage, asCaller, sentMessage, tooManyMessages } from '../send-message.ts';
import { commentsMessage, type UnsentComment } from './comments-message.ts';

const noCommentsToSend = apiError(
  409,
  'no_comments_to_send',
  'All open comments on the code were sent already: write another one, or send a message',
);

/** Comments that one message may tell. */
const MOST = 200;

/** Tells the agent what people said about the code, all in one message. */
export const sendDiffComments = route({
  method: 'POST',
  path: '/api/tasks/{task_id}/diff-comments/send',
  area: 'Plans & Artifacts',
  operationId: 'send_diff_comments',
  wakes: true,
  summary: 'Send the comments on the code',
  description:
    'Sends the agent one message of the caller with all open comments on the code, of everybody, ' +
    'that were not sent yet, and queues its turn, as `create_message` does. Members of the ' +
    'project may. A message takes 100,000 characters: of more comments, the oldest are sent, ' +
    'each whole, and the others stay for the next message.',
  access: onLockedTask('work_on_task'),
  params: ids('task_id'),
  body: object({
    text: Type.Optional(
      multilineText({
        minLength: 1,
        maxLength: 10_000,
        description: 'What the message says before the comments.',
      }),
    ),
  }),
  bodyLimit: 128 * 1024,
  sample: () => ({ body: { text: 'Please correct these.' } }),
  responses: {
    201: {
      description: 'The message, queued.',
      schema: message.schema,
      example: message.example,
    },
  },
  errors: [noCommentsToSend, tooManyMessages],
  handle: ({ params: { task_id }, body, requestId, transaction }) =>
    transaction(async (tx, caller) => {
      const unsent = await unsentComments(tx, task_id);
      const { text, told } = commentsMessage(body.text, unsent);
      if (told.length === 0) throw noCommentsToSend();
      const { item } = await tx.one<{ item: string | null }>(
        sent(caller, { text, told: told.map(({ id }) => id) }, requestId),
      );
      if (item === null) throw tooManyMessages();
      return { status: 201, body: item };
    }),
});

// The task is locked, so that nobody else sends them; locked as well, none is changed meanwhile.
const unsentComments = (tx: Pick<Tx, 'many'>, taskId: string): Promise<UnsentComment[]> =>
  tx.many<UnsentComment>(sql`
    select c.id, a.name as author, c.commit_sha as commit, c.path, c.side,
           c.start_line as "startLine", c.line, c.line_text as "lineText", c.text
      from (select * from diff_comment
             where task_id = ${taskId} and message_number is null and resolved_at is null
             order by id limit ${MOST} for update) c
      join app_user a on a.id = c.author_user_id
     order by c.id`);

const sent = (
  caller: Caller & InProject & { task_id: string },
  { text, told }: { text: string; told: string[] },
  requestId: string,
): Sql => sql`
  with ${asCaller(caller)},
  ${sentMessage({ text, attachment_ids: [] }, requestId, 'diff_comment.send')},
  told as (
    update diff_comment c set message_number = added.number
      from added
     where c.task_id = added.task_id and c.id = any(${told}::uuid[]))
  select ${addedMessage} as item from authorized`;
