create or replace function check_role_belongs() returns trigger language plpgsql as $$
declare
  workspace uuid;
  belongs boolean;
begin
  if tg_table_name = 'membership' or (tg_table_name = 'invitation' and new.scope = 'workspace') then
    workspace := new.organization_id;
  else
    select p.organization_id into workspace from project p where p.id = new.project_id;
  end if;
  select r.organization_id is null or r.organization_id is not distinct from workspace into belongs
    from role r where r.id = new.role_id;
  if not coalesce(belongs, true) then
    raise exception 'role % belongs to another workspace', new.role_id
      using errcode = 'foreign_key_violation';
  end if;
  return new;
end $$;
comment on function check_role_belongs() is
  'A role that is assigned is a built-in one or belongs to the same workspace.';
