create or replace function note_revocations_of_deleted_project() returns trigger
  language plpgsql as $$
begin
  -- Those with a role on the project alone are noted with that (note_revocation).
  insert into revocation (user_id)
  select owner_user_id from gone where owner_user_id is not null
   union
  select m.user_id from gone join membership m on m.organization_id = gone.organization_id;
  return null;
end $$;
comment on function note_revocations_of_deleted_project() is
  'Notes all who could open a project that was deleted, so that their streams learn of it, also those that continue later.';

create or replace trigger project_deletion_notes_revocations after delete on project
  referencing old table as gone
  for each statement execute function note_revocations_of_deleted_project();
