import Type from 'typebox';
import { onWorkspace } from '../access/workspace.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { csvLine } from '../http/csv.ts';
import { exportBusy } from '../http/exports.ts';
import { oneOf } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed } from '../http/list.ts';
import { encodeCursor } from '../http/paging.ts';
import { ids, route } from '../http/route.ts';
import { auditEvent, auditFilters, auditTrail, fromAfterTo } from './audit-events.ts';

const COLUMNS = Object.keys(auditEvent.schema.properties);

const FORMATS = {
  csv: { mediaType: 'text/csv', head: csvLine(COLUMNS), line: asCsv },
  jsonl: {
    mediaType: 'application/x-ndjson',
    head: '',
    line: (event: object) => `${JSON.stringify(event)}\n`,
  },
};

/** The audit trail of a workspace as a file. */
export const exportAuditEvents = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/audit-events/export',
  area: 'Workspaces',
  operationId: 'export_audit_events',
  summary: 'Export audit events',
  description:
    'The audit trail as a file to download, newest first: CSV with a header line (RFC 4180), ' +
    'or one JSON object a line. Owners and admins only. In CSV, a cell that a spreadsheet ' +
    'would take for a formula begins with an apostrophe, and `before` and `after` are JSON. A ' +
    'download that does not end properly is incomplete: ask for it again.',
  access: onWorkspace('see_audit_trail'),
  params: ids('org_id'),
  query: Type.Object({
    format: Type.Optional(
      oneOf(['csv', 'jsonl'], { description: 'The kind of file; `csv` by default.' }),
    ),
    ...auditFilters,
  }),
  sample: () => ({ query: { format: 'jsonl' } }),
  responses: {
    200: {
      description: 'The file.',
      mediaType: Object.values(FORMATS).map(({ mediaType }) => mediaType),
    },
  },
  errors: [fromAfterTo, exportBusy],
  handle: async ({ params: { org_id }, query: { format = 'csv', ...filters }, load, begin }) => {
    const trail = auditTrail(sql`${org_id}::uuid`, filters);
    await load();
    const { mediaType, head, line } = FORMATS[format];
    return {
      status: 200,
      download: {
        name: `audit-events-${org_id}.${format}`,
        mediaType,
        chunks: lines(begin, trail, head, line),
      },
    };
  },
});

/** Rows of one statement: few enough to hold in memory, many enough to be rarely asked for. */
const BATCH = 1000;

// The trail is insert-only, so batches that follow one another show no row twice and miss none of
// those that were there at the beginning. Between two of them no connection is in use.
async function* lines(
  begin: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>,
  trail: ListParts,
  head: string,
  line: (event: Record<string, unknown>) => string,
): AsyncGenerator<string, void> {
  let last: string[] | null = null;
  let text = head;
  do {
    const page = {
      limit: BATCH,
      ...(last === null ? {} : { cursor: encodeCursor(last) }),
    };
    const batch: Listed = await begin((tx) => tx.one<Listed>(listed(trail, page)));
    yield text + JSON.parse(batch.items).map(line).join('');
    text = '';
    last = batch.last;
  } while (last !== null);
}

function asCsv(event: Record<string, unknown>): string {
  const cells = COLUMNS.map((name) => {
    const value = event[name];
    return typeof value === 'object' ? JSON.stringify(value) : (value as string | undefined);
  });
  return csvLine(cells);
}
