-- Each statement of a function sees what is committed when it begins, so the second look at the project finds where it is
-- once its workspace can no longer change.
create or replace function lock_project(wanted uuid, target uuid default null) returns void language plpgsql as $$
declare
  workspace uuid := (select organization_id from project where id = wanted);
  is_in uuid;
begin
  perform from organization where id in (workspace, target) order by id for share;
  select organization_id into is_in from project where id = wanted for update;
  if found and is_in is distinct from workspace then
    raise exception 'project % has just moved', wanted using errcode = 'serialization_failure';
  end if;
end $$;
comment on function lock_project(uuid, uuid) is
  'Locks the workspace of a project and another one, then the project (ruling 5.6). Fails as a conflict, which is retried, if the project moves meanwhile.';
