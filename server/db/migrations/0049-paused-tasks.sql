-- run outside a transaction
-- Tasks that paused are looked for again and again, until somebody can pay.
create index concurrently task_paused on task (status_reason, id)
  where status = 'paused';
