import Type from 'typebox';
import { nothing, type Sql, sql } from '../../db/sql.ts';
import { fromAfterTo } from '../../http/days.ts';
import { fieldError } from '../../http/errors.ts';
import { date, oneOf, text, uuid } from '../../http/input/fields.ts';
import { format } from '../../http/list-export.ts';
import { cursorInvalid, pages } from '../../http/paging.ts';

/** What usage can be grouped by. */
const DIMENSIONS = ['task', 'project', 'workspace', 'model', 'day', 'member'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Days of a period at most, both ends included: a year. */
const MOST_DAYS = 366;
const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

const periodTooLong = fieldError(
  'period_too_long',
  ['query', 'from'],
  `A period should have at most ${MOST_DAYS} days: set from or to`,
);

/** The errors of a period and of a page. */
export const usageErrors = [fromAfterTo, periodTooLong, cursorInvalid];
export const periodErrors = [fromAfterTo, periodTooLong];

const period = {
  from: Type.Optional(
    date({ description: 'The first day, in UTC; by default 29 days before the last one.' }),
  ),
  to: Type.Optional(date({ description: 'The last day, in UTC, included; by default today.' })),
};

const only = (what: string) => Type.Optional(uuid({ description: `Only usage of this ${what}.` }));
const filters = {
  organization_id: Type.Optional(
    uuid({ description: 'Only usage that this workspace has paid for.' }),
  ),
  project_id: only('project'),
  task_id: only('task'),
  user_id: Type.Optional(uuid({ description: 'Only usage that this person asked for.' })),
  model: Type.Optional(
    text({ minLength: 1, maxLength: 100, description: 'Only usage of this model.' }),
  ),
  kind: Type.Optional(
    oneOf(['model', 'pod', 'erp_instance'], {
      description: 'Only usage of models, of pods, or of ERP instances.',
    }),
  ),
};
type Filter = keyof typeof filters;

/** What `group_by` may be. */
export const groupings = DIMENSIONS.flatMap((one) => [
  one,
  ...DIMENSIONS.filter((other) => other !== one).map((other) => `${one},${other}`),
]);

/** The query of an operation that sums usage, with those of the filters that make sense there. */
export const usageQuery = <Name extends Filter>(...names: Name[]) =>
  Type.Object({
    group_by: Type.Optional(
      oneOf(groupings, {
        description: 'One of these or two, separated by a comma; `day` by default.',
      }),
    ),
    ...period,
    ...pick(names),
    ...pages,
  });

/** The query of an export. */
export const exportQuery = <Name extends Filter>(...names: Name[]) =>
  Type.Object({
    ...format,
    ...period,
    ...pick(names),
  });

const pick = <Name extends Filter>(names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, filters[name]])) as Pick<typeof filters, Name>;

/** Days in UTC, both included. */
export interface Period {
  from: string;
  to: string;
}

/** The period that is asked for. Errors: 422 from_after_to, period_too_long. */
export function periodOf(query: { from?: string; to?: string }, now = new Date()): Period {
  const to = query.to ?? now.toISOString().slice(0, 10);
  const from = query.from ?? dayBefore(to, DEFAULT_DAYS - 1);
  if (from > to) throw fromAfterTo();
  if ((Date.parse(to) - Date.parse(from)) / DAY_MS >= MOST_DAYS) throw periodTooLong();
  return { from, to };
}

/** The first day of all has none before it. */
function dayBefore(day: string, days: number): string {
  const earlier = new Date(Date.parse(day) - days * DAY_MS).toISOString();
  return /^(?!0000)\d{4}-/.test(earlier) ? earlier.slice(0, 10) : day;
}

export type Filters = { [Name in Filter]?: string };

/** `and …`: what the filters leave of `line`, the alias of a row of usage. */
export const filtered = (line: Sql, query: Filters): Sql => sql`
  ${query.organization_id ? sql`and ${line}.organization_id = ${query.organization_id}` : nothing}
  ${query.project_id ? sql`and ${line}.project_id = ${query.project_id}` : nothing}
  ${query.task_id ? sql`and ${line}.task_id = ${query.task_id}` : nothing}
  ${query.user_id ? sql`and ${line}.user_id = ${query.user_id}` : nothing}
  ${query.model ? sql`and ${line}.model = ${query.model}` : nothing}
  ${query.kind ? sql`and ${line}.kind = ${query.kind}` : nothing}`;
