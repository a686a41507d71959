create or replace function refuse_change_of_trail() returns trigger language plpgsql as $$
declare
  -- What `erase_traces` erases now; nobody else may update.
  erased jsonb := nullif(current_setting('guildhall.erased', true), '');
  is_about boolean;
  is_own boolean;
begin
  if tg_op = 'UPDATE' and erased is not null
     and to_jsonb(new) - '{before,after}'::text[] = to_jsonb(old) - '{before,after}'::text[] then
    is_about := coalesce(erased ->> 'person' in (old.target_id, old.actor_user_id::text), false);
    is_own := is_about and old.organization_id is null;
    if new.before is not distinct from erased_entry(
         old.before, (erased ->> 'person')::uuid, erased ->> 'address', erased ->> 'name',
         is_about, is_own)
       and new.after is not distinct from erased_entry(
         old.after, (erased ->> 'person')::uuid, erased ->> 'address', erased ->> 'name',
         is_about, is_own)
    then
      return new;
    end if;
  end if;
  raise exception '% is insert-only', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;
comment on function refuse_change_of_trail() is
  'Refuses any change of the audit trail, but that the name and the address of a person who deleted their account become a pseudonym.';

create or replace trigger audit_event_insert_only before update or delete on audit_event
  for each row execute function refuse_change_of_trail();
