-- Webhooks: what happens in a workspace or a project is sent to addresses that its admins chose.

create table webhook_endpoint (
  id              uuid primary key default gen_random_uuid(),
  organization_id uuid references organization on delete cascade,
  project_id      uuid references project on delete cascade,
  name            text not null check (length(name) between 1 and 100 and is_name(name)),
  kind            text not null check (kind in ('standard', 'slack', 'discord', 'audit')),
  url             text not null check (length(url) between 1 and 2000),
  event_types     text[] not null
    check (cardinality(event_types) between 1 and 50 and array_position(event_types, null) is null),
  sealed          bytea not null check (octet_length(sealed) between 32 and 16384),
  sealed_key_id   text not null check (length(sealed_key_id) = 16),
  overlap_until   timestamptz,
  enabled         boolean not null default true,
  disabled_reason text check (disabled_reason in ('failing', 'gone')),
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  constraint webhook_endpoint_is_of_one_thing check (num_nonnulls(organization_id, project_id) = 1),
  constraint webhook_endpoint_kind_has_types
    check ((kind = 'audit') = (event_types = array['audit.recorded'])
           and (kind = 'audit' or 'audit.recorded' <> all (event_types))),
  constraint webhook_endpoint_reason_of_disabled check (not enabled or disabled_reason is null)
);
comment on table webhook_endpoint is
  'An address that events of a workspace, with those of its projects, or of one project are sent to.';
comment on column webhook_endpoint.url is
  'What is shown of the address: without its query, and for Slack and Discord without its path.';
comment on column webhook_endpoint.sealed is
  'AES-256-GCM: the whole address, the secret that signs, and the one before; bound to the row.';
comment on column webhook_endpoint.sealed_key_id is 'Which key of the servers opens it.';
comment on column webhook_endpoint.overlap_until is
  'Until then the secret before signs, too, because the secret was replaced.';
comment on column webhook_endpoint.disabled_reason is
  'Why the server switched it off: it failed for three days, or answered 410. Null when a person did.';
create index webhook_endpoint_of_workspace on webhook_endpoint (organization_id);
create index webhook_endpoint_of_project on webhook_endpoint (project_id);
grant select, insert, update, delete on webhook_endpoint to guildhall_app;

create table webhook_queue (
  endpoint_id   uuid primary key references webhook_endpoint on delete cascade,
  next_at       timestamptz,
  held_by       uuid,
  held_until    timestamptz,
  slow          boolean not null default false,
  failures      integer not null default 0 check (failures >= 0),
  failing_since timestamptz,
  constraint webhook_queue_held check ((held_by is null) = (held_until is null)),
  constraint webhook_queue_failing check ((failures = 0) = (failing_since is null))
);
comment on table webhook_queue is
  'When an endpoint gets its next delivery, and which process sends it: one at a time. Whoever adds or ends deliveries locks its row first.';
comment on column webhook_queue.next_at is 'Null while nothing waits for it.';
comment on column webhook_queue.held_by is
  'The attempt that alone may write what comes of it, until another one takes over.';
comment on column webhook_queue.slow is
  'It was slow to answer the last time: it then waits among others of its kind.';
comment on column webhook_queue.failures is 'Failed attempts since the last one that succeeded.';
create index webhook_queue_due on webhook_queue (slow, next_at) where next_at is not null;
grant select, insert, update, delete on webhook_queue to guildhall_app;

create table webhook_event (
  id              uuid primary key default uuid_v7(),
  noted_at        timestamptz not null,
  type            text not null check (length(type) between 1 and 50),
  organization_id uuid,
  project_id      uuid,
  task_id         uuid,
  body            text not null check (length(body) between 1 and 262144)
);
comment on table webhook_event is
  'The outbox of webhooks: what has happened where an endpoint wants to hear of it. A server makes deliveries of each and deletes it.';
comment on column webhook_event.task_id is 'Deliveries about one task are sent in order.';
comment on column webhook_event.body is 'What is sent, byte for byte.';
create index webhook_event_in_order on webhook_event (noted_at, id);
create index webhook_event_of_task on webhook_event (task_id, noted_at);
grant select, insert, update, delete on webhook_event to guildhall_app;

create table webhook_delivery (
  id              uuid primary key default uuid_v7(),
  endpoint_id     uuid not null references webhook_endpoint on delete cascade,
  type            text not null check (length(type) between 1 and 50),
  project_id      uuid,
  task_id         uuid,
  body            text not null check (length(body) between 1 and 262144),
  noted_at        timestamptz not null,
  state           text not null check (state in ('blocked', 'waiting', 'delivered', 'failed')),
  attempts        integer not null default 0 check (attempts >= 0),
  next_attempt_at timestamptz,
  status          integer check (status between 100 and 999),
  answer          text check (length(answer) <= 1000),
  error           text check (length(error) between 1 and 500),
  duration_ms     integer check (duration_ms >= 0),
  created_at      timestamptz not null default clock_timestamp(),
  ended_at        timestamptz,
  constraint webhook_delivery_due check ((state = 'waiting') = (next_attempt_at is not null)),
  constraint webhook_delivery_ended check ((state in ('delivered', 'failed')) = (ended_at is not null))
);
comment on table webhook_delivery is
  'One event for one endpoint. Its id is the webhook-id of every attempt.';
comment on column webhook_delivery.project_id is 'Where the event happened; null outside of projects.';
comment on column webhook_delivery.state is
  'blocked: an earlier one about the same task has not ended.';
comment on column webhook_delivery.answer is 'The first characters of the last answer.';
comment on column webhook_delivery.error is 'Why the last attempt had no answer.';
create index webhook_delivery_of_endpoint on webhook_delivery (endpoint_id, created_at, id);
create index webhook_delivery_due on webhook_delivery (endpoint_id, next_attempt_at)
  where state = 'waiting';
create index webhook_delivery_in_order on webhook_delivery (endpoint_id, task_id, noted_at)
  where state in ('blocked', 'waiting');
create index webhook_delivery_old on webhook_delivery (created_at);
grant select, insert, update, delete on webhook_delivery to guildhall_app;

create table webhook_notice (
  id          uuid primary key default uuid_v7(),
  endpoint_id uuid not null references webhook_endpoint on delete cascade,
  user_id     uuid not null references app_user on delete cascade,
  created_at  timestamptz not null default now()
);
comment on table webhook_notice is
  'That a person is told by mail that an endpoint was switched off; the mail in the outbox is about this row.';
create index webhook_notice_of_endpoint on webhook_notice (endpoint_id);
create index webhook_notice_of_user on webhook_notice (user_id);
grant select, insert, update, delete on webhook_notice to guildhall_app;

-- Wider than before: servers of the previous release write nothing that it refuses.
alter table mail drop constraint mail_kind_check;
alter table mail add constraint mail_kind_check check (kind in (
  'workspace_invitation', 'project_invitation', 'sign_in_link', 'security_notice', 'spend_limit',
  'receipt', 'billing_notice', 'odoo_expiry', 'webhook_off'));
