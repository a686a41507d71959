create or replace function place_spend_limit_warning() returns trigger language plpgsql as $$
begin
  select l.account_id, l.subject_id into new.account_id, new.subject_id
    from spend_limit l where l.id = new.limit_id;
  return new;
end $$;
comment on function place_spend_limit_warning() is
  'Copies to a warning what its limit is on, which it outlives.';
