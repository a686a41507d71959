-- Names that were accepted before and no longer are.
update organization set name = 'Renamed ' || left(id::text, 8) where not is_name(name);
update team set name = 'Renamed ' || left(id::text, 8) where not is_name(name);
update role set name = 'Renamed ' || left(id::text, 8) where not is_name(name);
update project set name = 'Renamed ' || left(id::text, 8) where not is_name(name);
update api_key set name = 'Renamed ' || left(id::text, 8) where not is_name(name);

alter table organization validate constraint organization_name_is_name;
alter table team validate constraint team_name_is_name;
alter table role validate constraint role_name_is_name;
alter table project validate constraint project_name_is_name;
alter table api_key validate constraint api_key_name_is_name;

-- Of several teams, or roles, whose names are now equal, the first keeps its name. The tables are small
-- and stay locked while this happens, so that no new pair appears before the index does.
lock table team, role in share row exclusive mode;
update team t set name = left(t.name, 91) || ' ' || left(t.id::text, 8)
  from (select id, row_number() over (partition by organization_id, name_key(name)
                                          order by created_at, id) as nth
          from team) same
 where same.id = t.id and same.nth > 1;
drop index team_name_taken;
create unique index team_name_taken on team (organization_id, name_key(name) collate "C");
update role r set name = left(r.name, 91) || ' ' || left(r.id::text, 8)
  from (select id, row_number() over (partition by organization_id, scope, name_key(name)
                                          order by id) as nth
          from role) same
 where same.id = r.id and same.nth > 1;
create unique index role_name_taken on role (organization_id, scope, name_key(name) collate "C")
  nulls not distinct;
