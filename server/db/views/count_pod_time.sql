create or replace function count_pod_time() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.state = 'running' and new.state <> 'running' then
    new.uncounted_ms := new.uncounted_ms + pod_time_since(old.counted_until);
    new.counted_until := null;
  elsif new.state = 'running' and (tg_op = 'INSERT' or old.state <> 'running') then
    new.counted_until := now();
  end if;
  return new;
end $$;
comment on function count_pod_time() is
  'Adds up the time in which a pod runs, by its changes of state, until it is recorded as usage.';
