-- The status follows the balance in the same update. An account that was frozen while it owed
-- nothing stays frozen: only a posting that ends a debt activates it again.
create or replace function post_to_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  change bigint := case when new.account_id = new.credit_account_id
                        then new.amount else -new.amount end;
begin
  if new.kind = 'top_up' then
    perform refuse_test_money(t.processor, t.created_at) from top_up t where t.id = new.reference_id;
  end if;
  update billing_account
     set balance = balance + change, version = version + 1,
         status = case when balance + change < 0 then 'frozen'
                       when balance < 0 and status = 'frozen' then 'active' else status end
   where id = new.account_id and kind <> 'system' and status <> 'closed'
  returning version, balance into new.version, new.balance;
  if not found then
    raise exception 'account % is closed or no customer account', new.account_id
      using errcode = 'integrity_constraint_violation';
  end if;
  new.previous_balance := new.balance - change;
  return new;
end $$;
comment on function post_to_account() is
  'Moves the balance of the customer''s account of a new transfer, and freezes an account in debt.';
