create or replace function check_role_belongs() returns trigger language plpgsql as $$
declare
  belongs boolean;
begin
  if tg_table_name = 'project_grant' then
    select r.organization_id is null or r.organization_id = p.organization_id into belongs
      from role r, project p where r.id = new.role_id and p.id = new.project_id;
  else
    select r.organization_id is null or r.organization_id = new.organization_id into belongs
      from role r where r.id = new.role_id;
  end if;
  if not coalesce(belongs, true) then
    raise exception 'role % belongs to another workspace', new.role_id using errcode = 'foreign_key_violation';
  end if;
  return new;
end $$;
comment on function check_role_belongs() is
  'A role that is given to somebody is a built-in one or belongs to the same workspace.';
