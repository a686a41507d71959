-- What workers know of a pod beside its state. The work tree of every pod that has run was filled.
alter table pod
  add column isolation  text check (length(isolation) between 1 and 1000),
  add column filled_at  timestamptz,
  add column absences   integer not null default 0 check (absences >= 0),
  add column checked_at timestamptz,
  add column lost_at    timestamptz;
update pod set filled_at = created_at where state <> 'creating';
comment on column pod.isolation is 'What confines its processes, as a sentence for people.';
comment on column pod.filled_at is
  'When its work tree had the last commit of the task: before, a turn fills it again.';
comment on column pod.absences is
  'How often its driver has answered that it is gone, since it did not answer.';
comment on column pod.checked_at is 'When its driver was last asked for it while it was unknown.';
comment on column pod.lost_at is 'When it was found to be gone although nobody had destroyed it.';

-- A pod that is being destroyed is in nobody's way.
drop index pod_of_task;
create unique index pod_of_task on pod (task_id)
  where state not in ('absent', 'failed', 'destroying');
create index pod_unknown on pod (checked_at) where state = 'unknown';

-- As in api/db/views/check_pod_transition.sql.
create function check_pod_transition() returns trigger language plpgsql as $$
begin
  if old.state = new.state
     or new.state = 'absent'
     or (new.state = 'destroying' and old.state <> 'absent')
     or (old.state in ('creating', 'running', 'paused', 'unknown')
         and new.state in ('running', 'paused', 'unknown', 'failed'))
  then
    return new;
  end if;
  raise exception 'a pod cannot go from % to %', old.state, new.state
    using errcode = 'integrity_constraint_violation', constraint = 'pod_transition';
end $$;
create trigger pod_transition before update of state on pod
  for each row execute function check_pod_transition();
