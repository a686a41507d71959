-- Checks of pull requests (docs/decisions/0043-checks.md).
alter table pull_request
  add column head_sha  text check (head_sha ~ '^[0-9a-f]{40}$'),
  add column looked_at timestamptz;
comment on column pull_request.head_sha is
  'The last commit of its branch when that was last looked at: its checks are those of that commit.';
comment on column pull_request.looked_at is
  'When a worker last looked whether its branch has moved, beside what it was told.';
create index pull_request_looked_at on pull_request (looked_at nulls first) where state = 'open';

create table check_suite (
  id         uuid primary key default uuid_v7(),
  task_id    uuid not null references pull_request on delete cascade,
  head_sha   text not null check (head_sha ~ '^[0-9a-f]{40}$'),
  state      text not null default 'queued' check (state in ('queued', 'running', 'completed')),
  conclusion text check (conclusion in ('none', 'passed', 'failed', 'cancelled')),
  attempts   integer not null default 0 check (attempts >= 0),
  held_by    uuid,
  held_until timestamptz,
  pod_id     uuid,
  created_at timestamptz not null default now(),
  ended_at   timestamptz,
  unique (task_id, head_sha),
  constraint check_suite_outcome check (
    (state = 'completed') = (conclusion is not null)
    and (state = 'completed') = (ended_at is not null)),
  constraint check_suite_held check (
    state = 'running' or (held_by is null and held_until is null and pod_id is null))
);
create index check_suite_due on check_suite (created_at) where state <> 'completed';
create index check_suite_pod on check_suite (pod_id) where pod_id is not null;
comment on table check_suite is
  'The checks of one commit of a pull request. Of the local host, a worker runs them one by one.';
comment on column check_suite.conclusion is
  'none: the commit has no checks. cancelled: the branch has moved since.';
comment on column check_suite.attempts is
  'How often a worker has begun with it, apart from those that have given it back.';
comment on column check_suite.held_by is
  'The attempt of a worker that alone may write what comes of it, until another one takes it over.';
comment on column check_suite.held_until is 'When another worker may take it over.';
comment on column check_suite.pod_id is 'The pod in which a check of it runs now.';

create table check_run (
  id              uuid primary key default uuid_v7(),
  suite_id        uuid not null references check_suite on delete cascade,
  position        integer not null check (position > 0),
  name            text not null check (length(name) between 1 and 300),
  command         text check (length(command) between 1 and 4000),
  timeout_minutes integer check (timeout_minutes between 1 and 60),
  host_check_id   bigint,
  details_url     text check (length(details_url) between 1 and 2000),
  state           text not null default 'queued'
                  check (state in ('queued', 'in_progress', 'completed')),
  conclusion      text check (conclusion in (
                    'success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out',
                    'action_required', 'stale', 'startup_failure')),
  started_at      timestamptz,
  completed_at    timestamptz,
  unique (suite_id, position),
  constraint check_run_outcome check (
    (state = 'completed') = (conclusion is not null)
    and (state = 'completed') = (completed_at is not null)),
  constraint check_run_command check ((command is null) = (timeout_minutes is null))
);
create unique index check_run_of_host on check_run (suite_id, host_check_id);
comment on table check_run is 'A check of a commit, and what came of it.';
comment on column check_run.command is
  'For the shell. Null for a check of another host, and for a build file that cannot be read.';
comment on column check_run.host_check_id is 'What the code host calls it; null for the local host.';

create table check_log (
  check_id   uuid primary key references check_run on delete cascade,
  content    text not null check (octet_length(content) <= 300000),
  updated_at timestamptz not null default now()
);
comment on table check_log is 'The end of what a check has written.';

grant select, insert, update, delete on check_suite, check_run, check_log to guildhall_app;
