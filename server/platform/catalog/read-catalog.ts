import { readFileSync } from 'node:fs';
import type { Static } from 'typebox';
import { ErrorList, type Location } from '../../http/input/error-item.ts';
import { readerOf } from '../../http/input/readers/compile.ts';
import type { AgentCatalog } from './agent-fields.ts';
import { type Catalog, catalogFile, defaultCatalog, type OfferedImage } from './catalog.ts';
import type { ErpProgram } from './erp-programs.ts';
import { modelUses } from './model-uses.ts';

type File = Static<typeof catalogFile>;

const read = readerOf(catalogFile, 'body');

/** What everyone is shown, and what workers need besides. */
export interface Catalogs {
  catalog: Catalog;
  agents: AgentCatalog;
}

/** All that a file says. */
interface CatalogFile extends Catalogs {
  erpPrograms: readonly ErpProgram[];
  images: readonly OfferedImage[];
}

/**
 * Reads the catalog file at `path`; without one, the default catalog. `env` holds keys of providers
 * that the file names. Every fault is added to `faults`, with its JSON pointer (RFC 6901); none
 * repeats a value, because someone may have written a key into the file.
 */
export function readCatalog(
  path: string | undefined,
  env: Record<string, string | undefined>,
  faults: string[],
): CatalogFile {
  const none = {
    catalog: defaultCatalog,
    agents: modelUses(defaultCatalog, env).catalog,
    erpPrograms: [],
    images: [],
  };
  const json = path === undefined ? undefined : parse(path, faults);
  if (json === undefined) return none;
  const errors = new ErrorList();
  const file = read(json.value, [], errors) as File;
  const found = errors.items().map(({ loc, msg }): [Location, string] => [loc, msg]);
  // Parts are compared with each other once each of them has its form.
  const all = found.length > 0 ? found : duplicates(file);
  const models = file?.models ?? defaultCatalog.models;
  const uses = all.length > 0 ? undefined : modelUses({ ...file, models }, env);
  all.push(...(uses?.errors ?? []));
  faults.push(
    ...all.map(([loc, msg]) => `GUILDHALL_CATALOG: ${pointer(loc) || '(the whole file)'}: ${msg}`),
  );
  if (uses === undefined || all.length > 0) return none;
  const erp = file.erp ?? defaultCatalog.erp;
  const { pods = defaultCatalog.pods, erp_instances = defaultCatalog.erp_instances } = file;
  const { images = [] } = file;
  const shownImages = images.map(({ id, name }) => ({ id, name }));
  return {
    catalog: { erp, models: models.map(shown), pods, images: shownImages, erp_instances },
    images,
    agents: uses.catalog,
    erpPrograms: file.erp_programs ?? [],
  };
}

/** What everyone may see of a model of the file. */
const shown = ({ id, name, agent, prices, is_default }: Catalog['models'][number]) => ({
  id,
  name,
  agent,
  prices,
  is_default,
});

function parse(path: string, faults: string[]): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The message of JSON.parse quotes the text around the fault.
    const place = /line \d+ column \d+/.exec(message)?.[0];
    faults.push(
      code === undefined
        ? `GUILDHALL_CATALOG must be JSON${place === undefined ? '' : `; it is not at ${place}`}: "${path}"`
        : `GUILDHALL_CATALOG must be a file that can be read, not "${path}" (${code})`,
    );
    return undefined;
  }
}

/** What stands twice, with the place where it stands first. */
function duplicates(file: File): [Location, string][] {
  const { erp, models = [], agents = [], providers = [], erp_programs: programs = [] } = file;
  const { images = [] } = file;
  const versions = erp?.versions ?? [];
  const defaults = models.flatMap(({ is_default }, i) => (is_default ? [i] : []));
  const twice = (values: readonly unknown[], at: (i: number) => Location) =>
    values.flatMap((value, i): [Location, string][] => {
      const first = values.indexOf(value);
      return first === i ? [] : [[at(i), `repeats ${pointer(at(first))}`]];
    });
  return [
    ...twice(
      versions.map(({ version }) => version),
      (i) => ['erp', 'versions', i, 'version'],
    ),
    ...twice(
      programs.map(({ version }) => version),
      (i) => ['erp_programs', i, 'version'],
    ),
    ...versions.flatMap(({ editions }, v) =>
      twice(editions, (i) => ['erp', 'versions', v, 'editions', i]),
    ),
    ...twice(
      models.map(({ id }) => id),
      (i) => ['models', i, 'id'],
    ),
    ...twice(
      images.map(({ id }) => id),
      (i) => ['images', i, 'id'],
    ),
    ...twice(
      agents.map(({ id }) => id),
      (i) => ['agents', i, 'id'],
    ),
    ...twice(
      providers.map(({ id }) => id),
      (i) => ['providers', i, 'id'],
    ),
    ...agents.flatMap(({ env = [] }, a) =>
      twice(
        env.map(({ name }) => name),
        (i) => ['agents', a, 'env', i, 'name'],
      ),
    ),
    ...defaults
      .slice(1)
      .map((i): [Location, string] => [
        ['models', i, 'is_default'],
        `must be false: the default is ${pointer(['models', defaults[0] as number])}`,
      ]),
  ];
}

const pointer = (loc: Location): string =>
  loc.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
