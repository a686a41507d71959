-- Routines: what begins tasks of a project without a person, by a schedule, a call or GitHub.

create table routine (
  id                   uuid primary key default gen_random_uuid(),
  project_id           uuid not null references project on delete cascade,
  name                 text not null check (length(name) between 1 and 100 and is_name(name)),
  message              text not null check (length(message) between 1 and 20000),
  title                text check (length(title) between 1 and 300 and is_name(title)),
  model                text check (length(model) between 1 and 100),
  spend_cap            bigint check (spend_cap > 0),
  on_behalf_of_user_id uuid not null references app_user,
  starts_by            text not null check (starts_by in ('schedule', 'call', 'label', 'mention')),
  schedule             text check (length(schedule) between 1 and 100),
  time_zone            text check (length(time_zone) between 1 and 50),
  next_at              timestamptz,
  token_hash           bytea unique check (octet_length(token_hash) = 32),
  label                text check (length(label) between 1 and 100),
  per_hour             integer not null default 10 check (per_hour between 1 and 60),
  at_once              integer not null default 1 check (at_once between 1 and 10),
  enabled              boolean not null default true,
  paused_reason        text check (paused_reason in ('failing', 'right_ended')),
  failures             integer not null default 0 check (failures >= 0),
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now(),
  constraint routine_schedule_is_whole
    check ((starts_by = 'schedule') = (schedule is not null)
           and (schedule is null) = (time_zone is null)),
  constraint routine_next_is_of_schedule check (next_at is null or starts_by = 'schedule'),
  constraint routine_is_called_with_token check ((starts_by = 'call') = (token_hash is not null)),
  constraint routine_label_is_of_label check ((starts_by = 'label') = (label is not null)),
  constraint routine_reason_of_pause check (not enabled or paused_reason is null)
);
comment on table routine is
  'A message that begins a task of a project again and again, on behalf of somebody who may begin one at that time.';
comment on column routine.message is 'With fields in double braces, which each run fills in.';
comment on column routine.schedule is 'Five fields of cron, in its time zone.';
comment on column routine.next_at is 'When it is due; null when it is not, or never again.';
comment on column routine.token_hash is 'The SHA-256 of the token that calls it.';
comment on column routine.label is 'The label of an issue on GitHub that starts it.';
comment on column routine.paused_reason is
  'Why the server paused it: three runs in a row have failed, or nobody may begin its tasks any more. Null when a person did.';
comment on column routine.failures is 'Failed runs since the last one that went well.';
create index routine_of_project on routine (project_id, created_at);
create index routine_on_behalf_of on routine (on_behalf_of_user_id);
create index routine_due on routine (next_at) where enabled and next_at is not null;
grant select, insert, update, delete on routine to guildhall_app;

alter table task add column routine_id uuid references routine on delete set null;
comment on column task.routine_id is 'The routine that began it.';
create index task_of_routine on task (routine_id);

create table routine_run (
  id            uuid primary key default uuid_v7(),
  routine_id    uuid not null references routine on delete cascade,
  key           text not null check (length(key) between 1 and 200),
  started_by    text not null check (started_by in ('schedule', 'call', 'label', 'mention', 'person')),
  fields        jsonb not null default '{}',
  scheduled_for timestamptz,
  state         text not null default 'waiting'
    check (state in ('waiting', 'begun', 'done', 'skipped', 'failed')),
  reason        text check (length(reason) between 1 and 100),
  task_id       uuid references task on delete set null,
  created_at    timestamptz not null default clock_timestamp(),
  begun_at      timestamptz,
  ended_at      timestamptz,
  constraint routine_run_once unique (routine_id, key),
  constraint routine_run_has_begun check (state <> 'begun' or begun_at is not null),
  constraint routine_run_has_ended
    check ((state in ('done', 'skipped', 'failed')) = (ended_at is not null))
);
comment on table routine_run is 'What a routine was asked to do, and what came of it.';
comment on column routine_run.key is 'What started it: the time, the call, the label or the comment. It counts once.';
comment on column routine_run.fields is 'What fills in the fields of the message, beside the time.';
comment on column routine_run.reason is 'Why nothing was begun, or what has failed.';
create index routine_run_waiting on routine_run (created_at) where state = 'waiting';
create index routine_run_begun on routine_run (task_id) where state = 'begun';
create index routine_run_newest on routine_run (routine_id, created_at desc, id desc);
create index routine_run_of_task on routine_run (task_id);
grant select, insert, update, delete on routine_run to guildhall_app;

create table routine_notice (
  id         uuid primary key default uuid_v7(),
  routine_id uuid not null references routine on delete cascade,
  user_id    uuid not null references app_user on delete cascade,
  created_at timestamptz not null default now()
);
comment on table routine_notice is
  'That a person is told by mail that a routine was paused; the mail in the outbox is about this row.';
create index routine_notice_of_routine on routine_notice (routine_id);
create index routine_notice_of_user on routine_notice (user_id);
grant select, insert, update, delete on routine_notice to guildhall_app;

-- Wider than before: servers of the previous release write nothing that it refuses.
alter table mail drop constraint mail_kind_check;
alter table mail add constraint mail_kind_check check (kind in (
  'workspace_invitation', 'project_invitation', 'sign_in_link', 'security_notice', 'spend_limit',
  'receipt', 'billing_notice', 'odoo_expiry', 'webhook_off', 'task_notification',
  'routine_paused'));
