import { standing } from '../../access/project.ts';
import { nothing, type Sql, sql } from '../../db/sql.ts';
import type { StatementParts } from '../../http/authorize.ts';
import { decodeCursor } from '../../http/paging.ts';
import { usdOfNano } from './amount.ts';
import { type Dimension, type Filters, filtered, type Period } from './usage-query.ts';

interface Asked {
  /** A condition on `d`, a row of `usage_day`. */
  whose: Sql;
  by: readonly Dimension[];
  period: Period;
  query: Filters & { limit: number; cursor?: string };
}

/**
 * The sums of usage, in all and of a page of groups. It reads `usage_day` alone, never a line, and
 * adds names to the groups of the page. Errors: 422 cursor_invalid.
 */
export function usageGroups({ whose, by, period, query }: Asked): StatementParts {
  const { limit } = query;
  const after = decodeCursor(query.cursor, [DAY, AMOUNT, /^/]);
  const [place, identity] = [placeOf(by), identityText(by)];
  const start =
    after === undefined
      ? nothing
      : sql`where (${dayText}, -u.amount, ${identity})
                  > (${after[0]}::text, ${after[1]}::bigint, ${after[2]}::text)`;
  return {
    with: sql`
      used as materialized (
        select ${columns(by)},
               sum(d.amount)::bigint as amount, sum(d.input_tokens)::bigint as input_tokens,
               sum(d.output_tokens)::bigint as output_tokens,
               sum(d.pod_seconds)::bigint as pod_seconds, sum(d.events)::bigint as lines
          from usage_day d
         where ${whose} and d.day between ${period.from}::date and ${period.to}::date
               ${filtered(sql`d`, query)}
         group by ${commas(by.map((dimension) => KEYS[dimension]))}),
      groups as (
        select u.*, row_number() over (order by ${place}) as nth
          from (select u.* from used u ${start} order by ${place} limit ${limit + 1}) u)`,
    select: sql`
      select json_strip_nulls(json_build_object(
               'from', ${period.from}::text, 'to', ${period.to}::text,
               'total', (
                 select json_build_object(
                          'amount', ${usdOfNano(sql`coalesce(sum(u.amount), 0)`)},
                          'input_tokens', coalesce(sum(u.input_tokens), 0),
                          'output_tokens', coalesce(sum(u.output_tokens), 0),
                          'pod_seconds', coalesce(sum(u.pod_seconds), 0),
                          'lines', coalesce(sum(u.lines), 0))
                   from used u),
               'groups', coalesce(json_agg(${shown} order by u.nth)
                                    filter (where u.nth <= ${limit}), '[]')))::text as items,
             case when max(u.nth) > ${limit}
                  then max(array[${dayText}, (-u.amount)::text, ${identity}])
                         filter (where u.nth = ${limit}) end as last
        from groups u
        left join lateral (
          select p.name, p.organization_id
            from project p ${standing}
           where p.id = u.project_id and standing.acts_as is not null
             and not standing.lacks_two_factor) project on true
        left join task on task.id = u.task_id and project.name is not null
        left join lateral (
          select o.name from organization o
            join membership m on m.organization_id = o.id
            join caller on caller.user_id = m.user_id
           where o.id = u.organization_id) workspace on true
        left join app_user person on person.id = u.user_id`,
  };
}

const KEYS: Record<Dimension, Sql> = {
  task: sql`d.task_id, d.project_id`,
  project: sql`d.project_id`,
  workspace: sql`d.organization_id`,
  model: sql`d.model`,
  day: sql`d.day`,
  member: sql`d.user_id`,
};

const columns = (by: readonly Dimension[]): Sql => {
  const has = (...dimensions: Dimension[]) => dimensions.some((one) => by.includes(one));
  return sql`
    ${has('task') ? sql`d.task_id` : sql`null::uuid`} as task_id,
    ${has('task', 'project') ? sql`d.project_id` : sql`null::uuid`} as project_id,
    ${has('workspace') ? sql`d.organization_id` : sql`null::uuid`} as organization_id,
    ${has('model') ? sql`d.model` : sql`null::text`} as model,
    ${has('day') ? sql`d.day` : sql`null::date`} as day,
    ${has('member') ? sql`d.user_id` : sql`null::uuid`} as user_id`;
};

const DAY = /^(\d{4}-\d\d-\d\d)?$/;
const AMOUNT = /^-?\d{1,18}$/;

/** What makes a group the only one of its day and amount. */
const IDENTITY: readonly { column: Sql; of: readonly Dimension[] }[] = [
  { column: sql`u.task_id`, of: ['task'] },
  { column: sql`u.project_id`, of: ['task', 'project'] },
  { column: sql`u.organization_id`, of: ['workspace'] },
  { column: sql`u.user_id`, of: ['member'] },
  { column: sql`(u.model collate "C")`, of: ['model'] },
];
const identityOf = (by: readonly Dimension[]): Sql[] =>
  IDENTITY.filter(({ of }) => of.some((one) => by.includes(one))).map(({ column }) => column);

/** Days in order, then what cost most; the rest makes the order one. */
const placeOf = (by: readonly Dimension[]): Sql =>
  commas([
    ...(by.includes('day') ? [sql`u.day`] : []),
    sql`-u.amount`,
    ...identityOf(by).map((column) => sql`${column} nulls first`),
  ]);

/** The same order as of texts, for cursors: ids have one length, and the model is the last. */
const dayText = sql`coalesce(u.day::text, '') collate "C"`;
const identityText = (by: readonly Dimension[]): Sql => {
  const texts = identityOf(by).map((column) => sql`coalesce(${column}::text, '')`);
  return texts.length === 0 ? sql`''` : sql`concat_ws(' ', ${commas(texts)}) collate "C"`;
};

const shown = sql`
  json_strip_nulls(json_build_object(
    'day', u.day, 'task_id', u.task_id, 'task_title', task.title,
    'project_id', u.project_id, 'project_name', project.name,
    'organization_id', u.organization_id, 'organization_name', workspace.name,
    'user_id', u.user_id, 'user_name', person.name, 'model', u.model,
    'amount', ${usdOfNano(sql`u.amount`)},
    'input_tokens', u.input_tokens, 'output_tokens', u.output_tokens,
    'pod_seconds', u.pod_seconds, 'lines', u.lines))`;

const commas = (parts: readonly Sql[]): Sql => parts.reduce((all, part) => sql`${all}, ${part}`);
