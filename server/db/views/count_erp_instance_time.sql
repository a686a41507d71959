create or replace function count_erp_instance_time() returns trigger language plpgsql as $$
declare
  ran_until timestamptz := now();
begin
  if tg_op = 'UPDATE' and old.state = 'running' and new.state <> 'running' then
    if coalesce(old.lease_until < now(), true) then
      ran_until := coalesce(old.renewed_at, now());
    end if;
    new.uncounted_ms := new.uncounted_ms
      + greatest(0, extract(epoch from ran_until - old.counted_until) * 1000)::bigint;
    new.counted_until := null;
  elsif new.state = 'running' and (tg_op = 'INSERT' or old.state <> 'running') then
    new.counted_until := now();
  end if;
  if new.state <> 'running' then
    new.renewed_at := null;
  elsif tg_op = 'INSERT' or old.state <> 'running'
     or new.lease_until is distinct from old.lease_until then
    new.renewed_at := now();
  end if;
  return new;
end $$;
comment on function count_erp_instance_time() is
  'Adds up the time in which an ERP instance runs, until it is recorded as usage. It ends with its worker, so no further than that worker is known to have lived.';
