-- What the worker keeps of a turn beside its state.
alter table task_turn
  add column mode    text check (mode in ('plan', 'build')),
  add column losses  integer not null default 0 check (losses >= 0),
  add column told_at timestamptz;
comment on column task_turn.mode is
  'What its agent may do, known once it is claimed: plan only reads.';
comment on column task_turn.losses is
  'How often its worker vanished; interruptions that a worker announced do not count.';
comment on column task_turn.told_at is
  'When the end of the turn was appended to the events of its task.';
create index task_turn_untold on task_turn (task_id)
  where state in ('done', 'failed', 'cancelled') and told_at is null;
