create or replace function check_pod_transition() returns trigger language plpgsql as $$
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
comment on function check_pod_transition() is
  'The order of a pod''s states: one that was given up is never used again.';
