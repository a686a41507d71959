create or replace function end_service_grants() returns trigger language plpgsql as $$
begin
  delete from project_grant g using app_user u
   where g.project_id = new.id and u.id = g.user_id and u.kind = 'service'
     and u.service_of is distinct from new.organization_id;
  return null;
end $$;
comment on function end_service_grants() is
  'A project that leaves a workspace leaves its service accounts behind: they work in their workspace alone.';

create or replace trigger project_leaves_service_accounts after update of organization_id on project
  for each row when (old.organization_id is distinct from new.organization_id)
  execute function end_service_grants();
