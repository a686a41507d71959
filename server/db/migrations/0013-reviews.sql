-- The branch that a task begins with, if it is not the default one.

alter table task add column base text
  constraint task_base_is_branch check (is_chosen_branch(base) and base not like 'task/%');
comment on column task.base is
  'The branch that its own begins with and is to be merged into; null for the default one.';

-- What people write on GitHub about a pull request reaches the agent of its task.

alter table task_message
  add column github_login text check (length(github_login) between 1 and 100);
comment on column task_message.github_login is
  'Who wrote it on GitHub; without an author, someone whose account there is linked to none here.';
-- Wider than before: servers of the previous release write nothing that it refuses.
alter table task_message drop constraint task_message_has_author;
alter table task_message add constraint task_message_has_author check (
  (role = 'user') = (author_user_id is not null or github_login is not null)) not valid;

create table github_review (
  id             uuid primary key default uuid_v7(),
  task_id        uuid not null references task on delete cascade,
  kind           text not null check (kind in ('review', 'comment')),
  host_id        bigint not null check (host_id > 0),
  author_login   text not null check (length(author_login) between 1 and 100),
  author_host_id bigint not null check (author_host_id > 0),
  verdict        text check (verdict in ('approved', 'changes_requested')),
  text           text not null check (length(text) <= 20000),
  comments       jsonb not null default '[]' check (jsonb_typeof(comments) = 'array'),
  state          text not null default 'found'
                 check (state in ('found', 'sent', 'answered', 'ignored')),
  message_number integer check (message_number > 0),
  attempts       integer not null default 0 check (attempts >= 0),
  not_before     timestamptz not null default now(),
  created_at     timestamptz not null default now(),
  constraint github_review_once unique (kind, host_id),
  constraint github_review_of_message
    foreign key (task_id, message_number)
    references task_message on delete set null (message_number)
);
comment on table github_review is
  'A review or a comment on GitHub that mentions the App: it becomes a message of its task once, and is answered there once.';
comment on column github_review.host_id is 'The id that GitHub gave it.';
comment on column github_review.comments is
  'Comments on lines: path, line, the lines that GitHub shows with it, and text.';
comment on column github_review.state is
  'found: not sent to the agent yet. sent: to be answered when its turn has ended. ignored: its author or the task gave no right to it.';
create index github_review_due on github_review (not_before) where state in ('found', 'sent');
create index github_review_message on github_review (task_id, message_number);
grant select, insert, update, delete on github_review to guildhall_app;
