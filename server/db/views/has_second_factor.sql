create or replace function has_second_factor(person uuid) returns boolean
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select exists (select from passkey where user_id = person)
      or exists (select from totp where user_id = person and confirmed_at is not null);
$$;
comment on function has_second_factor(uuid) is
  'Whether a person has set up a second factor: what app_user.two_factor is after each change of one.';
