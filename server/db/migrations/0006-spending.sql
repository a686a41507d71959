-- Spending: money that running work reserves, and usage that is counted first and charged in batches.

-- 1. A debt freezes an account; paying it back opens it again ----------------------------------------

-- As in 0002, and in the same update the status follows the balance. An account that somebody froze while it owed
-- nothing stays frozen: only a posting that ends a debt opens it.
create or replace function post_to_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  change bigint := case when new.account_id = new.credit_account_id then new.amount else -new.amount end;
begin
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
update billing_account set status = 'frozen' where balance < 0 and status = 'active';
alter table billing_account add constraint billing_account_debt_is_frozen
  check (balance >= 0 or status = 'frozen');

-- 2. Holds -------------------------------------------------------------------------------------------

-- What an account holds is the sum of its open holds; the triggers below keep it, and nobody else may.
update billing_account set held = 0 where held <> 0;
revoke update (held) on billing_account from guildhall_app;

create table hold (
  id              uuid primary key default gen_random_uuid(),
  account_id      uuid not null references billing_account,
  amount          bigint not null check (amount > 0),
  captured        bigint not null default 0,
  status          text not null default 'open' check (status in ('open', 'captured', 'released')),
  idempotency_key text not null unique check (length(idempotency_key) between 1 and 200),
  reference_type  text not null check (length(reference_type) between 1 and 50),
  reference_id    uuid not null,
  -- A captured hold cannot be committed without the ledger row that took the money.
  transfer_key    text generated always as (case when status = 'captured' then 'hold:' || id || ':capture' end) stored
                  references ledger_transfer (idempotency_key) deferrable initially deferred,
  created_at      timestamptz not null default clock_timestamp(),
  ended_at        timestamptz,
  check ((status = 'open') = (ended_at is null)),
  check (case when status = 'captured' then captured between 1 and amount else captured = 0 end)
);
create index hold_open on hold (account_id) where status = 'open';

create function check_hold() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status <> 'open' then
      raise exception 'a hold begins open' using errcode = 'integrity_constraint_violation';
    end if;
    return new;
  end if;
  if old.status <> 'open' or new.status = 'open'
     or (new.id, new.account_id, new.amount, new.idempotency_key, new.reference_type, new.reference_id, new.created_at)
        is distinct from
        (old.id, old.account_id, old.amount, old.idempotency_key, old.reference_type, old.reference_id, old.created_at)
  then
    raise exception 'a hold ends once, captured or released, and nothing else of it changes'
      using errcode = 'integrity_constraint_violation';
  end if;
  new.ended_at := clock_timestamp();
  return new;
end $$;
create trigger hold_check before insert or update on hold for each row execute function check_hold();

-- After the insert, not before it: ON CONFLICT DO NOTHING would keep what a trigger before it did. The update waits for
-- whoever spends from this account now and then looks at the balance again, so two holds never share a dollar.
create function hold_reserves() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  update billing_account set held = held + new.amount
   where id = new.account_id and kind <> 'system' and status = 'active' and balance - held >= new.amount;
  if found then
    return null;
  end if;
  perform from billing_account where id = new.account_id and kind <> 'system' and status = 'active';
  if found then
    raise exception 'account % has less than % free', new.account_id, new.amount using errcode = 'GH001';
  end if;
  raise exception 'account % is not active', new.account_id using errcode = 'GH002';
end $$;
create trigger hold_reserves after insert on hold for each row execute function hold_reserves();

create function hold_lets_go() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  update billing_account set held = held - new.amount where id = new.account_id;
  return null;
end $$;
create trigger hold_lets_go after update on hold for each row execute function hold_lets_go();
create trigger hold_no_delete before delete on hold for each row execute function refuse_change();
create trigger hold_no_truncate before truncate on hold for each statement execute function refuse_change();

-- 3. Usage -------------------------------------------------------------------------------------------

