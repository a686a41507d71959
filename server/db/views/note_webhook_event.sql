create or replace function note_webhook_event(
  event_type text, workspace uuid, project uuid, task uuid, data jsonb
) returns void language sql as $$
  insert into webhook_event (noted_at, type, organization_id, project_id, task_id, body)
  select noted.at, event_type, workspace, project, task,
         json_build_object(
           'type', event_type,
           'timestamp', to_char(noted.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'data', jsonb_strip_nulls(jsonb_build_object(
             'organization_id', workspace, 'project_id', project, 'task_id', task)) || data)
    from (
      -- Whatever the clock does.
      select greatest(clock_timestamp(), max(e.noted_at) + interval '1 microsecond') as at
        from webhook_event e where e.task_id = task) noted
   where exists (
     select from webhook_endpoint e
      where (e.organization_id = workspace or e.project_id = project)
        and e.enabled and event_type = any (e.event_types));
  insert into notification_event (noted_at, type, project_id, task_id, data)
  select clock_timestamp(), event_type, project, task, data
   where task is not null
     and event_type in (
       'task.plan_waiting', 'task.question_asked', 'task.permission_asked', 'task.ready',
       'task.failed', 'task.paused', 'task.checks_failed', 'task.merged', 'deploy.failed',
       'comment.mentioned')
$$;
comment on function note_webhook_event is
  'Notes what has happened, in the same transaction: for the webhooks of a workspace or a project, if one of them wants to hear of it, and for the people who are told of a task.';
