-- Who can open a project, and as what: one definition, used to list a project's people and to let a caller in
-- (ruling 8.7). One row per person; `hidden_reason` marks a grant that cannot be used now.

create view project_person as
  -- Members of the project's workspace. A role set on the project overrides the workspace role, except for the owner
  -- and admins, who are never lowered (ruling 8.3).
  select p.id as project_id, m.user_id, u.email, u.name,
         true as is_org_member,
         o.owner_user_id = m.user_id as is_owner,
         case when pr.id is null or wr.acts_as in ('owner', 'admin') then 'org' else 'override' end as source,
         case when not u.is_active then 'deactivated'
              when o.require_2fa and not u.two_factor then 'two_factor_required' end as hidden_reason,
         wr.slug as org_role, wr.name as org_role_name, wr.color as org_role_color,
         pr.slug as project_role, pr.name as project_role_name, pr.color as project_role_color,
         case when pr.id is null or wr.acts_as in ('owner', 'admin') then wr.slug else pr.slug end as effective_role,
         case when pr.id is null or wr.acts_as in ('owner', 'admin') then wr.name else pr.name end as effective_role_name,
         case when pr.id is null or wr.acts_as in ('owner', 'admin') then wr.color else pr.color end as effective_role_color,
         case when pr.id is null or wr.acts_as in ('owner', 'admin') then wr.acts_as else pr.acts_as end as acts_as
    from project p
    join organization o on o.id = p.organization_id
    join membership m on m.organization_id = o.id
    join app_user u on u.id = m.user_id
    join role wr on wr.id = case when o.owner_user_id = m.user_id
                                 then '00000000-0000-4000-8000-000000000001'::uuid else m.role_id end
    left join project_grant g on g.project_id = p.id and g.user_id = m.user_id
    left join role pr on pr.id = g.role_id
  union all
  -- Outside collaborators: a role on the project, no membership in its workspace.
  select p.id, g.user_id, u.email, u.name, false, false, 'collaborator',
         case when not u.is_active then 'deactivated' end,
         null, null, null, pr.slug, pr.name, pr.color, pr.slug, pr.name, pr.color, pr.acts_as
    from project p
    join project_grant g on g.project_id = p.id
    join app_user u on u.id = g.user_id
    join role pr on pr.id = g.role_id
   where p.owner_user_id is distinct from g.user_id
     and not exists (select from membership m where m.organization_id = p.organization_id and m.user_id = g.user_id)
  union all
  -- The user a personal project belongs to (ruling 8.5).
  select p.id, u.id, u.email, u.name, false, true, 'override',
         case when not u.is_active then 'deactivated' end,
         null, null, null, pr.slug, pr.name, pr.color, pr.slug, pr.name, pr.color, pr.acts_as
    from project p
    join app_user u on u.id = p.owner_user_id
    join role pr on pr.id = '00000000-0000-4000-8000-000000000012'::uuid;

-- The server works as a role that owns nothing and cannot alter history. Roles belong to the whole PostgreSQL
-- server, so the role may be there already.
do $$
begin
  if not exists (select from pg_roles where rolname = 'guildhall_app') then
    create role guildhall_app nologin;
  end if;
  if not pg_has_role(current_user, 'guildhall_app', 'member') then
    execute format('grant guildhall_app to %I', current_user);
  end if;
exception
  when duplicate_object or unique_violation then
    execute format('grant guildhall_app to %I', current_user);
  when insufficient_privilege then
    raise exception 'this login may not make the role guildhall_app: let an administrator run  create role guildhall_app; grant guildhall_app to %;', quote_ident(current_user)
      using errcode = 'raise_exception';
end $$;
grant usage on schema public to guildhall_app;
grant select on all tables in schema public to guildhall_app;
grant insert, update on app_user, api_key, top_up, auto_reload, sandbox_intent, plan, outbox,
  payment_method to guildhall_app;
grant insert, update, delete on organization, role, membership, invitation, project, project_grant, team, team_member,
  team_project, task, idempotency_key to guildhall_app;
-- A balance moves by inserting a ledger row (see post_to_account), never by an update.
grant insert (id, kind, user_id, organization_id), update (status, held, successor_id) on billing_account to guildhall_app;
grant delete on outbox to guildhall_app;
grant insert on plan_revision, plan_approval, ledger_transfer, audit_event to guildhall_app;
