-- Which processes carry out tasks, and why those that should cannot: docs/decisions/0068-where-no-task-can-be-carried-out.md.
create table task_worker (
  id       uuid primary key,
  fault    text check (fault in ('worker_unable', 'pods_unavailable')),
  confined boolean,
  seen_at  timestamptz not null default now()
);
comment on table task_worker is
  'A process that carries out tasks, or tries to. It renews its row every ten seconds; one that was not renewed for thirty is gone.';
comment on column task_worker.fault is 'Why it carries out none now; its log has the sentence.';
comment on column task_worker.confined is
  'Whether the processes of its pods are kept apart from the machine; not known while it is unable.';
create index task_worker_seen_at on task_worker (seen_at);
grant select, insert, update, delete on task_worker to guildhall_app;

-- This first text of the function is replaced by api/db/views/why_tasks_wait.sql.
create function why_tasks_wait() returns text stable language sql as $$ select null::text $$;

alter table pod add column confined boolean;
comment on column pod.confined is
  'Whether its processes are kept apart from the machine; not known of pods that were started before this was stored.';
