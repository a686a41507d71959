-- What happens to the pull request of a task becomes an event of the task
-- (docs/decisions/0050-events-of-code-hosts.md).
create table task_event_outbox (
  id         uuid primary key default gen_random_uuid(),
  task_id    uuid not null,
  noted_at   timestamptz not null,
  type       text not null check (length(type) between 1 and 50),
  payload    json not null,
  log_seq    bigint check (log_seq >= 0),
  not_before timestamptz not null default now()
);
comment on table task_event_outbox is
  'Events of tasks that a worker has yet to append to the log, which is never in one transaction with this database. Triggers write them with the change that they are about.';
comment on column task_event_outbox.task_id is
  'No foreign key: a change of a check must not wait for the row of its task, which may be about to be deleted with the check.';
comment on column task_event_outbox.noted_at is
  'Their order within a task: later than that of all that could be seen.';
comment on column task_event_outbox.log_seq is
  'The newest event of the log before a worker first tried to append it: it is among those that follow, or nowhere.';
comment on column task_event_outbox.not_before is
  'When a worker may append it while no turn of the task is at work: a while later once one has begun.';
create index task_event_outbox_of_task on task_event_outbox (task_id, noted_at);
grant select, insert, update, delete on task_event_outbox to guildhall_app;

-- A deploy of a code host is found by the commit that a task was merged as.
create index merge_of_commit on merge (merge_commit_sha) where state = 'merged';
