-- Money: bigint micro-USD. One ledger row is one debit and one credit, so an unbalanced entry cannot be written.

create table billing_account (
  id              uuid primary key default gen_random_uuid(),
  kind            text not null check (kind in ('user', 'workspace', 'system')),
  user_id         uuid unique references app_user,
  organization_id uuid unique references organization on delete set null,
  system_name     text unique check (system_name in
                    ('processor_clearing', 'transfer_clearing', 'revenue', 'disputes', 'promotions', 'write_offs')),
  status          text not null default 'active' check (status in ('active', 'frozen', 'closed')),
  successor_id    uuid references billing_account check (successor_id <> id),
  balance         bigint not null default 0 check (abs(balance) <= 1000000000000000),
  held            bigint not null default 0 check (held >= 0),
  version         bigint not null default 0 check (version >= 0),
  posted_version  bigint generated always as (nullif(version, 0)) stored,
  created_at      timestamptz not null default now(),
  check ((kind = 'user') = (user_id is not null)),
  check ((kind = 'system') = (system_name is not null)),
  -- A workspace cannot go while its account is open: SET NULL would break this line.
  check (kind <> 'workspace' or status = 'closed' or organization_id is not null),
  check (organization_id is null or kind = 'workspace'),
  check (status <> 'closed' or (balance = 0 and held = 0 and successor_id is not null)),
  check (version > 0 or balance = 0),
  -- A system account's balance is the sum of its rows; nobody locks it in the path.
  check (kind <> 'system' or (version = 0 and status = 'active'))
);
create index billing_account_successor on billing_account (successor_id);
insert into billing_account (id, kind, system_name) values
  ('00000000-0000-4000-9000-000000000001', 'system', 'processor_clearing'),
  ('00000000-0000-4000-9000-000000000002', 'system', 'transfer_clearing'),
  ('00000000-0000-4000-9000-000000000003', 'system', 'revenue'),
  ('00000000-0000-4000-9000-000000000004', 'system', 'disputes'),
  ('00000000-0000-4000-9000-000000000005', 'system', 'promotions'),
  ('00000000-0000-4000-9000-000000000006', 'system', 'write_offs');

create function open_billing_account() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'app_user' then
    insert into billing_account (kind, user_id) values ('user', new.id);
  else
    insert into billing_account (kind, organization_id) values ('workspace', new.id);
  end if;
  return null;
end $$;
create trigger app_user_opens_account after insert on app_user for each row execute function open_billing_account();
create trigger organization_opens_account after insert on organization
  for each row execute function open_billing_account();

-- Every row has one customer account (`account_id`, the debit or the credit side) and one system account. Inserting a
-- row is what moves the customer's balance: nothing else may. The row carries the running balance and version; each
-- refers to the row before it, and the account refers to its last row, so a gap, a fork or a balance that no row
-- explains cannot be committed.
create table ledger_transfer (
  id                uuid primary key default gen_random_uuid(),
  idempotency_key   text not null unique check (length(idempotency_key) between 1 and 200),
  kind              text not null check (kind in ('top_up', 'promotion', 'balance_transfer', 'refund', 'dispute',
                                                  'dispute_reversal', 'usage', 'write_off')),
  debit_account_id  uuid not null references billing_account,
  credit_account_id uuid not null references billing_account,
  amount            bigint not null check (amount > 0),
  account_id        uuid not null,
  version           bigint not null check (version > 0),
  previous_version  bigint generated always as (nullif(version - 1, 0)) stored,
  previous_balance  bigint not null,
  balance           bigint not null,
  reference_type    text not null check (length(reference_type) between 1 and 50),
  reference_id      uuid not null,
  created_at        timestamptz not null default clock_timestamp(),
  unique (account_id, version),
  unique (account_id, version, balance),
  foreign key (account_id, previous_version, previous_balance)
    references ledger_transfer (account_id, version, balance),
  check (debit_account_id <> credit_account_id),
  check (account_id in (debit_account_id, credit_account_id)),
  check (balance = previous_balance + case when account_id = credit_account_id then amount else -amount end),
  check (version > 1 or previous_balance = 0)
);

create function post_to_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  change bigint := case when new.account_id = new.credit_account_id then new.amount else -new.amount end;
begin
  update billing_account set balance = balance + change, version = version + 1
   where id = new.account_id and kind <> 'system' and status <> 'closed'
  returning version, balance into new.version, new.balance;
  if not found then
    raise exception 'account % is closed or no customer account', new.account_id
      using errcode = 'integrity_constraint_violation';
  end if;
  new.previous_balance := new.balance - change;
  return new;
