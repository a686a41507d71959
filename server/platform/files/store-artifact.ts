import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { ApiError } from '../../http/errors.ts';
import { type FileStore, FileTooLarge } from './file-store.ts';
import { ARTIFACT_BYTES } from './limits.ts';
import { mediaTypeOf } from './media-type.ts';
import { requireSpace } from './usage.ts';

/** What stores artifacts: `perProject` is the number of bytes that a project's files may have. */
interface ArtifactStore {
  db: Database;
  files: FileStore;
  perProject: number;
}

/** A file that a turn has produced. */
interface ProducedFile {
  taskId: string;
  turnId: string;
  /** The task's fence, as the worker that runs the turn knows it. */
  fence: bigint;
  /** Relative to the agent's folder, with `/` between its parts. */
  path: string;
  bytes: AsyncIterable<Uint8Array>;
}

/**
 * Why a file was not stored: its path is absolute, leaves its folder or has control characters; it
 * is larger than 100 MiB; the files of the project would take up too much; or another worker has
 * the task.
 */
export type Refusal = 'path_refused' | 'too_large' | 'storage_full' | 'lost_fence';

type StoredArtifact = { id: string; name: string; mediaType: string; size: number };

/**
 * Stores a file that the agent has produced, from a stream. A later file of the same turn and path
 * replaces the earlier one. A refusal is returned, because the turn goes on without the file.
 * Errors: FileStoreUnavailable, and what `bytes` throws.
 */
export async function storeArtifact(
  store: ArtifactStore,
  produced: ProducedFile,
): Promise<{ stored: StoredArtifact } | { refused: Refusal }> {
  const { db, files } = store;
  if (!isArtifactPath(produced.path)) return { refused: 'path_refused' };
  const task = await db.maybeOne<{ project_id: string }>(sql`
    select project_id from task where id = ${produced.taskId} and fence = ${produced.fence}`);
  if (task === undefined) return { refused: 'lost_fence' };
  const key = `${task.project_id}/${randomUUID()}`;
  try {
    const stored = await files.put(key, produced.bytes, ARTIFACT_BYTES);
    const mediaType = await mediaTypeOf(stored.head);
    const row = await insert(store, produced, { ...stored, ...task, key, mediaType });
    if (row !== undefined) return { stored: { ...row, mediaType, size: stored.size } };
    await files.delete([key]).catch(() => {});
    return { refused: 'lost_fence' };
  } catch (error) {
    if (error instanceof FileTooLarge) return { refused: 'too_large' };
    if (!(error instanceof ApiError && error.code === 'storage_full')) throw error;
    await files.delete([key]).catch(() => {});
    return { refused: 'storage_full' };
  }
}

/** Without a row if the fence has moved meanwhile. */
const insert = (
  { db, perProject }: ArtifactStore,
  { taskId, turnId, fence, path }: ProducedFile,
  file: { project_id: string; key: string; mediaType: string; size: number; sha256: string },
) =>
  db.transaction(async (tx) => {
    const owned = await tx.maybeOne(sql`
      select id from task where id = ${taskId} and fence = ${fence} for no key update`);
    if (owned === undefined) return undefined;
    await tx.many(sql`delete from artifact where turn_id = ${turnId} and path = ${path}`);
    const row = await tx.one<{ id: string; name: string }>(sql`
      insert into artifact
             (project_id, task_id, turn_id, path, media_type, size, sha256, storage_key)
      values (${file.project_id}, ${taskId}, ${turnId}, ${path}, ${file.mediaType}, ${file.size},
              ${file.sha256}, ${file.key})
      returning id, name`);
    await requireSpace(tx, file.project_id, perProject);
    return row;
  });

/** As the checks of the table have it. */
function isArtifactPath(path: string): boolean {
  const parts = path.split('/');
  return (
    path.isWellFormed() &&
    !/[\p{Cc}\\]/u.test(path) &&
    Buffer.byteLength(path) <= 1024 &&
    parts.every((part) => !['', '.', '..'].includes(part)) &&
    Buffer.byteLength(parts.at(-1) ?? '') <= 255
  );
}
