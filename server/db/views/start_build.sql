create or replace function start_build(task uuid, number integer, seen integer default null)
returns integer language plpgsql as $$
declare
  approved integer;
begin
  with done as (
    update outbox set done_at = now()
     where topic = 'agent_start' and done_at is null and (payload->>'task_id')::uuid = task
       and (seen is null or (payload->>'version')::integer <= seen)
    returning (payload->>'version')::integer as version)
  select max(version) into approved from done;
  if approved is null then
    return 0;
  end if;
  -- A build for which nothing was ever held has not begun: the newer version takes its place.
  update task_turn u set state = 'cancelled', ended_at = clock_timestamp()
   where u.task_id = task and u.kind = 'build' and u.plan_version < approved
     and u.state in ('queued', 'interrupted') and u.account_id is null;
  insert into task_turn (task_id, number, kind, source, prompt, plan_version, requested_by_user_id)
  select task, number, 'build', 'plan:' || task || ':' || approved, '', approved,
         -- Whoever a policy has approved for did not ask for the build.
         (select a.approved_by_user_id
            from plan_approval a left join plan p on p.task_id = a.task_id
           where a.task_id = task and a.version = approved
             and p.policy_version is distinct from a.version);
  return 1;
end $$;
comment on function start_build(uuid, integer, integer) is
  'Takes the approved versions of a task that wait to be started, and queues one build, of the newest, with this number. Returns how many builds it queued. Lock the task before. Approvals that the calling statement has not seen can be left out: none after the version `seen`.';
