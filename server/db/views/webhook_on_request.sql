create or replace function webhook_on_request() returns trigger language plpgsql as $$
begin
  perform note_webhook_of_task(
    case new.kind when 'question' then 'task.question_asked' else 'task.permission_asked' end,
    new.task_id, jsonb_build_object('request_id', new.id));
  return null;
end $$;
comment on function webhook_on_request() is
  'That an agent has asked a question or for a permission, for webhooks.';

create or replace trigger request_made_for_webhooks after insert on agent_request
  for each row execute function webhook_on_request();
