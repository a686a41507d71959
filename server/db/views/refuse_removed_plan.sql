create or replace function refuse_removed_plan() returns trigger language plpgsql as $$
begin
  if exists (select from plan_revision r
              where r.task_id = new.task_id and r.version = new.version and r.body = '') then
    raise exception 'the text of this plan was removed'
      using errcode = 'integrity_constraint_violation', constraint = 'plan_removed';
  end if;
  return new;
end $$;
comment on function refuse_removed_plan() is
  'Nobody approves a plan whose text was removed because its task had been archived for long.';

create or replace trigger plan_approval_of_text before insert on plan_approval
  for each row execute function refuse_removed_plan();
