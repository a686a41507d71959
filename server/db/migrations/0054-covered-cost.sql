-- What the turns of a project that are at work may still spend counts towards its cap, so that
-- several at once cannot exceed it.
alter table task_turn
  add column covered_nano bigint not null default 0 constraint task_turn_covered_nano_check check (covered_nano >= 0);
comment on column task_turn.covered_nano is 'Nano-USD that spent_nano may reach before the turn needs another hold.';
