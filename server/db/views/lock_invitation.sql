create or replace function lock_invitation(wanted uuid) returns void language plpgsql as $$
declare
  i invitation;
begin
  select * into i from invitation where id = wanted;
  if i.project_id is null then
    perform from organization where id = i.organization_id for update;
  else
    perform lock_project(i.project_id);
  end if;
  perform from invitation where id = wanted for update;
end $$;
comment on function lock_invitation(uuid) is
  'Locks what an invitation is to, and then the invitation, in the order of ruling 5.6.';
