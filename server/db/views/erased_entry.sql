create or replace function erased_entry(
  entry jsonb, person uuid, address text, person_name text, is_about boolean, is_own boolean)
  returns jsonb language plpgsql immutable parallel safe as $$
begin
  return case when is_own and jsonb_typeof(entry) = 'object'
              then entry - '{name,email,address,country,tax_id,network}'::text[]
              else without_person(entry::text, person, address, person_name, is_about)::jsonb end;
end $$;
comment on function erased_entry(jsonb, uuid, text, text, boolean, boolean) is
  'What is left of `before` or `after` of the audit trail when a person has deleted their account. Of their own account, outside of workspaces, also without what they called things and where they signed in.';