end $$;
create trigger ledger_transfer_posts before insert on ledger_transfer
  for each row execute function post_to_account();
create index ledger_transfer_debit on ledger_transfer (debit_account_id);
create index ledger_transfer_credit on ledger_transfer (credit_account_id);
create index ledger_transfer_reference on ledger_transfer (reference_id);
create trigger ledger_transfer_insert_only before update or delete on ledger_transfer
  for each row execute function refuse_change();
create trigger ledger_transfer_no_truncate before truncate on ledger_transfer
  for each statement execute function refuse_change();

alter table billing_account add constraint billing_account_is_its_last_row
  foreign key (id, posted_version, balance) references ledger_transfer (account_id, version, balance)
  deferrable initially deferred;

-- A card a person saved. `token` is the processor's name for it; the id is ours.
create table payment_method (
  id         text primary key check (id ~ '^pm_[0-9A-Za-z]{10,60}$'),
  user_id    uuid not null references app_user,
  token      text not null check (length(token) between 1 and 255),
  brand      text not null check (length(brand) between 1 and 30),
  last4      text not null check (last4 ~ '^[0-9]{4}$'),
  detached_at timestamptz,
  created_at timestamptz not null default now()
);
create index payment_method_user on payment_method (user_id);

-- The intent to charge a card, kept before anybody is asked for money.
create table top_up (
  id                uuid primary key default gen_random_uuid(),
  account_id        uuid not null references billing_account,
  user_id           uuid not null references app_user,
  key_id            uuid references api_key,
  request_id        text not null,
  payment_method_id text not null references payment_method,
  amount            bigint not null check (amount > 0),
  status            text not null default 'created' check (status in
                      ('created', 'processing', 'succeeded', 'failed', 'partially_refunded', 'refunded', 'disputed')),
  client_key        text check (length(client_key) between 1 and 255),
  processor_id      text unique,
  failure_code      text,
  decline_code      text,
  refunded          bigint not null default 0 check (refunded between 0 and amount),
  disputed          bigint not null default 0 check (disputed between 0 and amount),
  checks            integer not null default 0,
  next_check_at     timestamptz default now() + interval '15 seconds',
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now(),
  unique (user_id, client_key),
  check (status in ('created', 'failed') or processor_id is not null),
  check ((status = 'failed') = (failure_code is not null)),
  check (status not in ('created', 'processing') or next_check_at is not null)
);
-- A second identical request joins the first one while that is open, instead of charging again.
create unique index top_up_one_open on top_up (account_id, payment_method_id, amount)
  where status in ('created', 'processing');
create index top_up_account on top_up (account_id);
create index top_up_due on top_up (next_check_at) where status in ('created', 'processing');

-- Which way a top-up may go: failed -> succeeded (a late success) is allowed, succeeded -> failed never.
create function check_top_up_transition() returns trigger language plpgsql as $$
begin
  if old.status = new.status
     or (old.status = 'created' and new.status in ('processing', 'failed'))
     or (old.status = 'processing' and new.status in ('succeeded', 'failed'))
     or (old.status = 'failed' and new.status = 'succeeded')
     or (old.status not in ('created', 'processing', 'failed') and new.status not in ('created', 'processing', 'failed'))
  then
    return new;
  end if;
  raise exception 'a top-up cannot go from % to %', old.status, new.status
    using errcode = 'integrity_constraint_violation';
end $$;
create trigger top_up_transition before update of status on top_up
  for each row execute function check_top_up_transition();

-- Recharging a balance by itself is off by default; what is kept here also blocks a transfer (ruling 5.5).
create table auto_reload (
  account_id        uuid primary key references billing_account,
  enabled           boolean not null default false,
  payment_method_id text references payment_method,
  updated_at        timestamptz not null default now(),
  check (not enabled or payment_method_id is not null)
);
create index auto_reload_card on auto_reload (payment_method_id);

-- The sandbox processor's memory: payment intents that exist only here.
create table sandbox_intent (
  id              text primary key,
  idempotency_key text not null unique,
  confirm_key     text unique,
  token           text not null,
  amount          bigint not null check (amount > 0),
  status          text not null check (status in ('requires_confirmation', 'succeeded', 'requires_payment_method', 'canceled')),
  decline_code    text,
  failure_code    text,
  metadata        jsonb not null default '{}',
  created_at      timestamptz not null default now()
);
