-- A person may write a version of a plan, a policy may approve one, and both are discussed.
alter table plan_revision
  add column author_user_id uuid,
  add constraint plan_revision_author foreign key (author_user_id) references app_user not valid;
comment on column plan_revision.author_user_id is 'The person who wrote it; null is the agent.';

alter table plan_approval
  add column approval_source text not null default 'person',
  add constraint plan_approval_source_check
    check (approval_source in ('person', 'policy')) not valid;
comment on column plan_approval.approval_source is
  'policy: the project approves plans automatically. approved_by_user_id is then the creator of the task, who did not look at it.';

alter table plan
  add column policy_version integer,
  add constraint plan_policy_version_is_approved check (
    policy_version is null or (approved_version is not null and policy_version <= approved_version)
  ) not valid;
comment on column plan.policy_version is
  'The newest version that a policy approved: if it is approved_version, no person approved that.';

create table plan_comment (
  id                  uuid primary key default uuid_v7(),
  task_id             uuid not null,
  version             integer not null,
  start_line          integer not null,
  end_line            integer not null,
  current_start_line  integer,
  text                text not null check (length(text) between 1 and 10000),
  author_user_id      uuid not null references app_user,
  resolved_at         timestamptz,
  resolved_by_user_id uuid references app_user,
  created_at          timestamptz not null default now(),
  updated_at          timestamptz not null default now(),
  constraint plan_comment_of_revision foreign key (task_id, version)
    references plan_revision on delete cascade,
  constraint plan_comment_lines_in_order check (1 <= start_line and start_line <= end_line),
  constraint plan_comment_current_start_line_check check (current_start_line > 0),
  constraint plan_comment_resolution_is_complete check (
    (resolved_at is null) = (resolved_by_user_id is null))
);
create index plan_comment_of_task on plan_comment (task_id, id);
create index plan_comment_author on plan_comment (author_user_id);
create index plan_comment_resolved_by on plan_comment (resolved_by_user_id);
comment on table plan_comment is 'What people say about lines of a version of a plan.';
comment on column plan_comment.version is 'The version whose lines it is about.';
comment on column plan_comment.current_start_line is
  'Where the same lines begin in the current version; null if that has changed them.';
grant select, insert, update, delete on plan_comment to guildhall_app;
