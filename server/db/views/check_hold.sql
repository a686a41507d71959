create or replace function check_hold() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status <> 'open' then
      raise exception 'a hold begins open' using errcode = 'integrity_constraint_violation';
    end if;
    return new;
  end if;
  if old.status <> 'open' or new.status = 'open'
     or (new.id, new.account_id, new.amount, new.idempotency_key,
         new.reference_type, new.reference_id, new.created_at)
        is distinct from
        (old.id, old.account_id, old.amount, old.idempotency_key,
         old.reference_type, old.reference_id, old.created_at)
  then
    raise exception 'a hold ends once, captured or released, and nothing else of it changes'
      using errcode = 'integrity_constraint_violation';
  end if;
  new.ended_at := clock_timestamp();
  return new;
end $$;
comment on function check_hold() is
  'A hold is inserted open and ends once, captured or released. Nothing else of it changes.';
