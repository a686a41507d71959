-- The repository of tasks has the default branch of what was imported into it.
alter table repository drop constraint repository_of_tasks;

alter table project add column direct_push text not null default 'nobody'
  constraint project_direct_push check (direct_push in ('nobody', 'admins'));
comment on column project.direct_push is
  'Who may push to branches that are not of tasks, and not of production unless they may merge there.';

create table repository_import (
  id                   uuid primary key default uuid_v7(),
  project_id           uuid not null references project on delete cascade,
  repository_id        uuid not null references repository on delete cascade,
  requested_by_user_id uuid not null references app_user,
  url                  text not null check (length(url) between 1 and 2000),
  credential           bytea,
  credential_key_id    text check (length(credential_key_id) = 16),
  state                text not null default 'queued'
    check (state in ('queued', 'running', 'done', 'failed')),
  phase                text check (phase in ('connecting', 'receiving', 'checking', 'placing')),
  received_bytes       bigint not null default 0 check (received_bytes >= 0),
  attempts             integer not null default 0 check (attempts >= 0),
  held_by              uuid,
  held_until           timestamptz,
  copy_id              uuid,
  default_branch       text check (is_branch_name(default_branch)),
  branches             integer check (branches > 0),
  tags                 integer check (tags >= 0),
  left_out             integer check (left_out >= 0),
  lfs                  boolean,
  failure_code         text check (length(failure_code) between 1 and 100),
  failure_message      text check (length(failure_message) between 1 and 1000),
  created_at           timestamptz not null default now(),
  ended_at             timestamptz,
  -- An address and nothing else: no credential, query or fragment.
  constraint repository_import_url_is_address
    check (url ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*)?$'),
  constraint repository_import_credential check (
    (credential is null) = (credential_key_id is null)
    and (credential is null or state in ('queued', 'running'))),
  constraint repository_import_held check (
    (state = 'running') = (held_until is not null)
    and (state = 'running') = (held_by is not null)
    and (state = 'running') = (phase is not null)),
  constraint repository_import_outcome check (
    (state in ('done', 'failed')) = (ended_at is not null)
    and (state = 'failed') = (failure_code is not null)
    and (state = 'failed') = (failure_message is not null)),
  constraint repository_import_copied check (
    (phase is not distinct from 'placing' or state in ('done', 'failed') or copy_id is null)
    and (phase is distinct from 'placing' or copy_id is not null)
    and (state <> 'done' or copy_id is not null)
    and (copy_id is null)
        = (num_nulls(default_branch, branches, tags, left_out, lfs) = 5)
    and num_nulls(default_branch, branches, tags, left_out, lfs) in (0, 5))
);
comment on table repository_import is
  'That what is in a repository elsewhere is copied into one of this server, once. A worker carries it out.';
comment on column repository_import.credential is
  'Of the repository elsewhere, sealed; removed as soon as the import has ended.';
comment on column repository_import.credential_key_id is
  'Which key of the servers opens the credential.';
comment on column repository_import.attempts is
  'How often a worker has begun with it, apart from those that have given it back.';
comment on column repository_import.held_by is
  'The attempt of a worker that alone may write what comes of it, until another one takes it over.';
comment on column repository_import.held_until is 'When another worker may take it over.';
comment on column repository_import.copy_id is
  'The attempt whose copy was received and checked: from then on it is put in place, and nothing else.';
comment on column repository_import.left_out is
  'How many branches were not imported, because their names are those of branches of tasks.';
comment on column repository_import.lfs is
  'Whether the default branch has files in Git LFS, which are not imported.';
create unique index repository_import_under_way on repository_import (repository_id)
  where state in ('queued', 'running');
create index repository_import_of_repository on repository_import (repository_id, created_at);
create index repository_import_of_project on repository_import (project_id);
create index repository_import_requested_by on repository_import (requested_by_user_id);
create index repository_import_due on repository_import (created_at)
  where state in ('queued', 'running');
grant select, insert, update, delete on repository_import to guildhall_app;
