-- What a card processor tells us after a charge: events, refunds, disputes.

-- The processor's own record of the person whose saved cards an account's top-ups charge.
alter table billing_account add column customer_id text unique;
grant update (customer_id) on billing_account to guildhall_app;

-- Counts how often a top-up was looked up at the processor. Only the latest look may be applied: an answer that was
-- fetched before another one may be older than it.
alter table top_up add column look bigint not null default 0;

-- Webhook events by their id, kept whether we know their type or not; worked off from here, in any order.
create table processor_event (
  id              text primary key check (length(id) between 1 and 255),
  type            text not null check (length(type) between 1 and 255),
  intent_id       text,
  created_at      timestamptz not null,
  received_at     timestamptz not null default now(),
  attempts        integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  processed_at    timestamptz,
  last_error      text
);
create index processor_event_due on processor_event (next_attempt_at) where processed_at is null;
create index processor_event_newest on processor_event (created_at desc);

-- What a dispute holds back now: withdrawn less reinstated. `postings` numbers the ledger rows that followed it.
create table dispute (
  id         text primary key,
  top_up_id  uuid not null references top_up,
  withdrawn  bigint not null default 0,
  postings   integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index dispute_top_up on dispute (top_up_id);

-- A refund that an operator asked for. The money is held until the processor's answer is posted.
create table refund (
  id            uuid primary key default gen_random_uuid(),
  top_up_id     uuid not null references top_up,
  amount        bigint not null check (amount > 0),
  status        text not null default 'created' check (status in ('created', 'succeeded', 'failed')),
  failure       text,
  checks        integer not null default 0,
  next_check_at timestamptz default now() + interval '15 seconds',
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  check ((status = 'created') = (next_check_at is not null))
);
create index refund_top_up on refund (top_up_id);
create index refund_due on refund (next_check_at) where status = 'created';

create table sandbox_refund (
  idempotency_key text primary key,
  intent_id       text not null references sandbox_intent,
  amount          bigint not null check (amount > 0)
);
create index sandbox_refund_intent on sandbox_refund (intent_id);

-- One refund or dispute may be undone (a failed refund, a dispute that was won).
alter table ledger_transfer drop constraint ledger_transfer_kind_check,
  add constraint ledger_transfer_kind_check check (kind in
    ('top_up', 'promotion', 'balance_transfer', 'refund', 'refund_reversal', 'dispute', 'dispute_reversal', 'usage',
     'write_off'));

grant select, insert, update on processor_event, dispute, refund to guildhall_app;
grant select, insert on sandbox_refund to guildhall_app;
