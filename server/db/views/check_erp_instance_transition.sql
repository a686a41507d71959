create or replace function check_erp_instance_transition() returns trigger language plpgsql as $$
begin
  if old.state = new.state
     or (old.state, new.state) in (
       ('starting', 'running'), ('starting', 'failed'), ('starting', 'stopping'),
       ('running', 'starting'), ('running', 'failed'), ('running', 'stopping'),
       ('stopping', 'ended'), ('failed', 'stopping'))
  then
    return new;
  end if;
  raise exception 'an ERP instance cannot go from % to %', old.state, new.state
    using errcode = 'integrity_constraint_violation', constraint = 'erp_instance_transition';
end $$;
comment on function check_erp_instance_transition() is
  'The order of an instance''s states: one that has ended never runs again.';
