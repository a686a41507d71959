import { onArtifact } from '../access/file.ts';
import { sql } from '../db/sql.ts';
import { ids, route } from '../http/route.ts';
import { download, type FileRow } from '../platform/files/download.ts';
import { fileStoreUnavailable } from '../platform/files/errors.ts';
import { FILE_ANSWERS, FILE_HEADERS } from '../platform/files/file-answers.ts';
import type { FileStore } from '../platform/files/file-store.ts';

/** The bytes of an artifact. */
export const getArtifactContent = ({ files }: { files: FileStore }) =>
  route({
    method: 'GET',
    path: '/api/tasks/{task_id}/artifacts/{artifact_id}/content',
    area: 'Plans & Artifacts',
    operationId: 'get_artifact_content',
    summary: 'Download an artifact',
    description:
      'The bytes of the file, or one range of them. It is always a download, of the type that ' +
      'its bytes have. Everyone who can open the project may have it.',
    access: onArtifact('open_project'),
    params: ids('task_id', 'artifact_id'),
    responses: FILE_ANSWERS,
    headers: FILE_HEADERS,
    errors: [fileStoreUnavailable],
    handle: ({ statement }) =>
      statement<FileRow>(
        {
          select: sql`
            select t.name, t.media_type, t.size, t.sha256, t.storage_key
              from authorized join artifact t on t.id = authorized.artifact_id`,
        },
        (row) => download(files, row),
      ),
  });
