import { ApiError, apiError } from '../../http/errors.ts';
import { FileStoreUnavailable } from './file-store.ts';

export const fileStoreUnavailable = apiError(
  503,
  'file_store_unavailable',
  'The file store cannot be used right now: try again later',
  { 'retry-after': '30' },
);

/**
 * The files of a project may take up only so much: `limit_bytes`, of which `used_bytes` are taken.
 */
export const storageFull = apiError(
  409,
  'storage_full',
  'The files of this project would take up more than it may have: delete attachments or tasks ' +
    'that are no longer needed, or ask the operator for more',
);

/** The error that a caller may see. */
export function asAnswer(error: unknown): unknown {
  if (error instanceof ApiError || !(error instanceof FileStoreUnavailable)) return error;
  return Object.assign(fileStoreUnavailable(), { cause: error });
}
