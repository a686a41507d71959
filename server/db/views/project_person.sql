-- People and roles are joined once, after the three ways to come to a project, so that a plan has
-- half the steps: a list of 20 took 0.86 of its time, and one person's right 0.87
-- (docs/performance.md).
create or replace view project_person as
  select person.project_id, u.id as user_id, u.email, u.name, is_org_member, is_owner,
         -- A role set on the project overrides the workspace role, except for the owner and
         -- admins, who are never lowered (ruling 8.3).
         case when is_org_member and (pr.id is null or wr.acts_as in ('owner', 'admin')) then 'org'
              when is_org_member or is_owner then 'override'
              else 'collaborator' end as source,
         case when not u.is_active then 'deactivated'
              when require_2fa and not u.two_factor then 'two_factor_required' end as hidden_reason,
         wr.slug as org_role, wr.name as org_role_name, wr.color as org_role_color,
         pr.slug as project_role, pr.name as project_role_name, pr.color as project_role_color,
         case when pr.id is null or wr.acts_as in ('owner', 'admin')
              then wr.slug else pr.slug end as effective_role,
         case when pr.id is null or wr.acts_as in ('owner', 'admin')
              then wr.name else pr.name end as effective_role_name,
         case when pr.id is null or wr.acts_as in ('owner', 'admin')
              then wr.color else pr.color end as effective_role_color,
         case when pr.id is null or wr.acts_as in ('owner', 'admin')
              then wr.acts_as else pr.acts_as end as acts_as,
         u.kind
    from (
      -- Members of the project's workspace.
      select p.id as project_id, m.user_id, true as is_org_member,
             o.owner_user_id = m.user_id as is_owner, o.require_2fa,
             case when o.owner_user_id = m.user_id
                  then '00000000-0000-4000-8000-000000000001'::uuid else m.role_id end as org_role_id,
             g.role_id as project_role_id
        from project p
        join organization o on o.id = p.organization_id
        join membership m on m.organization_id = o.id
        left join project_grant g on g.project_id = p.id and g.user_id = m.user_id
      union all
      -- Outside collaborators: a role on the project, no membership in its workspace.
      select p.id, g.user_id, false, false, false, null, g.role_id
        from project p
        join project_grant g on g.project_id = p.id
       where p.owner_user_id is distinct from g.user_id
         and not exists (select from membership m
                          where m.organization_id = p.organization_id and m.user_id = g.user_id)
      union all
      -- The user a personal project belongs to (ruling 8.5).
      select p.id, p.owner_user_id, false, true, false, null,
             '00000000-0000-4000-8000-000000000012'::uuid
        from project p where p.owner_user_id is not null
    ) person
    join app_user u on u.id = person.user_id
    left join role wr on wr.id = person.org_role_id
    left join role pr on pr.id = person.project_role_id;
grant select on project_person to guildhall_app;
comment on view project_person is
  'Who can open a project, and as what; one row a person (ruling 8). Lists a project''s people and decides about access (ruling 8.7).';
