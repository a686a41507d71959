create or replace function note_project_change() returns trigger language plpgsql as $$
begin
  insert into task_change (object_id, project_id) values (old.id, old.id) on conflict do nothing;
  return null;
end $$;
comment on function note_project_change() is
  'Notes that all tasks of a project have come into lists or left them, or show another model, for the streams of changes.';

create or replace trigger project_changed_is_noted
  after update of archived_at, organization_id, owner_user_id, default_model on project
  for each row
  when ((old.archived_at, old.organization_id, old.owner_user_id, old.default_model)
        is distinct from
        (new.archived_at, new.organization_id, new.owner_user_id, new.default_model))
  execute function note_project_change();
create or replace trigger project_deleted_is_noted after delete on project
  for each row execute function note_project_change();
