import Type from 'typebox';
import { onTask } from '../access/project.ts';
import { shownAs } from '../http/change.ts';
import { badRequest } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { fileStoreUnavailable, storageFull } from '../platform/files/errors.ts';
import { ATTACHMENT_BYTES } from '../platform/files/limits.ts';
import { attachment } from './attachment.ts';
import {
  type AttachmentStore,
  filename,
  filenameInvalid,
  receiveAttachment,
} from './receive-attachment.ts';

/** Gives a file to a task. */
export const createAttachment = (store: AttachmentStore) =>
  route({
    method: 'POST',
    path: '/api/tasks/{task_id}/attachments',
    area: 'Tasks',
    operationId: 'create_attachment',
    summary: 'Attach a file to a task',
    description:
      'Send the bytes of the file as the body, at most 25 MiB, and its name as `filename`. Name ' +
      'its id in `attachment_ids` of a message to show it to the agent. Owners, admins and members.',
    access: onTask('attach_file'),
    params: ids('task_id'),
    query: Type.Object({ filename: filename() }),
    upload: { maxBytes: ATTACHMENT_BYTES },
    sample: () => ({ query: { filename: 'requirements.pdf' } }),
    responses: { 201: attachment.shown('The new attachment.', ['ETag', 'Location']) },
    limit: 'uploads',
    errors: [filenameInvalid, storageFull, fileStoreUnavailable, badRequest],
    handle: (request) =>
      receiveAttachment(store, request, request.params.task_id, (row) =>
        shownAs(201, row, `/api/tasks/${request.params.task_id}/attachments/${row.id}/content`),
      ),
  });
