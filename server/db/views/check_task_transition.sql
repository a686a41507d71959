create or replace function check_task_transition() returns trigger language plpgsql as $$
begin
  if old.status = new.status
     or (old.status, new.status) in (
       ('queued', 'planning'), ('queued', 'building'), ('queued', 'awaiting_approval'),
       ('queued', 'ready'),
       ('planning', 'awaiting_approval'), ('planning', 'awaiting_answer'), ('planning', 'ready'),
       ('planning', 'queued'),
       ('building', 'ready'), ('building', 'awaiting_answer'), ('building', 'queued'),
       ('building', 'awaiting_approval'),
       ('awaiting_answer', 'planning'), ('awaiting_answer', 'building'), ('awaiting_answer', 'queued'),
       ('awaiting_approval', 'queued'), ('awaiting_approval', 'planning'),
       ('awaiting_approval', 'building'),
       ('paused', 'queued'), ('paused', 'planning'), ('paused', 'building'),
       ('ready', 'awaiting_approval'), ('ready', 'queued'), ('ready', 'planning'), ('ready', 'building'),
       ('failed', 'queued'), ('cancelled', 'queued'))
     or (new.status in ('paused', 'failed') and old.status in
          ('queued', 'planning', 'building', 'awaiting_answer', 'awaiting_approval', 'paused'))
     or (new.status = 'cancelled' and old.status <> 'cancelled')
  then
    return new;
  end if;
  raise exception 'a task cannot go from % to %', old.status, new.status
    using errcode = 'integrity_constraint_violation', constraint = 'task_transition';
end $$;
comment on function check_task_transition() is
  'The order of a task''s states: what is paused, failed or cancelled goes on only by being queued or claimed again.';
