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
