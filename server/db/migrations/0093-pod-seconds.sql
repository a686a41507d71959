-- How long pods run, so that it becomes usage.
alter table pod
  add column counted_until timestamptz,
  add column uncounted_ms  bigint not null default 0 check (uncounted_ms >= 0);
comment on column pod.counted_until is
  'While it runs: the time of it until then is in usage, or in uncounted_ms.';
comment on column pod.uncounted_ms is 'Milliseconds in which it ran and that are not in usage yet.';
update pod set counted_until = now() where state = 'running';

-- This first text of the function is replaced by api/db/views/count_pod_time.sql.
create function count_pod_time() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.state = 'running' and new.state <> 'running' then
    new.uncounted_ms := new.uncounted_ms
      + greatest(0, extract(epoch from now() - old.counted_until) * 1000)::bigint;
    new.counted_until := null;
  elsif new.state = 'running' and (tg_op = 'INSERT' or old.state <> 'running') then
    new.counted_until := now();
  end if;
  return new;
end $$;
create trigger pod_time before insert or update of state on pod
  for each row execute function count_pod_time();
