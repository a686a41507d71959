create or replace function open_billing_details() returns trigger language plpgsql as $$
begin
  insert into billing_details (id) values (new.id);
  return null;
end $$;
comment on function open_billing_details() is 'Makes the billing details of a new account.';
