-- What is removed after a while, and people who delete their account.

create table retention_work (
  only_one boolean primary key default true check (only_one),
  held_by uuid,
  held_until timestamptz,
  next_at timestamptz not null default now(),
  constraint retention_work_held check ((held_by is null) = (held_until is null))
);
comment on table retention_work is
  'When old rows are removed next, and which process does so: one row.';
comment on column retention_work.held_until is
  'Until when the process has it, which renews that; afterwards it has died, and another goes on.';
grant select, update on retention_work to guildhall_app;
insert into retention_work default values;

alter table task
  add column conversation_removed_at timestamptz,
  add column files_removed_at timestamptz,
  add column files_removed integer not null default 0 check (files_removed >= 0);
comment on column task.conversation_removed_at is
  'When messages, texts of plans, comments and questions were removed because the task had been archived for long.';
comment on column task.files_removed_at is
  'When attachments and artifacts were removed for that reason, if there were any.';
comment on column task.files_removed is 'How many files that were, in all.';

alter table check_log add column removed_at timestamptz;
alter table deploy_log add column removed_at timestamptz;
alter table pod_log add column removed_at timestamptz;
comment on column check_log.removed_at is 'When a sentence replaced the log because of its age.';
comment on column deploy_log.removed_at is 'When a sentence replaced the log because of its age.';
comment on column pod_log.removed_at is 'When a sentence replaced the log because of its age.';

-- What may be removed now.
grant delete on session, sign_in_link to guildhall_app;
grant delete on billing_notice, auto_reload_set_by to guildhall_app;

-- A person who has deleted their account keeps the id, and nothing that says who it was.
alter table app_user
  add column deleted_at timestamptz,
  add constraint app_user_deleted_is_nobody
    check (deleted_at is null
           or not is_active and not two_factor and name = 'Former member'
              and email = id::text || '@former.invalid');
comment on table app_user is
  'A person with an email address, or a service account. Deactivated, or deleted but for the id.';
comment on column app_user.deleted_at is
  'When the person deleted their account; name and address are a pseudonym since.';
create trigger app_user_stays_deleted before update of deleted_at on app_user
  for each row when (old.deleted_at is not null) execute function keep_columns('deleted_at');

-- What a session keeps of its request may be forgotten, and never changed.
drop trigger session_stays on session;
create trigger session_stays before update of id, user_id, created_at on session
  for each row execute function keep_columns('id', 'user_id', 'created_at');
create trigger session_request_stays before update of user_agent, network on session
  for each row when (new.user_agent is not null or new.network is not null)
  execute function keep_columns('user_agent', 'network');
