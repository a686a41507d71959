-- Each statement of a function sees what is committed when it begins, so the second look at the
-- project finds where it is once its workspace can no longer change. If it moved in between, the
-- locks of that attempt are given back with it, and the next attempt takes them in the right order
-- again.
create or replace function lock_project(wanted uuid, target uuid default null)
returns void language plpgsql as $$
declare
  workspace uuid;
  is_in uuid;
begin
  for attempt in 1..100 loop
    begin
      select organization_id into workspace from project where id = wanted;
      perform from organization where id in (workspace, target) order by id for share;
      select organization_id into is_in from project where id = wanted for update;
      if not found or is_in is not distinct from workspace then
        return;
      end if;
      raise exception 'project % has just moved', wanted using errcode = 'serialization_failure';
    exception when serialization_failure then
      if attempt = 100 then raise; end if;
    end;
  end loop;
end $$;
comment on function lock_project(uuid, uuid) is
  'Locks the workspace of a project and another one, then the project (ruling 5.6), and begins again if the project moves meanwhile.';
