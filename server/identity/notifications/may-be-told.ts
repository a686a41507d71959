import { personMay } from '../../access/person-may.ts';
import { sql } from '../../db/sql.ts';

/** SQL: whether the person of a notification `n` about a task `t` may open it and wants to hear of it, and it holds. */
export const mayBeTold = sql`
  exists (select from project_person person
           where person.project_id = t.project_id and person.user_id = n.user_id
             and ${personMay('open_project')})
  and not exists (select from task_subscription m
                   where m.task_id = t.id and m.user_id = n.user_id and m.state = 'muted')
  and not exists (select from project_mute m
                   where m.project_id = t.project_id and m.user_id = n.user_id)
  and case n.type
        when 'task.plan_waiting' then t.status = 'awaiting_approval' and exists (
          select from plan l where l.task_id = t.id and l.approved_version is distinct from l.version)
        when 'task.paused' then t.status = 'paused'
        when 'task.question_asked' then exists (
          select from agent_request r
           where r.id = (n.data->>'request_id')::uuid and r.state = 'open')
        when 'task.permission_asked' then exists (
          select from agent_request r
           where r.id = (n.data->>'request_id')::uuid and r.state = 'open')
        when 'comment.mentioned' then exists (
          select from plan_comment c where c.id = (n.data->>'comment_id')::uuid
          union all
          select from diff_comment c where c.id = (n.data->>'comment_id')::uuid)
        else true end`;
