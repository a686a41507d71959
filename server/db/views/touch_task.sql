create or replace function touch_task() returns trigger language plpgsql as $$
begin
  new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  return new;
end $$;
comment on function touch_task() is
  'Sets when a task changed last, always later than before. Its turns, fence and counters do not count.';
