create or replace function note_task_event(task uuid, type text, payload json) returns void
language sql as $$
  insert into task_event_outbox (task_id, noted_at, type, payload)
  select task,
         -- Whatever the clock does.
         greatest(clock_timestamp(), max(o.noted_at) + interval '1 microsecond'),
         note_task_event.type, note_task_event.payload
    from task_event_outbox o where o.task_id = task
$$;
comment on function note_task_event is
  'Notes an event of a task for the worker that appends it to the log.';
