create or replace function check_settled_total() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  wrong uuid;
begin
  select s.id into wrong from usage_settlement s
    cross join lateral (
      select count(*) as events, coalesce(sum(e.amount), 0) as total_nano
        from usage_event e where e.settlement_id = s.id) found
   where s.id in (select settlement_id from changed)
     and (s.events <> found.events or s.total_nano <> found.total_nano)
   limit 1;
  if wrong is not null then
    raise exception 'settlement % is not the sum of its events', wrong
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
comment on function check_settled_total() is
  'A settlement is exactly the sum of its events: none can be left out, and none can be added later.';
