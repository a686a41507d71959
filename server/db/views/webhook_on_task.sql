create or replace function webhook_on_task() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform note_webhook_of_task('task.created', new.id, jsonb_build_object(
      'status', new.status, 'created_by_user_id', new.created_by_user_id));
  else
    perform note_webhook_of_task(
      case new.status when 'awaiting_approval' then 'task.plan_waiting'
                      else 'task.' || new.status end,
      new.id,
      jsonb_strip_nulls(jsonb_build_object(
        'status', new.status, 'previous_status', old.status,
        -- Why one has failed may quote its agent.
        'reason', case when new.status = 'paused' then new.status_reason end)));
  end if;
  return null;
end $$;
comment on function webhook_on_task() is
  'What webhooks hear of a task: that it was created, and what it waits for or has become.';

create or replace trigger task_created_for_webhooks after insert on task
  for each row execute function webhook_on_task();
create or replace trigger task_changed_for_webhooks after update of status on task
  for each row
  when (old.status <> new.status
        and new.status in ('awaiting_approval', 'ready', 'failed', 'paused', 'cancelled'))
  execute function webhook_on_task();
