create or replace function end_overrides() returns trigger language plpgsql as $$
begin
  delete from project_grant g using project p
   where p.id = g.project_id and p.organization_id = old.organization_id and g.user_id = old.user_id;
  return null;
end $$;
comment on function end_overrides() is
  'Roles that a member has on projects of a workspace end with the membership (ruling 3.5).';
