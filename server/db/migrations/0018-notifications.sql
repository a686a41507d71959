-- Notifications: what a person is told of tasks, by mail and by the push service of a browser.

create table notification_setting (
  user_id     uuid primary key references app_user,
  mail        text not null default 'at_once' check (mail in ('at_once', 'daily', 'off')),
  push        boolean not null default true,
  events_off  text[] not null default '{}'
    check (cardinality(events_off) <= 50 and array_position(events_off, null) is null),
  quiet_from  time,
  quiet_until time,
  daily_at    time not null default '08:00',
  time_zone   text not null default 'UTC' check (length(time_zone) between 1 and 100),
  updated_at  timestamptz not null default now(),
  constraint notification_setting_quiet_hours
    check ((quiet_from is null) = (quiet_until is null) and quiet_from <> quiet_until)
);
comment on table notification_setting is
  'How a person wants to be told of tasks; without a row, by the defaults of its columns.';
comment on column notification_setting.events_off is 'Kinds of events that they are not told of.';
comment on column notification_setting.quiet_from is 'From then on, what happens waits until `quiet_until`.';
comment on column notification_setting.daily_at is 'When the mail of the day is sent, if `mail` is daily.';
comment on column notification_setting.time_zone is 'A name of the IANA database, which these times are in.';
grant select, insert, update, delete on notification_setting to guildhall_app;

create table task_subscription (
  user_id    uuid not null references app_user,
  task_id    uuid not null references task on delete cascade,
  state      text not null check (state in ('following', 'unfollowed', 'muted')),
  updated_at timestamptz not null default now(),
  primary key (user_id, task_id)
);
comment on table task_subscription is
  'Who follows a task. Without a row, whoever began it does.';
comment on column task_subscription.state is
  'unfollowed: told only where they are mentioned or nobody else may approve. muted: told of nothing.';
create index task_subscription_of_task on task_subscription (task_id) where state = 'following';
create index task_subscription_by_task on task_subscription (task_id);
grant select, insert, update, delete on task_subscription to guildhall_app;

create table project_mute (
  user_id    uuid not null references app_user,
  project_id uuid not null references project on delete cascade,
  muted_at   timestamptz not null default now(),
  primary key (user_id, project_id)
);
comment on table project_mute is 'Projects of whose tasks a person is told nothing.';
create index project_mute_of_project on project_mute (project_id);
grant select, insert, update, delete on project_mute to guildhall_app;

create table notification_event (
  id         uuid primary key default uuid_v7(),
  noted_at   timestamptz not null,
  type       text not null check (length(type) between 1 and 50),
  project_id uuid not null,
  task_id    uuid not null,
  data       jsonb not null
);
comment on table notification_event is
  'The outbox of notifications: what has happened to a task. A server makes a notification of it for each person and deletes it.';
create index notification_event_in_order on notification_event (noted_at, id);
grant select, insert, update, delete on notification_event to guildhall_app;

create table notification_thread (
  id        uuid primary key default gen_random_uuid(),
  user_id   uuid not null references app_user,
  task_id   uuid references task on delete cascade,
  due_at    timestamptz,
  mailed_at timestamptz,
  constraint notification_thread_once unique nulls not distinct (user_id, task_id)
);
comment on table notification_thread is
  'When a person gets the next mail about a task; without a task, the mail of the day about all of them.';
comment on column notification_thread.mailed_at is
  'When the last one was made: the next one follows five minutes later at the earliest.';
create index notification_thread_due on notification_thread (due_at) where due_at is not null;
create index notification_thread_of_task on notification_thread (task_id);
create index notification_thread_old on notification_thread (mailed_at) where due_at is null;
grant select, insert, update, delete on notification_thread to guildhall_app;

create table notification_mail (
  id         uuid primary key default uuid_v7(),
  user_id    uuid not null references app_user,
  created_at timestamptz not null default now()
);
comment on table notification_mail is
  'One mail about what its notifications tell: the subject of the mail in the outbox.';
create index notification_mail_old on notification_mail (created_at);
create index notification_mail_of_user on notification_mail (user_id);
grant select, insert, update, delete on notification_mail to guildhall_app;

