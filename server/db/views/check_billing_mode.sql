create or replace function check_billing_mode() returns trigger language plpgsql as $$
begin
  if new.test_money and not old.test_money
     or (new.real_since, new.void_id) is distinct from (old.real_since, old.void_id)
        and not old.test_money
     or old.voided_at is not null and new.voided_at is distinct from old.voided_at then
    raise exception 'test money ends once' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
comment on function check_billing_mode() is
  'An installation whose balances are real money never takes test money again.';

create or replace trigger billing_mode_moves_on before update on billing_mode
  for each row execute function check_billing_mode();
