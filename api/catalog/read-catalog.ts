import { readFileSync } from 'node:fs';
import type { Static } from 'typebox';
import { ErrorList, type Location } from '../http/input/error-item.ts';
import { bodyReader } from '../http/input/readers/compile.ts';
import { type Catalog, catalogFile, defaultCatalog } from './catalog.ts';

type File = Static<typeof catalogFile>;

const read = bodyReader(catalogFile);

/**
 * Reads the catalog file at `path`; without one, the default catalog. Every fault is added to
 * `faults`, with its JSON pointer (RFC 6901); none repeats a value, because a catalog may come to
 * hold secrets.
 */
export function readCatalog(path: string | undefined, faults: string[]): Catalog {
  if (path === undefined) return defaultCatalog;
  const json = parse(path, faults);
  if (json === undefined) return defaultCatalog;
  const errors = new ErrorList();
  const file = read(json.value, [], errors) as File;
  const found = errors.items().map(({ loc, msg }): [Location, string] => [loc, msg]);
  // Parts are compared with each other once each of them has its form.
  const all = found.length > 0 ? found : duplicates(file);
  faults.push(
    ...all.map(([loc, msg]) => `GUILDHALL_CATALOG: ${pointer(loc) || '(the whole file)'}: ${msg}`),
  );
  return all.length > 0 ? defaultCatalog : { ...defaultCatalog, ...file };
}

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
function duplicates({ erp, models = [] }: File): [Location, string][] {
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
    ...versions.flatMap(({ editions }, v) =>
      twice(editions, (i) => ['erp', 'versions', v, 'editions', i]),
    ),
    ...twice(
      models.map(({ id }) => id),
      (i) => ['models', i, 'id'],
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
