import { type Sql, sql } from '../../db/sql.ts';
import { csvLine } from '../../http/csv.ts';
import { withinDays } from '../../http/days.ts';
import { exportBusy } from '../../http/exports.ts';
import { FILE_RULES, type Format, MEDIA_TYPES } from '../../http/list-export.ts';
import type { Answer, Context } from '../../http/route.ts';
import { timestampSql } from '../../http/timestamps.ts';
import { usdOfNano } from './amount.ts';
import { type Filters, filtered, type Period, periodErrors, periodOf } from './usage-query.ts';

const COLUMNS = [
  'id',
  'occurred_at',
  'kind',
  'task_id',
  'project_id',
  'organization_id',
  'user_id',
  'model',
  'amount',
  'input_tokens',
  'output_tokens',
  'pod_seconds',
  'paid_by_you',
] as const;
type Line = Partial<Record<(typeof COLUMNS)[number], string | number | boolean>>;

const LINES = {
  csv: (line: Line) => csvLine(COLUMNS.map((name) => line[name]?.toString())),
  jsonl: (line: Line) => `${JSON.stringify(line)}\n`,
};

export const exportErrors = [...periodErrors, exportBusy];

/** What an operation that exports says of its file. */
export const OF_THE_FILE =
  'One line for each thing that was used, in the order of its time, all from one moment of the ' +
  `database. \`amount\` is USD, exact. ${FILE_RULES}`;

/** The caller and the object as the access of the operation has found them. */
interface Whose {
  /** Conditions, each of which yields its lines in order; no line may meet two of them. */
  parts: Sql[];
  /** The caller's account: whether their balance paid. */
  accountId: string | null;
}

interface Asked {
  query: Filters & { format?: Format; from?: string; to?: string };
  snapshot: Context<unknown, unknown, unknown, unknown>['snapshot'];
  /** Names the file. */
  of: string;
}

/** The lines of a period as a file, streamed. Errors: 422 from_after_to, period_too_long. */
export function answerExport(whose: Whose, { query, snapshot, of }: Asked): Answer {
  const period = periodOf(query);
  const format = query.format ?? 'csv';
  return {
    status: 200,
    download: {
      name: `usage-${of}${period.from}-${period.to}.${format}`,
      mediaType: MEDIA_TYPES[format],
      chunks: snapshot(async function* ({ rows }): AsyncGenerator<string, void> {
        if (format === 'csv') yield csvLine(COLUMNS);
        for await (const batch of rows<{ line: Line }>(lines(whose, period, query)))
          yield batch.map(({ line }) => LINES[format](line)).join('');
      }),
    },
  };
}

// Each part is read in the order of an index, so that nothing is sorted before the first line.
const lines = ({ parts, accountId }: Whose, period: Period, query: Filters): Sql => {
  const selects = parts.map(
    (part) => sql`
      (select e.* from usage_event e
        where ${part} ${withinDays(sql`e.occurred_at`, period)} ${filtered(sql`e`, query)}
        order by e.occurred_at, e.id)`,
  );
  return sql`
    select json_strip_nulls(json_build_object(
             'id', e.id, 'occurred_at', ${timestampSql(sql`e.occurred_at`)}, 'kind', e.kind,
             'task_id', e.task_id, 'project_id', e.project_id,
             'organization_id', e.organization_id, 'user_id', e.user_id, 'model', e.model,
             'amount', ${usdOfNano(sql`e.amount`)}, 'input_tokens', e.input_tokens,
             'output_tokens', e.output_tokens, 'pod_seconds', e.pod_seconds,
             'paid_by_you', e.account_id = ${accountId}::uuid)) as line
      from (${selects.reduce((all, one) => sql`${all} union all ${one}`)}) e
     order by e.occurred_at, e.id`;
};
