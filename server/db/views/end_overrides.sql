create or replace function end_overrides() returns trigger language plpgsql as $$
begin
  delete from project_grant g using project p
   where p.id = g.project_id and p.organization_id = old.organization_id and g.user_id = old.user_id;
  update invitation i set status = 'revoked', updated_at = clock_timestamp()
    from project p, app_user u
   where p.organization_id = old.organization_id and i.project_id = p.id and i.status = 'pending'
     and u.id = old.user_id and mailbox(i.email) = mailbox(u.email);
  return null;
end $$;
comment on function end_overrides() is
  'Roles that a member has on projects of a workspace end with the membership (ruling 3.5), and so do open invitations to them, so that a former member cannot return by an old invitation.';
