-- What of tasks has changed, for the streams that tell lists of it.

create table task_change (
  transaction_id xid8 not null default pg_current_xact_id(),
  object_id      uuid not null,
  project_id     uuid not null,
  noted_at       timestamptz not null default clock_timestamp(),
  primary key (transaction_id, object_id)
);
comment on table task_change is
  'What lists of tasks show of a task has changed, or the task was deleted. Every process with a stream of such changes reads the rows of transactions that it has not seen each second; they are kept for an hour.';
comment on column task_change.transaction_id is
  'Transactions do not commit in the order of their numbers: what a reader has not seen is what its snapshot did not contain.';
comment on column task_change.object_id is
  'The task, or the project itself, of which every task may have changed. Not a foreign key: a note waits for no lock, and outlives what it is about.';
grant select, insert, delete on task_change to guildhall_app;
