import { type Sql, sql } from '../../db/sql.ts';
import { fieldError } from '../../http/errors.ts';
import { list, uuid } from '../../http/input/fields.ts';

/** The most attachments of one message. */
const MOST_ATTACHMENTS = 20;

/** The field of a body that names the attachments of a message. */
export const attachmentIds = () =>
  list(uuid(), {
    maxItems: MOST_ATTACHMENTS,
    default: [],
    description: 'Attachments that are sent with the message. Naming one twice counts once.',
  });

/** 422 at ["body","attachment_ids"]. */
export const attachmentNotFound = fieldError(
  'attachment_not_found',
  ['body', 'attachment_ids'],
  'Each attachment should be of this task, or uploaded by you to its project for a new task, ' +
    'and not be part of another message',
);

/** Who sends attachments, and where; each value but `ids` is SQL over the relations of `from`. */
interface Sending {
  ids: readonly string[];
  from: Sql;
  projectId: Sql;
  /** Null for a task that is not there yet. */
  taskId: Sql;
  userId: Sql;
}

/**
 * `wanted`, a common table expression: the attachments that may become part of a message, locked.
 * Those of another task or project, of another message, uploaded for a new task by another person,
 * deleted or unknown are not in it: the statement must write nothing unless `allWanted`. The order
 * of the locks keeps two messages that name the same attachments from a deadlock; the one that
 * waits checks again what the other has taken.
 */
export const wantedAttachments = ({ ids, from, projectId, taskId, userId }: Sending): Sql => sql`
  wanted as materialized (
    select a.id
      from ${from} join attachment a on a.project_id = ${projectId}
     where a.id = any(${ids}::uuid[]) and a.message_number is null
       and (a.task_id = ${taskId} or a.task_id is null and a.uploaded_by_user_id = ${userId})
     order by a.id for no key update of a)`;

/** Whether every attachment can be taken. */
export const allWanted = (ids: readonly string[]): Sql =>
  sql`(select count(*) = ${new Set(ids).size} from wanted)`;

/**
 * `claimed`, a common table expression: makes the wanted attachments part of a message, from the
 * row of `task_message` that the same statement writes in `message`.
 */
export const claimedAttachments = (message: Sql): Sql => sql`
  claimed as (
    update attachment a set task_id = m.task_id, message_number = m.number
      from wanted cross join ${message} m where a.id = wanted.id
    returning a.id, a.name, a.media_type, a.size)`;
