-- What people ask of a pod: the server that is asked is perhaps not the worker that can do it.
create table pod_wish (
  task_id              uuid primary key references task on delete cascade,
  wish                 text not null check (wish in ('start', 'stop')),
  requested_by_user_id uuid not null references app_user,
  requested_at         timestamptz not null default now(),
  not_before           timestamptz not null default now(),
  attempts             integer not null default 0 check (attempts >= 0)
);
create index pod_wish_due on pod_wish (not_before);
create index pod_wish_requested_by on pod_wish (requested_by_user_id);
comment on table pod_wish is
  'That the pod of a task shall run, or rest. A worker that has seen to it deletes the row.';
comment on column pod_wish.not_before is
  'When a worker may try: a while later once one has begun, in case that it dies.';
grant select, insert, update, delete on pod_wish to guildhall_app;

create table pod_log (
  pod_id     uuid primary key references pod on delete cascade,
  content    text not null check (octet_length(content) <= 65536),
  updated_at timestamptz not null default now()
);
comment on table pod_log is 'The last that the agents of a pod have written beside their messages.';
grant select, insert, update on pod_log to guildhall_app;

alter table pod
  add column held_by    text check (length(held_by) between 1 and 200),
  add column held_until timestamptz;
comment on column pod.held_until is
  'Until then, held_by alone works on it while no turn runs: a turn that begins waits.';
