create or replace function note_webhook_of_task(event_type text, task uuid, data jsonb)
returns void language plpgsql as $$
declare
  project uuid;
  workspace uuid;
begin
  select p.id, p.organization_id into project, workspace
    from task t join project p on p.id = t.project_id where t.id = task;
  perform note_webhook_event(event_type, workspace, project, task, data);
end $$;
comment on function note_webhook_of_task is 'The same for what has happened to a task.';
