-- The time of an instance whose programs end with its worker is counted while that worker lives:
-- docs/decisions/0066-erp-instances.md.
alter table erp_instance add column renewed_at timestamptz;
comment on column erp_instance.renewed_at is
  'While it runs and its programs end with its worker: when that worker was last known to live. Its time is counted no further.';

-- This first text of the function is replaced by api/db/views/count_erp_instance_time.sql.
create function count_erp_instance_time() returns trigger language plpgsql as $$
declare
  -- The programs of this driver end with their worker; containers go on without one.
  ends_with_worker boolean := new.driver = 'command';
  ran_until timestamptz := now();
begin
  if tg_op = 'UPDATE' and old.state = 'running' and new.state <> 'running' then
    if ends_with_worker and coalesce(old.lease_until < now(), true) then
      ran_until := coalesce(old.renewed_at, now());
    end if;
    new.uncounted_ms := new.uncounted_ms
      + greatest(0, extract(epoch from ran_until - old.counted_until) * 1000)::bigint;
    new.counted_until := null;
  elsif new.state = 'running' and (tg_op = 'INSERT' or old.state <> 'running') then
    new.counted_until := now();
  end if;
  if not ends_with_worker or new.state <> 'running' then
    new.renewed_at := null;
  elsif tg_op = 'INSERT' or old.state <> 'running'
     or new.lease_until is distinct from old.lease_until then
    new.renewed_at := now();
  end if;
  return new;
end $$;
create or replace trigger erp_instance_time
  before insert or update of state, lease_until on erp_instance
  for each row execute function count_erp_instance_time();

-- Of those that run now, a lease of 30 seconds tells it. One without a lease was left by its worker.
update erp_instance set renewed_at = coalesce(lease_until - interval '30 seconds', counted_until)
 where state = 'running' and driver = 'command';
