import Type, { type TObject } from 'typebox';
import type { Tx } from '../db/database/database.ts';
import { csvLine } from './csv.ts';
import { oneOf } from './input/fields.ts';
import { type Listed, type ListParts, listed } from './list.ts';
import { encodeCursor } from './paging.ts';
import type { Resource } from './resource.ts';
import type { Answer, DeclaredAnswer } from './route.ts';

/**
 * A list as a file to download (decision 19): CSV or JSON lines. Only for lists that are
 * insert-only and sorted newest first, because it is read in batches.
 */

/** What the description of such an operation says of its answer. */
export const FILE_RULES =
  'CSV with a header line (RFC 4180), or one JSON object a line. In CSV, a cell that a ' +
  'spreadsheet would take for a formula begins with an apostrophe. A download that does not end ' +
  'properly is incomplete: ask for it again.';

/** The kinds of file. */
export type Format = 'csv' | 'jsonl';

export const MEDIA_TYPES = { csv: 'text/csv', jsonl: 'application/x-ndjson' };

/** The query parameter that chooses the kind of file. */
export const format = {
  format: Type.Optional(
    oneOf(['csv', 'jsonl'], { description: 'The kind of file; `csv` by default.' }),
  ),
};

/** The declared answer. */
export const fileAnswer: Record<200, DeclaredAnswer> = {
  200: { description: 'The file.', mediaType: Object.values(MEDIA_TYPES) },
};

/** The file `name` of a list of resources. `begin` is that of the request, after `load`. */
export function fileOf(
  name: string,
  { schema }: Pick<Resource<never>, 'schema'>,
  parts: ListParts,
  begin: Begin,
  kind: Format = 'csv',
): Answer {
  const [head, line] =
    kind === 'csv'
      ? [csvLine(Object.keys(schema.properties)), (item: Item) => asCsv(schema.properties, item)]
      : ['', (item: Item) => `${JSON.stringify(item)}\n`];
  return {
    status: 200,
    download: {
      name: `${name}.${kind}`,
      mediaType: MEDIA_TYPES[kind],
      chunks: lines(begin, parts, head, line),
    },
  };
}

type Item = Record<string, unknown>;
type Begin = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;

/** Rows of one statement: few enough to hold in memory, many enough to be rarely asked for. */
const BATCH = 1000;

// The rows are insert-only, so batches that follow one another show no row twice and miss none of
// those that were there at the beginning. Between two of them no connection is in use.
async function* lines(
  begin: Begin,
  parts: ListParts,
  head: string,
  line: (item: Item) => string,
): AsyncGenerator<string, void> {
  let last: string[] | null = null;
  let text = head;
  do {
    const page = {
      limit: BATCH,
      ...(last === null ? {} : { cursor: encodeCursor(last) }),
    };
    const batch: Listed = await begin((tx) => tx.one<Listed>(listed(parts, page)));
    yield text + JSON.parse(batch.items).map(line).join('');
    text = '';
    last = batch.last;
  } while (last !== null);
}

function asCsv(columns: TObject['properties'], item: Item): string {
  const cells = Object.entries(columns).map(([name, schema]) => {
    const value = item[name];
    if (typeof value === 'object') return JSON.stringify(value);
    const text = value as string | undefined;
    return text !== undefined && 'format' in schema && schema.format === 'usd'
      ? { number: text }
      : text;
  });
  return csvLine(cells);
}
