import Type from 'typebox';
import { type Sql, sql } from '../../db/sql.ts';
import type { StatementParts } from '../../http/authorize.ts';
import { uuid } from '../../http/input/fields.ts';
import { type Listed, page } from '../../http/list.ts';
import type { Answer, DeclaredAnswer } from '../../http/route.ts';
import { usageGroups } from './usage-groups.ts';
import { type Dimension, type Filters, periodOf } from './usage-query.ts';

const optionalUuid = (description: string) => Type.Optional(uuid({ description }));
const optionalText = (description: string) => Type.Optional(Type.String({ description }));

const sums = {
  amount: Type.String({
    description: 'USD, exact: 2 to 9 decimals.',
    pattern: '^\\d+\\.\\d{2,9}$',
  }),
  input_tokens: Type.Integer({ description: 'Tokens that models read, with those of caches.' }),
  output_tokens: Type.Integer({ description: 'Tokens that models wrote.' }),
  pod_seconds: Type.Integer({ description: 'Seconds in which pods and ERP instances ran.' }),
  lines: Type.Integer({ description: 'The lines of usage that this sums up.' }),
};

const usage = Type.Object(
  {
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
    total: Type.Object(sums),
    groups: Type.Array(
      Type.Object({
        day: Type.Optional(Type.String({ format: 'date', description: 'In UTC.' })),
        task_id: optionalUuid('Missing if the usage was of no task.'),
        task_title: optionalText('Missing if the caller cannot open it, or it was deleted.'),
        project_id: optionalUuid('Also of a task.'),
        project_name: optionalText('Missing if the caller cannot open it, or it was deleted.'),
        organization_id: optionalUuid('The workspace that paid; missing if a person did.'),
        organization_name: optionalText('Missing if the caller is no member, or it was deleted.'),
        user_id: optionalUuid('Who asked for it.'),
        user_name: optionalText('As it is now.'),
        model: optionalText('As the catalog names it; missing where none was used.'),
        ...sums,
      }),
    ),
  },
  { $id: 'Usage' },
);

export const usageAnswer: Record<number, DeclaredAnswer> = {
  200: {
    description: 'By day, if it is grouped by day, and then by amount, the largest first.',
    headers: ['Link'],
    schema: usage,
    example: {
      from: '2026-10-23',
      to: '2026-11-21',
      total: {
        amount: '3.140000001',
        input_tokens: 204_310,
        output_tokens: 9_120,
        pod_seconds: 5_400,
        lines: 212,
      },
      groups: [
        {
          project_id: 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11',
          project_name: 'Warehouse',
          amount: '3.140000001',
          input_tokens: 204_310,
          output_tokens: 9_120,
          pod_seconds: 5_400,
          lines: 212,
        },
      ],
    },
  },
};

interface Query extends Filters {
  group_by?: string;
  from?: string;
  to?: string;
  limit: number;
  cursor?: string;
}
type Statement = (parts: StatementParts, answer: (row: Listed) => Answer) => Promise<Answer>;

/**
 * Answers what is asked of the usage that `whose` selects: a condition on `d`, a row of
 * `usage_day`. Errors: 422 from_after_to, period_too_long, cursor_invalid.
 */
export const answerUsage = (
  whose: Sql,
  { query, url, statement }: { query: Query; url: string; statement: Statement },
): Promise<Answer> => {
  const by = (query.group_by ?? 'day').split(',') as Dimension[];
  const parts = usageGroups({ whose, by, period: periodOf(query), query });
  return statement(parts, page(url, query.limit));
};

/** SQL: what a caller who may not see all of it may see of a row of usage. */
export const seenBy = (line: Sql): Sql => sql`
  ((select sees_all from authorized) or ${line}.user_id = (select user_id from authorized))`;

/** SQL: what a person asked for, whoever paid, and what their balance paid. */
export const ownRows = (line: Sql): Sql => sql`
  (${line}.user_id = (select user_id from authorized)
   or ${line}.account_id = (select account_id from authorized))
  and ((select organization_id from authorized) is null
       or ${line}.organization_id = (select organization_id from authorized))`;
