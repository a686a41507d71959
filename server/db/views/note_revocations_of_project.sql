create or replace function note_revocations_of_project() returns trigger language plpgsql as $$
begin
  insert into revocation (user_id)
  with moved as (
    select previous.id, previous.owner_user_id, previous.organization_id
      from previous join changed on changed.id = previous.id
     where (changed.owner_user_id, changed.organization_id)
           is distinct from (previous.owner_user_id, previous.organization_id))
  select owner_user_id from moved where owner_user_id is not null
   union
  select m.user_id from moved join membership m on m.organization_id = moved.organization_id
   union
  select g.user_id from moved join project_grant g on g.project_id = moved.id;
  return null;
end $$;
comment on function note_revocations_of_project() is
  'Notes all who could open a project before it changed hands, so that their open event streams are checked soon. Once for each person, however many projects a statement moves.';

create or replace trigger project_notes_revocations after update on project
  referencing old table as previous new table as changed
  for each statement execute function note_revocations_of_project();
