-- Whose money it is: which processor moves it, which request asked for it, and who may not stand in between.

-- 1. A top-up belongs to one processor ---------------------------------------------------------------

-- No default: an insert that does not say who charges the card is refused.
alter table top_up add column processor text check (processor in ('stripe', 'sandbox'));
update top_up set processor = case when processor_id like 'pi\_sandbox\_%' then 'sandbox' else 'stripe' end
 where processor_id is not null;
-- Without an intent on record: Stripe's when its payer is known there, or when Stripe charged cards here before it.
update top_up t set processor = case
    when exists (select from billing_account a where a.user_id = t.user_id and a.customer_id is not null)
      or exists (select from top_up s where s.processor = 'stripe' and s.created_at <= t.created_at)
    then 'stripe' else 'sandbox' end
 where t.processor is null;
alter table top_up alter column processor set not null;

drop trigger top_up_keeps_its_request on top_up;
create trigger top_up_keeps_its_request
  before update of id, account_id, user_id, key_id, request_id, payment_method_id, amount, processor on top_up for each row
  execute function keep_columns('id', 'account_id', 'user_id', 'key_id', 'request_id', 'payment_method_id', 'amount',
                                'processor');

-- 2. Only requests without a key join ----------------------------------------------------------------

-- An Idempotency-Key says which requests are one: under two keys, two identical charges are two wishes.
drop index top_up_one_open;
create unique index top_up_one_open on top_up (account_id, payment_method_id, amount)
  where status in ('created', 'processing') and client_key is null;

-- 3. Functions that act as the owner -----------------------------------------------------------------

-- Unless pg_temp is named, it is searched first: a temporary table called billing_account, with a trigger of its own,
-- would be what these functions write to, and the trigger would run as the owner.
alter function post_to_account() set search_path = pg_catalog, public, pg_temp;
alter function hold_reserves() set search_path = pg_catalog, public, pg_temp;
alter function hold_lets_go() set search_path = pg_catalog, public, pg_temp;
alter function check_settled_total() set search_path = pg_catalog, public, pg_temp;
-- The server needs no temporary tables at all.
do $$ begin
  execute format('revoke temporary on database %I from public, guildhall_app', current_database());
end $$;

-- 4. Each ledger row is between one customer and the system ------------------------------------------

alter table billing_account add constraint billing_account_system_id check (
  (kind = 'system')
  = (id between '00000000-0000-4000-9000-000000000000' and '00000000-0000-4000-9000-ffffffffffff'));
alter table ledger_transfer add constraint ledger_transfer_one_customer check (
  (debit_account_id between '00000000-0000-4000-9000-000000000000' and '00000000-0000-4000-9000-ffffffffffff')
  <> (credit_account_id between '00000000-0000-4000-9000-000000000000' and '00000000-0000-4000-9000-ffffffffffff'));
