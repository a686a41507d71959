-- How people save cards, and what is known of a saved one (docs/decisions/0056-saved-cards.md).
alter table payment_method
  add column exp_month smallint check (exp_month between 1 and 12),
  add column exp_year smallint check (exp_year between 2000 and 9999),
  add column default_at timestamptz,
  add column look bigint not null default 0;
comment on column payment_method.exp_month is
  'The card can be charged until the end of this month; null for a card saved before it was recorded.';
comment on column payment_method.default_at is
  'When its person last chose it as their default: the latest choice counts, otherwise the oldest card.';
comment on column payment_method.look is
  'Counts the questions to the processor: only the answer to the last one is applied.';

create table card_setup (
  id                uuid primary key,
  user_id           uuid not null references app_user,
  key_id            uuid references api_key,
  session_id        uuid references session,
  request_id        text not null,
  processor         text not null check (processor in ('stripe', 'sandbox')),
  processor_id      text not null unique check (length(processor_id) between 1 and 255),
  status            text not null default 'open' check (status in ('open', 'succeeded', 'failed')),
  payment_method_id text references payment_method,
  failure_code      text check (length(failure_code) between 1 and 100),
  next_check_at     timestamptz default now() + interval '1 minute',
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now(),
  constraint card_setup_succeeded_has_card
    check ((status = 'succeeded') = (payment_method_id is not null)),
  constraint card_setup_failed_has_code check ((status = 'failed') = (failure_code is not null)),
  constraint card_setup_open_is_checked check ((status = 'open') = (next_check_at is not null))
);
comment on table card_setup is 'One attempt of a person to save a card.';
comment on column card_setup.processor_id is 'The card processor''s id of the attempt.';
comment on column card_setup.next_check_at is
  'When the processor is asked next; null when nothing is left to ask.';
create index card_setup_user on card_setup (user_id);
create index card_setup_key on card_setup (key_id);
create index card_setup_session on card_setup (session_id);
create index card_setup_card on card_setup (payment_method_id);
create index card_setup_due on card_setup (next_check_at) where status = 'open';
create trigger card_setup_keeps_its_request
  before update of id, user_id, key_id, session_id, request_id, processor, processor_id, created_at
  on card_setup for each row execute function keep_columns(
    'id', 'user_id', 'key_id', 'session_id', 'request_id', 'processor', 'processor_id',
    'created_at');
grant select, insert, update on card_setup to guildhall_app;

create table sandbox_setup (
  id    text primary key,
  token text not null check (length(token) between 1 and 255)
);
comment on table sandbox_setup is 'The memory of the sandbox card processor: the cards it was given.';
grant select, insert on sandbox_setup to guildhall_app;

alter table processor_event
  add column setup_id text,
  add column token text;
comment on column processor_event.setup_id is 'The attempt to save a card that the event is about.';
comment on column processor_event.token is 'The saved card that the event is about.';
