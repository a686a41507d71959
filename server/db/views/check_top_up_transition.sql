create or replace function check_top_up_transition() returns trigger language plpgsql as $$
begin
  if old.status = new.status
     or (old.status = 'created' and new.status in ('processing', 'failed'))
     or (old.status = 'processing' and new.status in ('succeeded', 'failed'))
     or (old.status = 'failed' and new.status = 'succeeded')
     or (old.status not in ('created', 'processing', 'failed')
         and new.status not in ('created', 'processing', 'failed'))
  then
    return new;
  end if;
  raise exception 'a top-up cannot go from % to %', old.status, new.status
    using errcode = 'integrity_constraint_violation';
end $$;
comment on function check_top_up_transition() is
  'The order of a top-up''s states. A failed one may still succeed, because a processor may report late; one that succeeded never fails.';
