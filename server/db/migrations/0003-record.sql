-- What happened, what must still happen, and which answers were given.

-- Who did what to what, before and after. No foreign keys: a row outlives what it speaks of.
create table audit_event (
  id              uuid primary key default gen_random_uuid(),
  occurred_at     timestamptz not null default clock_timestamp(),
  actor_user_id   uuid,
  key_id          uuid,
  action          text not null,
  outcome         text not null check (outcome in ('done', 'refused')),
  code            text,
  target_id       text not null,
  organization_id uuid,
  before          jsonb,
  after           jsonb,
  request_id      text not null,
  check ((outcome = 'refused') = (code is not null))
);
create index audit_event_target on audit_event (target_id, occurred_at);
create index audit_event_organization on audit_event (organization_id, occurred_at);
create trigger audit_event_insert_only before update or delete on audit_event
  for each row execute function refuse_change();
create trigger audit_event_no_truncate before truncate on audit_event
  for each statement execute function refuse_change();

-- What must happen after a commit, written in the same transaction. The key makes it happen once.
create table outbox (
  id          uuid primary key default gen_random_uuid(),
  topic       text not null check (length(topic) between 1 and 100),
  key         text not null check (length(key) between 1 and 200),
  payload     jsonb not null,
  created_at  timestamptz not null default now(),
  done_at     timestamptz,
  unique (topic, key)
);
create index outbox_open on outbox (created_at) where done_at is null;

-- First answers to requests that carried an Idempotency-Key (ruling 1.11). `answer` is null while the first runs.
create table idempotency_key (
  user_id      uuid not null references app_user,
  key          text not null check (length(key) between 1 and 255),
  request_hash bytea not null check (octet_length(request_hash) = 32),
  claim        uuid not null,
  claimed_at   timestamptz not null default now(),
  status       integer check (status between 200 and 499),
  headers      jsonb,
  body         text,
  primary key (user_id, key),
  check (num_nulls(status, headers, body) in (0, 3))
);
create index idempotency_key_age on idempotency_key (claimed_at);
