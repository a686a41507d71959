-- It runs after the insert, because ON CONFLICT DO NOTHING would not undo what a trigger before the
-- insert did. The update waits for other spending of this account and then looks at the balance
-- again, so two holds never share a dollar.
create or replace function hold_reserves() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update billing_account set held = held + new.amount
   where id = new.account_id and kind <> 'system' and status = 'active'
     and balance - held >= new.amount;
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
