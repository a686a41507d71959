create or replace function place_plan() returns trigger language plpgsql as $$
begin
  select project_id into new.project_id from task where id = new.task_id;
  select created_at into new.revised_at from plan_revision
   where task_id = new.task_id and version = new.version;
  return new;
end $$;
comment on function place_plan() is
  'A plan repeats the project of its task and the time of its current revision, so that the open plans of a project are found without either.';

create or replace trigger plan_is_placed before insert or update of version on plan
  for each row execute function place_plan();
