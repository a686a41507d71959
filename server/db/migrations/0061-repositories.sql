-- The repositories of projects, the branches that tasks may be merged into, pull requests and
-- merges (docs/decisions/0041-code-hosts.md).
-- The rules of `git check-ref-format`, within 200 bytes, and never like an option of a command.
create function is_branch_name(name text) returns boolean
  language sql immutable strict parallel safe
  return octet_length(name) between 1 and 200
     and name !~ '[\x01-\x20\x7f~^:?*\[\\]|\.\.|//|@\{|(^|/)\.|\.lock(/|$)|[./]$|^[-/]|^@$';

comment on function is_branch_name(text) is
  'Whether a text can name a branch: the rules of git check-ref-format, within 200 bytes, and no leading hyphen.';

create table repository (
  id                 uuid primary key default uuid_v7(),
  project_id         uuid not null references project on delete cascade,
  host               text not null check (host in ('local', 'github')),
  full_name          text not null check (length(full_name) between 1 and 200),
  default_branch     text not null default 'main',
  host_repository_id bigint,
  installation_id    bigint,
  created_at         timestamptz not null default now(),
  -- The name of a local one is a folder and a part of its address.
  constraint repository_name_of_host check (case host
    when 'local'  then full_name ~ '^[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9_-])?$'
                       and full_name !~ '\.\.' and full_name !~ '\.(git|lock)$'
    when 'github' then full_name ~ '^[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}$' end),
  constraint repository_id_of_host check (
    (host = 'github') = (host_repository_id is not null and installation_id is not null)),
  constraint repository_default_branch check (is_branch_name(default_branch))
);
create unique index repository_name on repository (project_id, host, lower(full_name));
create unique index repository_of_host on repository (project_id, host_repository_id);
comment on table repository is
  'A repository that a project uses. Tasks work in the first one. Detaching a local one removes the row; its code stays until the project is deleted.';

create table merge_target (
  project_id uuid not null references project on delete cascade,
  branch     text not null check (is_branch_name(branch)),
  stage      text not null check (stage in ('staging', 'production')),
  primary key (project_id, branch)
);
comment on table merge_target is
  'A branch that tasks of the project may be merged into, and whose right that takes.';

create table pull_request (
  task_id           uuid primary key references task on delete cascade,
  repository_id     uuid not null references repository on delete cascade,
  number            integer not null check (number > 0),
  base              text not null check (is_branch_name(base)),
  title             text not null check (length(title) between 1 and 300),
  body              text not null check (length(body) <= 65536),
  state             text not null default 'open' check (state in ('open', 'merged', 'closed')),
  opened_by_user_id uuid not null references app_user,
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now(),
  unique (repository_id, number)
);
comment on table pull_request is 'That the branch of a task is offered for merging. A task has one.';
create index pull_request_opened_by on pull_request (opened_by_user_id);
comment on column pull_request.base is 'The branch that it is to be merged into.';

create table merge (
  id                   uuid primary key default uuid_v7(),
  task_id              uuid not null references pull_request on delete cascade,
  branch               text not null check (is_branch_name(branch)),
  stage                text not null check (stage in ('staging', 'production')),
  method               text not null check (method in ('merge', 'squash')),
  expected_head_sha    text not null check (expected_head_sha ~ '^[0-9a-f]{40}$'),
  forced               boolean not null default false,
  state                text not null default 'queued' check (state in ('queued', 'merged', 'failed')),
  not_before           timestamptz not null default now(),
  attempts             integer not null default 0 check (attempts >= 0),
  failure_code         text check (length(failure_code) between 1 and 100),
  failure_message      text check (length(failure_message) between 1 and 1000),
  merge_commit_sha     text check (merge_commit_sha ~ '^[0-9a-f]{40}$'),
  requested_by_user_id uuid not null references app_user,
  created_at           timestamptz not null default now(),
  ended_at             timestamptz,
  constraint merge_outcome check (
    (state = 'queued') = (ended_at is null)
    and (state = 'merged') = (merge_commit_sha is not null)
    and (state = 'failed') = (failure_code is not null and failure_message is not null))
);
comment on table merge is 'A request to merge a task, and what came of it. A worker carries it out.';
-- A task is merged once; one that failed may be tried again.
create unique index merge_of_task on merge (task_id) where state <> 'failed';
create index merge_history on merge (task_id, created_at);
create index merge_due on merge (not_before) where state = 'queued';
create index merge_requested_by on merge (requested_by_user_id);
comment on column merge.not_before is
  'When a worker may carry it out: a while later once one has begun, in case it dies.';

-- As in api/db/views/begin_repository.sql.
create function begin_repository() returns trigger language plpgsql as $$
begin
  insert into repository (project_id, host, full_name) values (new.id, 'local', 'main');
  insert into merge_target (project_id, branch, stage) values (new.id, 'main', 'production');
  return null;
end $$;
-- A new project has a repository of this server, and its main branch is production.
create trigger project_gets_repository after insert on project
  for each row execute function begin_repository();
insert into repository (project_id, host, full_name) select id, 'local', 'main' from project;
insert into merge_target (project_id, branch, stage) select id, 'main', 'production' from project;

grant select, insert, update, delete on repository, merge_target, pull_request, merge to guildhall_app;
