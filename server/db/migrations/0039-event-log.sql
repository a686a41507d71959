-- The events of tasks that run. No foreign key, trigger, sequence or function belongs to these two tables,
-- so that they can be in databases of their own (EVENT_DATABASE_URL), where the same tables are made by
-- api/events/database/migrations/.
create table task_log (
  task_id   uuid primary key,
  last_seq  bigint not null default 0 check (last_seq >= 0),
  first_seq bigint not null default 1,
  fence     bigint not null check (fence > 0),
  owner     text not null check (length(owner) between 1 and 200),
  constraint task_log_first_is_in_reach check (first_seq between 1 and last_seq + 1)
) with (fillfactor = 50);
comment on table task_log is
  'Where the events of a task end. No other table refers to it: it may be in a database of its own.';
comment on column task_log.last_seq is 'The newest event; 0 before the first.';
comment on column task_log.first_seq is 'The oldest event that is still kept.';
comment on column task_log.fence is 'Of task.fence: only a writer that names this one appends.';
comment on column task_log.owner is 'The worker that has the fence.';

create table task_event (
  task_id    uuid not null,
  seq        bigint not null check (seq > 0),
  turn_id    uuid,
  type       text not null check (length(type) between 1 and 50),
  payload    text not null check (octet_length(payload) <= 262144),
  created_at timestamptz not null default now(),
  primary key (task_id, seq)
);
comment on table task_event is
  'What a task''s agent did, numbered per task without a gap. Rows are never changed; the oldest are deleted.';
comment on column task_event.payload is
  'JSON as text: jsonb takes no U+0000, which programs print, and costs more to read.';

grant select, insert, update, delete on task_log to guildhall_app;
grant select, insert, delete on task_event to guildhall_app;
