-- run outside a transaction
create index concurrently task_turn_claimable on task_turn (not_before, id)
  where state in ('queued', 'interrupted') and not paused;
