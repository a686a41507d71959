import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { oneOf } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { ids } from '../../http/route.ts';

/** What the caller is told of a task, from their row `s`, if they have one, and the task `t`. */
export const subscription = resource('TaskSubscription', {
  state: [
    oneOf(['following', 'unfollowed', 'muted'], {
      description:
        '`following`: you are told of what happens. `unfollowed`: only where you are mentioned, or ' +
        'nobody who follows may approve and you may. `muted`: of nothing.',
    }),
    sql`
      coalesce(s.state, case when t.created_by_user_id = (select user_id from caller)
                             then 'following' else 'unfollowed' end)`,
    'following',
  ],
});

/** The body of a change: unfollowing has an operation of its own. */
export const subscriptionChange = () =>
  Type.Object(
    {
      state: oneOf(['following', 'muted'], {
        description: '`following`: be told of what happens. `muted`: be told of nothing.',
      }),
    },
    { additionalProperties: false },
  );

/** What the operations on it have in common. */
export const onSubscription = {
  path: '/api/tasks/{task_id}/subscription',
  area: 'Account',
  access: onTask('open_project'),
  params: ids('task_id'),
  errors: [],
} as const;

/** SQL: `changed`, the row of the caller as it is now. */
export const subscribed = (state: 'following' | 'unfollowed' | 'muted') => sql`
  changed as (
    insert into task_subscription as s (user_id, task_id, state)
    select caller.user_id, authorized.task_id, ${state} from authorized cross join caller
    on conflict (user_id, task_id) do update
       set state = excluded.state, updated_at = clock_timestamp()
    returning s.task_id, s.state)`;
