create or replace view waiting_start as
  select a.task_id, a.version, a.approved_by_user_id, o.id as outbox_id
    from plan_approval a
    join outbox o on o.topic = 'agent_start' and o.key = a.task_id || ':' || a.version
   where o.done_at is null;
grant select on waiting_start to guildhall_app;
comment on view waiting_start is
  'The approved versions of plans that no worker has begun to build. A task that rests and has one is shown as queued.';