create table notification (
  id         uuid primary key default uuid_v7(),
  user_id    uuid not null references app_user,
  task_id    uuid not null references task on delete cascade,
  type       text not null check (length(type) between 1 and 50),
  data       jsonb not null,
  created_at timestamptz not null default now(),
  thread_id  uuid references notification_thread on delete set null,
  mail_id    uuid references notification_mail on delete cascade
);
comment on table notification is 'What one person is told: something that has happened to a task.';
comment on column notification.thread_id is 'With which others it is mailed; null if it is not.';
comment on column notification.mail_id is 'The mail that tells it; null before it is made.';
create index notification_of_user on notification (user_id);
create index notification_of_task on notification (task_id);
create index notification_of_thread on notification (thread_id) where mail_id is null;
create index notification_by_thread on notification (thread_id);
create index notification_of_mail on notification (mail_id);
create index notification_old on notification (created_at);
grant select, insert, update, delete on notification to guildhall_app;

create table push_key (
  id            uuid primary key default gen_random_uuid(),
  one           boolean not null default true unique check (one),
  public_key    bytea not null check (octet_length(public_key) = 65),
  sealed        bytea not null check (octet_length(sealed) between 32 and 1024),
  sealed_key_id text not null check (length(sealed_key_id) = 16),
  created_at    timestamptz not null default now()
);
comment on table push_key is
  'The key by which push services know these servers (VAPID, RFC 8292), made at the first start.';
comment on column push_key.one is 'There is one.';
comment on column push_key.public_key is 'A point of P-256, uncompressed; browsers subscribe with it.';
comment on column push_key.sealed is 'AES-256-GCM: the private key, bound to the row.';
comment on column push_key.sealed_key_id is 'Which key of the servers opens it.';
grant select, insert, update, delete on push_key to guildhall_app;

create table push_subscription (
  id            uuid primary key default gen_random_uuid(),
  user_id       uuid not null references app_user,
  session_id    uuid not null unique references session on delete cascade,
  endpoint_hash bytea not null unique check (octet_length(endpoint_hash) = 32),
  sealed        bytea not null check (octet_length(sealed) between 32 and 4096),
  sealed_key_id text not null check (length(sealed_key_id) = 16),
  created_at    timestamptz not null default now()
);
comment on table push_subscription is
  'A browser that wants to be told: where its push service takes messages, while its session lasts.';
comment on column push_subscription.endpoint_hash is 'SHA-256 of the address: one browser has one.';
comment on column push_subscription.sealed is
  'AES-256-GCM: the address, which lets whoever has it send, and the keys; bound to the row.';
comment on column push_subscription.sealed_key_id is 'Which key of the servers opens it.';
create index push_subscription_of_user on push_subscription (user_id);
grant select, insert, update, delete on push_subscription to guildhall_app;

create table push_message (
  subscription_id uuid not null references push_subscription on delete cascade,
  task_id         uuid not null references task on delete cascade,
  notification_id uuid not null references notification on delete cascade,
  due_at          timestamptz,
  generation      integer not null default 1 check (generation > 0),
  attempts        integer not null default 0 check (attempts >= 0),
  sent_at         timestamptz,
  primary key (subscription_id, task_id)
);
comment on table push_message is
  'The newest that a browser is told of a task: what is newer takes its place while it waits.';
comment on column push_message.due_at is
  'When it is sent, or sent again if whoever claimed it has died; null once it has an outcome.';
comment on column push_message.generation is 'Grows with each newer notification.';
create index push_message_due on push_message (due_at) where due_at is not null;
create index push_message_of_task on push_message (task_id);
create index push_message_of_notification on push_message (notification_id);
grant select, insert, update, delete on push_message to guildhall_app;

-- Wider than before: servers of the previous release write nothing that it refuses.
alter table mail drop constraint mail_kind_check;
alter table mail add constraint mail_kind_check check (kind in (
  'workspace_invitation', 'project_invitation', 'sign_in_link', 'security_notice', 'spend_limit',
  'receipt', 'billing_notice', 'odoo_expiry', 'webhook_off', 'task_notification'));
