import Type, { type Static } from 'typebox';
import { rolesThatMay } from '../../access/roles.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { oneOf, uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';
import { whyItWaits } from '../../platform/why-it-waits.ts';
import { CHECK_CONCLUSIONS, CHECK_STATES, hasPassed } from '../repositories/check-states.ts';

const maybe = Type.Optional;

/** A check of a commit, from a row `t` of `check_run`. */
export const check = resource('Check', {
  id: [uuid(), sql`t.id`, '019aa2b6-1d1e-7f2a-9b3c-4d5e6f7a8b9c'],
  name: [Type.String(), sql`t.name`, 'tests'],
  state: [oneOf([...CHECK_STATES]), sql`t.state`, 'completed'],
  conclusion: [
    maybe(
      oneOf([...CHECK_CONCLUSIONS], {
        description: '`success`, `neutral` and `skipped` do not stand in the way of a merge.',
      }),
    ),
    sql`t.conclusion`,
    'success',
  ],
  reason: [
    maybe(Type.String({ description: 'Why it waits, as a sentence.' })),
    whyItWaits(sql`t.state = 'queued' and t.details_url is null`),
    undefined,
  ],
  details_url: [
    maybe(Type.String({ description: 'Where another code host shows it.' })),
    sql`t.details_url`,
    undefined,
  ],
  failures: [
    maybe(
      Type.Array(
        Type.Object({
          test: Type.String({ description: 'As `TestBook.test_long`.' }),
          file: Type.Optional(
            Type.String({ description: 'Where in the repository, with the line.' }),
          ),
          text: Type.String({ description: 'The end of its traceback.' }),
        }),
        { description: 'Of tests of Odoo modules: those that have failed, at most 50.' },
      ),
    ),
    sql`t.failures`,
    undefined,
  ],
  started_at: [maybe(timestamp()), sql`t.started_at`, '2026-11-22T09:00:00.000Z'],
  completed_at: [maybe(timestamp()), sql`t.completed_at`, '2026-11-22T09:00:07.000Z'],
});

/** The checks of a commit together. */
export const checksSchema = Type.Object({
  state: oneOf(['none', 'pending', 'passed', 'failed'], {
    description: '`none`: the commit has none. `pending`: not all of them have ended.',
  }),
  passed: Type.Integer(),
  failed: Type.Integer(),
  pending: Type.Integer(),
});

export type Checks = Static<typeof checksSchema>;

/** Of a commit that was pushed a moment ago, and whose checks have not begun. */
export const NOT_BEGUN: Checks = { state: 'pending', passed: 0, failed: 0, pending: 0 };

/** Whether someone may merge although the checks have not passed. */
export const mayForce = ({ acts_as }: { acts_as: string }): boolean =>
  rolesThatMay('force_merge').some((role) => role === acts_as);

/** SQL: the checks of a commit of a task, as JSON. */
export const checksOf = (taskId: Sql, head: Sql): Sql => sql`
  (select json_build_object(
            'state', case when s.conclusion in ('none', 'passed', 'failed') then s.conclusion
                          else 'pending' end,
            'passed', count(c.id) filter (where ${hasPassed(sql`c`)}),
            'failed', count(c.id) filter (where c.state = 'completed' and not ${hasPassed(sql`c`)}),
            'pending', count(c.id) filter (where c.state <> 'completed'))
     from (values (${taskId}, ${head})) of_head (task_id, head_sha)
     left join check_suite s on s.task_id = of_head.task_id and s.head_sha = of_head.head_sha
     left join check_run c on c.suite_id = s.id
    group by s.id)`;

/** SQL: whether the checks of a commit of a task do not stand in the way of its merge. */
export const checksPassed = (taskId: Sql, head: Sql): Sql => sql`
  coalesce((select s.conclusion in ('none', 'passed') from check_suite s
             where s.task_id = ${taskId} and s.head_sha = ${head}), false)`;
