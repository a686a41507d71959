import { type Sql, sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';

export const spendLimitReached = apiError(
  402,
  'spend_limit',
  'A spend limit of this month is reached: ask someone who sees the billing to raise or remove ' +
    'it, or wait for the next month (UTC)',
);

/**
 * SQL: the first day of the month in UTC. Of the statement, not of its transaction, which may have
 * waited for a lock since midnight.
 */
export const monthBegins: Sql = sql`
  date_trunc('month', statement_timestamp() at time zone 'UTC')::date`;

const ofTheMonth: Sql = sql`
  d.account_id = l.account_id
  and d.day >= ${monthBegins} and d.day < ${monthBegins} + interval '1 month'`;

/** SQL: what was spent this month under a limit `l`, in nano-USD. Each case has its own index. */
export const spentUnder: Sql = sql`
  coalesce(case l.subject
    when 'project' then
      (select sum(d.amount) from usage_day d where ${ofTheMonth} and d.project_id = l.project_id)
    when 'member' then
      (select sum(d.amount) from usage_day d where ${ofTheMonth} and d.user_id = l.user_id)
    when 'task' then
      (select sum(d.amount) from usage_day d where ${ofTheMonth} and d.task_id = l.task_id)
    else (select sum(d.amount) from usage_day d where ${ofTheMonth}) end, 0)`;

/** SQL: whether a limit `l` is on a task of a project, for which this person has asked. */
export const limits = ({ project, task, person }: { project: Sql; task: Sql; person: Sql }): Sql =>
  sql`
  case l.subject when 'project' then l.project_id = ${project}
                 when 'member' then l.user_id = ${person}
                 when 'task' then l.task_id = ${task}
                 else true end`;

/** SQL: who has asked for a turn of a task, as usage has it. */
export const askedFor = (turn: Sql, task: Sql): Sql =>
  sql`coalesce(${turn}.requested_by_user_id, ${task}.created_by_user_id)`;

/**
 * SQL: what a limit `l` leaves, in micro-USD. What turns at work hold of it is left to them, but for
 * `turn`, the id of the one that asks, or null. A turn holds of the account that pays for it, even if
 * its project was given to another owner since.
 */
export const leftUnder = (turn: Sql): Sql => sql`
  l.amount - ceil((${spentUnder} + (
    select coalesce(sum(greatest(0, w.covered_nano - w.spent_nano)), 0)
      from task_turn w join task o on o.id = w.task_id
     where w.state in ('running', 'waiting') and w.account_id = l.account_id
       and w.id is distinct from ${turn}
       and ${limits({
         project: sql`o.project_id`,
         task: sql`o.id`,
         person: askedFor(sql`w`, sql`o`),
       })})) / 1000)::bigint`;

/** SQL: whether all of a limit `l` is spent. What turns at work hold of it is not. */
export const isSpent: Sql = sql`ceil(${spentUnder} / 1000) >= l.amount`;

/** SQL: what a limit of this subject is on, as people read it. */
export const limitIsOn = (subject: Sql): Sql => sql`
  case ${subject} when 'project' then 'this project'
                  when 'member' then 'the person who asked for this'
                  when 'task' then 'this task'
                  else 'the whole balance' end`;
