create or replace function hash_plan_revision() returns trigger language plpgsql as $$
begin
  new.sha256 := sha256(convert_to(new.body, 'UTF8'));
  return new;
end $$;
comment on function hash_plan_revision() is
  'Computes the SHA-256 of a plan''s text.';
