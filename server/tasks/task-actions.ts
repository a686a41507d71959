import type { Actions } from '../access/actions.ts';
import { canBeActivated } from '../access/odoo-connection.ts';
import { rolesThatMay } from '../access/roles.ts';
import { sql } from '../db/sql.ts';
import { instanceActions } from './instance-actions.ts';
import { podInUse } from './pod.ts';
import { CANCELLABLE, RESUMABLE, shownStatus } from './shown-status.ts';

/**
 * What a person may do to a task. What they may do to its plan, to one of its messages or to a
 * request of its agent is listed there.
 */
export const taskActions: Actions = {
  get_task: 'open_project',
  update_task: 'work_on_task',
  delete_task: {
    permission: 'delete_task',
    or: sql`t.created_by_user_id = (select user_id from caller)
            and authorized.acts_as = any(${rolesThatMay('work_on_task')}::text[])`,
  },
  list_task_people: 'open_project',
  get_task_diff: 'open_project',
  list_diff_comments: 'open_project',
  create_diff_comment: 'work_on_task',
  send_diff_comments: {
    permission: 'work_on_task',
    when: sql`
      exists (select from diff_comment c
               where c.task_id = t.id and c.message_number is null and c.resolved_at is null)`,
  },
  open_pull_request: {
    permission: 'work_on_task',
    when: sql`(select archived_at is null from project where id = t.project_id)`,
  },
  set_aside_task: 'open_project',
  bring_back_task: 'open_project',
  get_task_subscription: 'open_project',
  set_task_subscription: 'open_project',
  unfollow_task: 'open_project',
  list_task_merge_targets: 'open_project',
  get_task_usage: 'see_usage',
  list_task_turns: 'see_usage',
  export_task_usage: 'see_usage',
  get_pod: 'open_project',
  get_pod_log: 'open_project',
  start_pod: { permission: 'work_on_task', when: sql`t.archived_at is null` },
  stop_pod: { permission: 'work_on_task', when: sql`not ${podInUse}` },
  ...instanceActions([]),
  list_messages: 'open_project',
  create_message: 'work_on_task',
  list_requests: 'open_project',
  list_task_events: 'open_project',
  list_attachments: 'open_project',
  create_attachment: 'attach_file',
  list_artifacts: 'open_project',
  list_task_odoo_connections: 'open_project',
  activate_odoo_connection: {
    permission: 'work_on_task',
    when: sql`
      (select true from odoo_connection c
        where c.project_id = t.project_id and ${canBeActivated} limit 1)`,
  },
  cancel_task: {
    permission: 'work_on_task',
    when: sql`${shownStatus} = any(${CANCELLABLE}::text[])`,
  },
  resume_task: {
    permission: 'work_on_task',
    when: sql`${shownStatus} = any(${RESUMABLE}::text[]) and t.last_turn > 0`,
  },
};
