import { randomUUID } from 'node:crypto';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import type { Caller } from '../http/caller.ts';
import type { Shown } from '../http/change.ts';
import { ApiError, fieldError } from '../http/errors.ts';
import { fileName } from '../http/input/names.ts';
import type { Answer, Context } from '../http/route.ts';
import { actor, auditRow } from '../platform/audit/audit.ts';
import { asAnswer } from '../platform/files/errors.ts';
import type { FileStore, StoredBytes } from '../platform/files/file-store.ts';
import { ATTACHMENT_BYTES } from '../platform/files/limits.ts';
import { mediaTypeOf } from '../platform/files/media-type.ts';
import { requireSpace } from '../platform/files/usage.ts';
import { attachment } from './attachment.ts';

/** Where attachments go. `filesPerProject`: bytes that the files of one project may take up in all. */
export interface AttachmentStore {
  files: FileStore;
  filesPerProject: number;
}

export const filename = () =>
  fileName({
    maxLength: 255,
    description: 'What the file is called: at most 255 bytes, without the names of folders.',
  });

/** 422 at ["query","filename"]. */
export const filenameInvalid = fieldError(
  'filename_invalid',
  ['query', 'filename'],
  'Input should be the name of a file of at most 255 bytes, without / and \\: leave out its folders',
);

interface Place {
  project_id: string;
  organization_id: string | null;
}

/** What the operations that take a file have in common. */
type Request<Row> = Pick<
  Context<unknown, { filename: string }, unknown, Row>,
  'query' | 'upload' | 'headers' | 'requestId' | 'load' | 'begin' | 'transaction'
>;

/**
 * Stores the bytes of a request, then their row, with the rights of that moment: the order of these
 * two is what makes every row's bytes safe. `taskId` is null for a file that no task has taken yet.
 * Errors: 409 storage_full, 413, 422 filename_invalid, 503 file_store_unavailable.
 */
export async function receiveAttachment<Row extends Place>(
  { files, filesPerProject }: AttachmentStore,
  { query, upload, headers, requestId, load, begin, transaction }: Request<Row>,
  taskId: string | null,
  answer: (row: Shown & { id: string }) => Answer,
): Promise<Answer> {
  const name = query.filename;
  if (/[/\\]/.test(name) || name === '.' || name === '..' || Buffer.byteLength(name) > 255)
    throw filenameInvalid();
  const { project_id } = await load();
  const announced = Number(headers['content-length'] ?? 0);
  await begin((tx) =>
    requireSpace(tx, project_id, filesPerProject, Math.min(announced, ATTACHMENT_BYTES)),
  );
  const key = `${project_id}/${randomUUID()}`;
  try {
    const stored = await files.put(key, upload.bytes, ATTACHMENT_BYTES);
    const mediaType = await mediaTypeOf(stored.head);
    return await transaction(async (tx, caller) => {
      const file = { ...stored, key, name, mediaType, taskId };
      const row = await insert(tx, caller, file, requestId);
      await requireSpace(tx, project_id, filesPerProject);
      return answer(row);
    });
  } catch (error) {
    // After any other error the row may be there. If it is not, the hourly search removes the bytes.
    if (error instanceof ApiError) await files.delete([key]).catch(() => {});
    throw asAnswer(error);
  }
}

const insert = (
  tx: Pick<Tx, 'one'>,
  caller: Caller & Place,
  file: StoredBytes & { key: string; name: string; mediaType: string; taskId: string | null },
  requestId: string,
) =>
  tx.one<Shown & { id: string }>(sql`
    with ${actor(caller)},
    changed as (
      insert into attachment as t
             (project_id, task_id, uploaded_by_user_id, name, media_type, size, sha256, storage_key)
      values (${caller.project_id}, ${file.taskId}, ${caller.userId}, ${file.name},
              ${file.mediaType}, ${file.size}, ${file.sha256}, ${file.key})
      returning t as row),
    audited as (${auditRow({
      action: 'attachment.create',
      requestId,
      target: sql`(changed.row).id`,
      organization: sql`${caller.organization_id}::uuid`,
      project: sql`(changed.row).project_id`,
      before: sql`null::jsonb`,
      after: sql`jsonb_build_object(
        'task_id', (changed.row).task_id, 'name', (changed.row).name,
        'size', (changed.row).size, 'sha256', (changed.row).sha256)`,
      from: sql`changed`,
    })})
    select ${attachment.columns}, t.id
      from changed, lateral (select (changed.row).*) t`);
