create or replace function check_auto_reload() returns trigger language plpgsql as $$
declare
  changed jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  accounts uuid[];
begin
  if tg_table_name = 'app_user' then
    accounts := array(
      select r.account_id
        from payment_method p join auto_reload r on r.payment_method_id = p.id
       where p.user_id = (changed ->> 'id')::uuid and r.enabled);
  else
    accounts := array(
      select r.account_id
        from billing_account a join auto_reload r on r.account_id = a.id
       where a.organization_id = (changed ->> case tg_table_name when 'organization' then 'id'
                                                                  else 'organization_id' end)::uuid
         and r.enabled);
  end if;
  -- With a key of the transaction, so that no other one waits for it.
  insert into outbox (topic, key, payload)
  select 'auto_reload_due', account || ' ' || pg_current_xact_id(),
         jsonb_build_object('account_id', account)
    from unnest(accounts) account
  on conflict (topic, key) do nothing;
  return null;
end $$;
comment on function check_auto_reload() is
  'Asks the background work whether auto-reload may still charge its card, after anything that can end the right of the card''s person.';

create or replace trigger membership_checks_auto_reload after update of role_id or delete on membership
  for each row execute function check_auto_reload();
create or replace trigger role_checks_auto_reload after update of acts_as on role
  for each row when (old.acts_as = 'admin' and new.acts_as <> 'admin')
  execute function check_auto_reload();
create or replace trigger organization_checks_auto_reload
  after update of require_2fa, owner_user_id on organization
  for each row when (new.require_2fa and not old.require_2fa
                     or new.owner_user_id <> old.owner_user_id)
  execute function check_auto_reload();
create or replace trigger app_user_checks_auto_reload after update of is_active, two_factor on app_user
  for each row when (old.is_active and not new.is_active or old.two_factor and not new.two_factor)
  execute function check_auto_reload();
