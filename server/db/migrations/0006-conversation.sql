-- What people say reaches the agent: what it was told of comments, instructions, comments on code.

alter table plan_comment
  add column told_in_turn  integer check (told_in_turn > 0),
  add column told_revision timestamptz,
  add column told_resolved boolean,
  add constraint plan_comment_told_is_complete check (
    num_nulls(told_in_turn, told_revision, told_resolved) in (0, 3));
comment on column plan_comment.told_in_turn is
  'The number of the turn whose agent was last told something new of it; null before.';
comment on column plan_comment.told_revision is 'What updated_at was of what the agent was told.';
comment on column plan_comment.told_resolved is 'Whether the agent was told that it is resolved.';

alter table pod add column told_session text check (length(told_session) between 1 and 300);
comment on column pod.told_session is
  'The agent_session that has answered a prompt, and so knows what came before it.';

alter table organization add column instructions text
  check (length(instructions) between 1 and 20000);
comment on column organization.instructions is
  'What its admins tell every agent that works in it, at the beginning of each session.';

alter table project add column instructions text check (length(instructions) between 1 and 20000);
comment on column project.instructions is
  'What its admins tell every agent that works on it, at the beginning of each session.';

create table diff_comment (
  id                  uuid primary key default uuid_v7(),
  task_id             uuid not null references task on delete cascade,
  commit_sha          text not null check (commit_sha ~ '^[0-9a-f]{40,64}$'),
  path                text not null check (length(path) between 1 and 2000),
  side                text not null check (side in ('old', 'new')),
  line                integer not null check (line > 0),
  line_text           text not null check (length(line_text) <= 2000),
  text                text not null check (length(text) between 1 and 10000),
  author_user_id      uuid not null references app_user,
  resolved_at         timestamptz,
  resolved_by_user_id uuid references app_user,
  message_number      integer check (message_number > 0),
  created_at          timestamptz not null default now(),
  updated_at          timestamptz not null default now(),
  constraint diff_comment_resolution_is_complete check (
    (resolved_at is null) = (resolved_by_user_id is null)),
  constraint diff_comment_of_message
    foreign key (task_id, message_number)
    references task_message on delete set null (message_number)
);
comment on table diff_comment is 'What people say about lines of the code that a task changed.';
comment on column diff_comment.commit_sha is
  'The commit on whose files it was written: of the old side, the one that the task began with.';
comment on column diff_comment.line_text is
  'The line as its author saw it: finds it again in later commits.';
comment on column diff_comment.message_number is
  'The message of the task that told it to the agent; null until it is sent.';
create index diff_comment_of_task on diff_comment (task_id, id);
create index diff_comment_message on diff_comment (task_id, message_number);
create index diff_comment_author on diff_comment (author_user_id);
create index diff_comment_resolved_by on diff_comment (resolved_by_user_id);
grant select, insert, update, delete on diff_comment to guildhall_app;
