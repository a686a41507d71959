import { fieldError } from '../http/errors.ts';
import type { Catalog } from '../platform/catalog/catalog.ts';

export const modelNotOffered = fieldError(
  'model_not_offered',
  ['body', 'model'],
  'This server does not offer this model: choose one that get_config lists, or none',
);

/** Whether the catalog offers a model; naming none is always possible. */
export const isOffered = ({ models }: Catalog, model: string | null | undefined): boolean =>
  model === null || model === undefined || models.some(({ id }) => id === model);
