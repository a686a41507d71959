import type { Tx } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { fieldError } from '../http/errors.ts';

/** 422 at ["body","attachment_ids"]. */
export const attachmentNotFound = fieldError(
  'attachment_not_found',
  ['body', 'attachment_ids'],
  'Each attachment should be of this task, or uploaded by you to its project for a new task, ' +
    'and not be part of another message',
);

/** The message that attachments are sent with; each value is SQL or a parameter. */
export interface MessageOfTask {
  projectId: Sql | string;
  taskId: Sql | string;
  messageNumber: Sql | number;
  userId: Sql | string;
}

/**
 * The statement that makes attachments part of a message, for a common table expression: it returns
 * the `id` of each that it took. What is not in it (of another task or project, part of another
 * message, uploaded for a new task by another person, deleted, unknown) was not taken, and the
 * caller must then refuse the message with `attachmentNotFound`.
 */
export const claimed = (ids: readonly string[], message: MessageOfTask): Sql => sql`
  update attachment
     set task_id = ${message.taskId}, message_number = ${message.messageNumber}
   where id = any(${ids}::uuid[]) and project_id = ${message.projectId}
     and message_number is null
     and (task_id = ${message.taskId}
          or task_id is null and uploaded_by_user_id = ${message.userId})
  returning id`;

/**
 * Makes attachments part of a message, in the transaction that has written the message. Nothing is
 * done for an empty list. Errors: 422 attachment_not_found unless every one could be taken.
 */
export async function claimAttachments(
  tx: Pick<Tx, 'many'>,
  ids: readonly string[],
  message: MessageOfTask,
): Promise<void> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return;
  const taken = await tx.many<{ id: string }>(claimed(wanted, message));
  if (taken.length !== wanted.length) throw attachmentNotFound();
}
