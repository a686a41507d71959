import { type FieldErrorKind, fieldError } from '../http/errors.ts';
import type { ErrorItem } from '../http/input/error-item.ts';
import type { Catalog } from '../platform/catalog/catalog.ts';

const versionNotOffered = fieldError(
  'erp_version_not_offered',
  ['body', 'erp_version'],
  'This server does not offer this ERP version: choose one that get_config lists',
);
const editionNotOffered = fieldError(
  'erp_edition_not_offered',
  ['body', 'erp_edition'],
  'This server does not offer this edition of the ERP version: choose one that get_config lists',
);
const modelNotOffered = fieldError(
  'model_not_offered',
  ['body', 'default_model'],
  'This server does not offer this model: choose one that get_config lists, or none',
);

export const imageNotOffered = fieldError(
  'image_not_offered',
  ['body', 'image'],
  'This server does not offer this image: choose one that get_config lists, or none',
);

/** What a project that the catalog does not offer is refused with. */
export const notOffered = [versionNotOffered, editionNotOffered, modelNotOffered] as const;

/** Every version with each of its editions: `19.0 community`. */
export const offeredErps = ({ erp }: Catalog): string[] =>
  erp.versions.flatMap(({ version, editions }) =>
    editions.map((edition) => `${version} ${edition}`),
  );

export const offeredModels = ({ models }: Catalog): string[] => models.map(({ id }) => id);

/**
 * The version and the edition of a new project. A project that works with no ERP need not name
 * them: then they are the first version of the catalog that is supported, and its first edition.
 */
export function erpOf(
  { erp }: Catalog,
  { erp_version, erp_edition }: { erp_version?: string; erp_edition?: string },
): { erp_version: string; erp_edition: string } {
  const [first] = erp.versions;
  const supported = erp.versions.find(({ status }) => status === 'supported') ?? first;
  const version = erp_version ?? supported?.version ?? '';
  const editions = erp.versions.find((each) => each.version === version)?.editions;
  return { erp_version: version, erp_edition: erp_edition ?? editions?.[0] ?? 'community' };
}

/** The errors of a version and an edition that the catalog does not offer together. */
export function erpErrors(
  { erp }: Catalog,
  { erp_version, erp_edition }: { erp_version: string; erp_edition: string },
): ErrorItem[] {
  const found = erp.versions.find(({ version }) => version === erp_version);
  if (found === undefined) {
    const versions = erp.versions.map(({ version }) => version);
    return [naming(versionNotOffered, 'ERP version', versions)];
  }
  const editions: string[] = found.editions;
  if (editions.includes(erp_edition)) return [];
  return [naming(editionNotOffered, `edition of ${erp_version}`, editions)];
}

/** The error of a model that the catalog does not offer. */
export function modelErrors(catalog: Catalog, model: string | null | undefined): ErrorItem[] {
  const models = offeredModels(catalog);
  if (model === null || model === undefined || models.includes(model)) return [];
  return [naming(modelNotOffered, 'model', models)];
}

/** The error of an image that the catalog does not offer. */
export function imageErrors({ images }: Catalog, image: string | null | undefined): ErrorItem[] {
  const offered = images.map(({ id }) => id);
  if (image === null || image === undefined || offered.includes(image)) return [];
  return [naming(imageNotOffered, 'image', offered)];
}

/** More than these are counted instead of named. */
const NAMED = 20;

function naming({ item }: FieldErrorKind, what: string, offered: string[]): ErrorItem {
  const more = offered.length > NAMED ? ` and ${offered.length - NAMED} more` : '';
  const choice =
    offered.length === 0
      ? 'it offers none, so leave it out'
      : `choose one of ${offered.slice(0, NAMED).join(', ')}${more}`;
  return { ...item, msg: `This server does not offer this ${what}: ${choice}` };
}
