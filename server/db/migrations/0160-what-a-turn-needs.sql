-- A turn that paused because its next call of a model may cost more than what is left goes on once that
-- much can be spent: docs/decisions/0069-reserved-calls.md.
alter table task_turn add column needed bigint;
alter table task_turn add constraint task_turn_needed_check check (needed > 0) not valid;
comment on column task_turn.needed is
  'Micro-USD that must be there for a paused turn to go on; null where any amount will do.';
