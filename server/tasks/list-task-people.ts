import Type from 'typebox';
import { onTask } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { uuid } from '../http/input/fields.ts';
import { type Listed, listed, page } from '../http/list.ts';
import { cursorInvalid, paging } from '../http/paging.ts';
import { resource } from '../http/resource.ts';
import { ids, route } from '../http/route.ts';

/** A person who has had a part in a task, from a row `u` of `app_user`, and `m`, a membership. */
const taskPerson = resource('TaskPerson', {
  user_id: [uuid(), sql`u.id`, '3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  name: [
    Type.String({ description: 'Their name, or their address if they have not given one.' }),
    sql`coalesce(u.name, u.email)`,
    'Ada Byron',
  ],
  is_org_member: [
    Type.Boolean({ description: 'Whether they are a member of the workspace of the project now.' }),
    sql`m.user_id is not null`,
    true,
  ],
});

/** Whose ids stand in messages, plans, comments, answers, pull requests and merges of a task. */
export const listTaskPeople = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/people',
  area: 'Tasks',
  operationId: 'list_task_people',
  summary: 'List the people of a task',
  description:
    'Everyone who has had a part in the task, also those who have left the project since: who ' +
    'created it, wrote a message, a comment or a version of the plan, approved one, answered the ' +
    'agent, opened the pull request or merged it. It gives names to the ids in answers and events ' +
    'of the task. Everyone who can open the project may list them. The complete list, unless ' +
    '`limit` is given.',
  access: onTask('open_project'),
  params: ids('task_id'),
  query: Type.Object(paging),
  responses: { 200: taskPerson.listed('By name.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(people, query) }, page(url, query.limit)),
});

// A policy approves in the name of the creator, who has not looked at the plan.
const people = {
  json: taskPerson.json,
  rows: sql`
    from authorized
   cross join lateral (
      select t.created_by_user_id as id from task t where t.id = authorized.task_id
      union select author_user_id from task_message where task_id = authorized.task_id
      union select author_user_id from plan_revision where task_id = authorized.task_id
      union select approved_by_user_id
              from plan_approval
             where task_id = authorized.task_id and approval_source = 'person'
      union select unnest(array[author_user_id, resolved_by_user_id])
              from plan_comment where task_id = authorized.task_id
      union select unnest(array[author_user_id, resolved_by_user_id])
              from diff_comment where task_id = authorized.task_id
      union select answered_by_user_id from agent_request where task_id = authorized.task_id
      union select opened_by_user_id from pull_request where task_id = authorized.task_id
      union select requested_by_user_id from merge where task_id = authorized.task_id) part
    join app_user u on u.id = part.id
    left join membership m
      on m.organization_id = authorized.organization_id and m.user_id = u.id
   where true`,
  order: [
    { by: sql`lower(coalesce(u.name, u.email)) collate "C"`, type: 'text' },
    { by: sql`u.id`, type: 'uuid' },
  ],
} as const;
