create or replace function add_teams_to_new_project() returns trigger language plpgsql as $$
begin
  -- Locked, so that a team that is being deleted is left out.
  insert into team_project (team_id, organization_id, project_id)
  select t.id, t.organization_id, new.id
    from (select id, organization_id from team
           where organization_id = new.organization_id and add_to_new_projects
           order by id for key share) t;
  return null;
end $$;
comment on function add_teams_to_new_project() is
  'Adds the teams with add_to_new_projects to a project as it is created (ruling 4.5). Projects that exist are not touched.';
