-- It runs after the insert, because ON CONFLICT DO NOTHING would not undo what a trigger before the
-- insert did. The update waits for other spending of this account and then looks at the balance
-- again, so two holds never share a dollar. While billing is off, tasks hold what no balance covers,
-- so that caps and limits count it; while test money is being voided, nothing is held.
create or replace function hold_reserves() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  free boolean := false;
  voids boolean := false;
begin
  select m.mode = 'off', not m.test_money and m.voided_at is null into free, voids
    from billing_mode m;
  free := coalesce(free, false) and new.reference_type = 'task';
  update billing_account set held = held + new.amount
   where id = new.account_id and kind <> 'system'
     and (free and status <> 'closed' or status = 'active' and balance - held >= new.amount)
     and voids is not true;
  if found then
    return null;
  end if;
  perform from billing_account where id = new.account_id and kind <> 'system' and status = 'active';
  if found then
    raise exception 'account % has less than % free', new.account_id, new.amount
      using errcode = 'GH001';
  end if;
  raise exception 'account % is not active', new.account_id using errcode = 'GH002';
end $$;
comment on function hold_reserves() is
  'Reserves the amount of a new hold on its account: GH001 when less is free, GH002 when the account is not active.';
