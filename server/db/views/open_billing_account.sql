create or replace function open_billing_account() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'app_user' then
    insert into billing_account (kind, user_id) values ('user', new.id);
  else
    insert into billing_account (kind, organization_id) values ('workspace', new.id);
  end if;
  return null;
end $$;
comment on function open_billing_account() is
  'Opens the billing account of a new user or workspace.';
