-- run outside a transaction
-- What the newest build turns of an account have cost, for an estimate of the next one.
create index concurrently task_turn_built on task_turn (account_id, ended_at)
  where kind = 'build' and state = 'done';
