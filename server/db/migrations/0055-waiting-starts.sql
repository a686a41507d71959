-- run outside a transaction
-- A task is shown as queued while a start of it waits. There are few: workers take them at once.
create index concurrently outbox_start_of_task on outbox (((payload->>'task_id')::uuid))
 where topic = 'agent_start' and done_at is null;
