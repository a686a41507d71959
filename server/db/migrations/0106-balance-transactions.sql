-- What the card processor says of its own balance: docs/decisions/0062-monthly-report.md.
create table balance_transaction (
  id         text primary key check (id ~ '^[!-~]{1,255}$'),
  category   text not null check (category in ('charge', 'refund', 'dispute', 'fee', 'other')),
  type       text not null check (length(type) between 1 and 255),
  amount     bigint not null,
  fee        bigint not null,
  net        bigint not null generated always as (amount - fee) stored,
  currency   text not null check (currency ~ '^[a-z]{3}$'),
  source_id  text,
  intent_id  text,
  top_up_id  text,
  created_at timestamptz not null,
  fetched_at timestamptz not null default now()
);
comment on table balance_transaction is
  'Every change of the balance at Stripe, as Stripe reports it. Insert-only.';
comment on column balance_transaction.category is 'Ours, of what Stripe calls its reporting category.';
comment on column balance_transaction.amount is
  'Micro-USD, negative for what leaves. In another currency, its hundredths times 10,000.';
comment on column balance_transaction.fee is 'What Stripe keeps of it, in the same unit; negative for a fee that is returned.';
comment on column balance_transaction.source_id is 'The charge, refund or dispute.';
comment on column balance_transaction.intent_id is 'Its payment intent.';
comment on column balance_transaction.top_up_id is
  'What the charge says of the top-up that it is for. Text, because it may be of another database.';
comment on column balance_transaction.created_at is 'By the clock of Stripe.';
create index balance_transaction_time on balance_transaction (created_at);
create index balance_transaction_intent on balance_transaction (intent_id);
create trigger balance_transaction_insert_only before update or delete on balance_transaction
  for each row execute function refuse_change();
create trigger balance_transaction_no_truncate before truncate on balance_transaction
  for each statement execute function refuse_change();

create table balance_fetch (
  only_one      boolean primary key default true check (only_one),
  fetched_until timestamptz not null
);
comment on table balance_fetch is 'How far the changes of the balance at Stripe were fetched.';
comment on column balance_fetch.fetched_until is 'Everything before was fetched.';

grant select, insert on balance_transaction to guildhall_app;
grant select, insert, update on balance_fetch to guildhall_app;

alter table sandbox_refund add column created_at timestamptz;
alter table sandbox_refund alter column created_at set default now();
comment on column sandbox_refund.created_at is 'Null for refunds of an earlier release.';