-- One settlement charges a batch of an account's events in whole micro-USD. What is left, less than one micro-USD, is
-- carried into the account's next settlement: each row refers to the one before it, so no carry is lost or used twice.
create table usage_settlement (
  id              uuid primary key default gen_random_uuid(),
  account_id      uuid not null references billing_account,
  number          bigint not null check (number > 0),
  previous_number bigint generated always as (nullif(number - 1, 0)) stored,
  events          integer not null check (events > 0),
  total_nano      bigint not null check (total_nano > 0),
  carried_in      smallint not null check (carried_in between 0 and 999),
  carried_out     smallint not null check (carried_out between 0 and 999),
  micro           bigint not null check (micro >= 0),
  transfer_key    text generated always as (case when micro > 0 then 'usage:' || id end) stored
                  references ledger_transfer (idempotency_key) deferrable initially deferred,
  created_at      timestamptz not null default clock_timestamp(),
  unique (id, account_id),
  unique (account_id, number),
  unique (account_id, number, carried_out),
  foreign key (account_id, previous_number, carried_in) references usage_settlement (account_id, number, carried_out),
  check (number > 1 or carried_in = 0),
  check (carried_in + total_nano = micro * 1000 + carried_out)
);
create trigger usage_settlement_insert_only before update or delete on usage_settlement
  for each row execute function refuse_change();
create trigger usage_settlement_no_truncate before truncate on usage_settlement
  for each statement execute function refuse_change();

-- `amount` is nano-USD: a token costs less than a micro-USD. The cap keeps a batch's sum within a ledger row.
create table usage_event (
  id              uuid primary key default gen_random_uuid(),
  account_id      uuid not null references billing_account,
  idempotency_key text not null unique check (length(idempotency_key) between 1 and 200),
  amount          bigint not null check (amount between 1 and 100000000000000),
  reference_type  text not null check (length(reference_type) between 1 and 50),
  reference_id    uuid not null,
  occurred_at     timestamptz not null,
  recorded_at     timestamptz not null default clock_timestamp(),
  settlement_id   uuid,
  foreign key (settlement_id, account_id) references usage_settlement (id, account_id)
);
create index usage_event_pending on usage_event (account_id, occurred_at, id) where settlement_id is null;
create index usage_event_settlement on usage_event (settlement_id);

create function check_usage_event() returns trigger language plpgsql as $$
declare
  expected usage_event := old;
begin
  expected.settlement_id := new.settlement_id;
  if old.settlement_id is not null or new.settlement_id is null or new is distinct from expected then
    raise exception 'a usage event is settled once, and nothing else of it changes'
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger usage_event_check before update on usage_event for each row execute function check_usage_event();
create trigger usage_event_no_delete before delete on usage_event for each row execute function refuse_change();
create trigger usage_event_no_truncate before truncate on usage_event
  for each statement execute function refuse_change();

-- A settlement is exactly its events: none can be left out, or slipped in later.
create function check_settled_total() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  wrong uuid;
begin
  select s.id into wrong from usage_settlement s
    cross join lateral (
      select count(*) as events, coalesce(sum(e.amount), 0) as total_nano
        from usage_event e where e.settlement_id = s.id) found
   where s.id in (select settlement_id from changed)
     and (s.events <> found.events or s.total_nano <> found.total_nano)
   limit 1;
  if wrong is not null then
    raise exception 'settlement % is not the sum of its events', wrong
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger usage_event_is_settled_whole after update on usage_event
  referencing new table as changed for each statement execute function check_settled_total();

-- 4. Rights of the server ----------------------------------------------------------------------------

grant select on hold, usage_event, usage_settlement to guildhall_app;
grant insert (id, account_id, amount, idempotency_key, reference_type, reference_id), update (status, captured)
  on hold to guildhall_app;
grant insert (account_id, idempotency_key, amount, reference_type, reference_id, occurred_at), update (settlement_id)
  on usage_event to guildhall_app;
grant insert (account_id, number, events, total_nano, carried_in, carried_out, micro)
  on usage_settlement to guildhall_app;
