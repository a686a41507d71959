-- What is deployed of the branches that tasks are merged into (docs/decisions/0042-deploys.md).
create table deploy (
  id                 uuid primary key default uuid_v7(),
  project_id         uuid not null references project on delete cascade,
  repository_id      uuid not null references repository on delete cascade,
  merge_id           uuid unique references merge on delete set null,
  branch             text not null check (is_branch_name(branch)),
  stage              text not null check (stage in ('staging', 'production')),
  commit_sha         text not null check (commit_sha ~ '^[0-9a-f]{40}$'),
  height             integer check (height > 0),
  state              text not null default 'queued' check (
    state in ('queued', 'running', 'success', 'warning', 'failed', 'superseded')),
  reason             text check (length(reason) between 1 and 1000),
  url                text check (length(url) between 1 and 2000),
  host_deployment_id bigint,
  host_context       text check (length(host_context) between 1 and 300),
  held_by            uuid,
  held_until         timestamptz,
  attempts           integer not null default 0 check (attempts >= 0),
  created_at         timestamptz not null default now(),
  started_at         timestamptz,
  ended_at           timestamptz,
  -- Ours, a deployment of a code host, or a commit status of one.
  constraint deploy_origin check (num_nonnulls(height, host_deployment_id, host_context) = 1),
  constraint deploy_outcome check ((state in ('queued', 'running')) = (ended_at is null)),
  constraint deploy_holder check (
    (held_by is null) = (held_until is null)
    and (held_by is not null) = (state = 'running' and height is not null)),
  constraint deploy_of_host unique (repository_id, host_deployment_id),
  constraint deploy_of_status unique (repository_id, host_context, commit_sha)
);
comment on table deploy is
  'That a commit of a branch is deployed, and what came of it. A worker carries out those of local repositories.';
comment on column deploy.merge_id is
  'The merge that made the commit; null once its task is deleted.';
comment on column deploy.height is
  'Commits of the branch up to this one, along first parents: of two deploys, the newer one has more. Null for what a code host deploys.';
comment on column deploy.host_context is 'The name of the commit status that it was read from.';
comment on column deploy.attempts is 'How many workers have begun it.';
create index deploy_of_project on deploy (project_id, created_at, id);
create index deploy_of_branch on deploy (repository_id, branch, height);
create index deploy_due on deploy (created_at)
  where state in ('queued', 'running') and height is not null;
-- Of a branch of a local repository, one at a time.
create unique index deploy_at_work on deploy (repository_id, branch)
  where state = 'running' and height is not null;
grant select, insert, update on deploy to guildhall_app;

create table deploy_log (
  deploy_id  uuid primary key references deploy on delete cascade,
  content    text not null check (octet_length(content) <= 270000),
  updated_at timestamptz not null default now()
);
comment on table deploy_log is 'The last that the command of a deploy has printed.';
grant select, insert, update on deploy_log to guildhall_app;
