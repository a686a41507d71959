-- Auto-reload: what a person set, and where it stands. Amounts in micro-USD.

alter table auto_reload
  add column threshold      bigint check (threshold > 0),
  add column amount         bigint check (amount > 0),
  add column monthly_cap    bigint check (monthly_cap > 0),
  add column paused_reason  text check (paused_reason in ('declined', 'authentication_required', 'card_lost')),
  -- Declines of charges that were begun before this are forgiven: a new card, or a top-up by hand that worked.
  add column declines_since timestamptz not null default now(),
  add column looked_at      timestamptz not null default '-infinity',
  -- A row of an earlier version may be enabled without any of the three: it never charges.
  add constraint auto_reload_complete check (
    not enabled or num_nulls(threshold, amount, monthly_cap) = 3
    or (num_nulls(threshold, amount, monthly_cap) = 0 and monthly_cap >= amount));
create index auto_reload_watched on auto_reload (looked_at) where enabled and paused_reason is null;

-- Which top-ups nobody asked for by hand. One open one per account, whoever begins it.
alter table top_up add column automatic boolean not null default false;
create unique index top_up_one_automatic on top_up (account_id)
  where automatic and status in ('created', 'processing');
create index top_up_automatic on top_up (account_id) where automatic;

-- The processor's name for the card itself: the same card saved twice is no new card.
alter table payment_method add column fingerprint text check (length(fingerprint) between 1 and 255);
