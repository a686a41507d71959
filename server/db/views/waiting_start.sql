create or replace view waiting_start as
  select start.task_id, start.version,
         (select a.approved_by_user_id from plan_approval a
           where a.task_id = start.task_id and a.version = start.version) as approved_by_user_id,
         start.id as outbox_id
    from (select id, (payload->>'task_id')::uuid as task_id, (payload->>'version')::int as version
            from outbox
           where topic = 'agent_start' and done_at is null) start;
grant select on waiting_start to guildhall_app;
comment on view waiting_start is
  'The approved versions of plans that no worker has begun to build. A task that rests and has one is shown as queued.';
