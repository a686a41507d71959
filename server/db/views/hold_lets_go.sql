create or replace function hold_lets_go() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update billing_account set held = held - new.amount where id = new.account_id;
  return null;
end $$;
comment on function hold_lets_go() is
  'Ends the reservation of a hold that was captured or released.';
