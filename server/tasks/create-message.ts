import Type from 'typebox';
import { onTask } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { notFound } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import {
  allWanted,
  attachmentIds,
  attachmentNotFound,
} from '../platform/files/claim-attachments.ts';
import { LARGEST_MESSAGE, message, messageText } from './message.ts';
import { addedMessage, sentMessage, tooManyMessages } from './send-message.ts';

/** Sends a message to the agent. While it works, messages wait in the order they were written. */
export const createMessage = route({
  method: 'POST',
  path: '/api/tasks/{task_id}/messages',
  area: 'Tasks',
  operationId: 'create_message',
  wakes: true,
  summary: 'Send a message',
  description:
    'Sends a message to the agent. Members of the project may. While the agent works, messages ' +
    'wait, and it reads them one after the other. Unless the current version of the plan is ' +
    'approved, the agent answers with a plan, and changes nothing; afterwards it does what ' +
    'the message asks for. A task that is ready, failed or cancelled goes on; one that is paused keeps the ' +
    'message until it does.',
  access: onTask('work_on_task'),
  params: ids('task_id'),
  body: Type.Object(
    { text: messageText(), attachment_ids: attachmentIds() },
    { additionalProperties: false },
  ),
  bodyLimit: LARGEST_MESSAGE,
  sample: () => ({ body: { text: 'Round the limit to whole euros.' } }),
  responses: {
    201: {
      description: 'The message, queued.',
      schema: message.schema,
      example: message.example,
    },
  },
  errors: [attachmentNotFound, tooManyMessages],
  handle: ({ body, requestId, statement }) =>
    statement<{ item: string | null; exists: boolean; complete: boolean; added: boolean }>(
      {
        with: sentMessage(body, requestId),
        select: sql`
          select exists (select from current) as exists, exists (select from added) as added,
                 ${allWanted(body.attachment_ids)} as complete,
                 ${addedMessage} as item
            from authorized`,
      },
      ({ item, exists, complete, added }) => {
        if (!exists) throw notFound();
        if (!complete) throw attachmentNotFound();
        if (!added) throw tooManyMessages();
        return { status: 201, body: item };
      },
    ),
});
