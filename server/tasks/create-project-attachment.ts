import Type from 'typebox';
import { onProject } from '../access/project.ts';
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

/** Uploads a file for a task that is about to be created. */
export const createProjectAttachment = (store: AttachmentStore) =>
  route({
    method: 'POST',
    path: '/api/projects/{project_id}/attachments',
    area: 'Tasks',
    operationId: 'create_project_attachment',
    summary: 'Upload a file for a new task',
    description:
      'As `create_attachment`, for a task that does not exist yet: name its id in ' +
      '`attachment_ids` of `create_task`. Only whoever uploaded it can do so. After a day ' +
      'without a task it is deleted.',
    access: onProject('attach_file'),
    params: ids('project_id'),
    query: Type.Object({ filename: filename() }),
    upload: { maxBytes: ATTACHMENT_BYTES },
    sample: () => ({ query: { filename: 'requirements.pdf' } }),
    responses: { 201: attachment.shown('The new attachment, without a task.', ['ETag']) },
    limit: 'uploads',
    errors: [filenameInvalid, storageFull, fileStoreUnavailable, badRequest],
    handle: (request) => receiveAttachment(store, request, null, (row) => shownAs(201, row)),
  });
