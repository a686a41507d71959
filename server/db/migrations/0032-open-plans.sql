-- What waits for a person is found by project, newest first, without looking at every plan's task
-- and text.

alter table plan
  add column project_id uuid,
  add column revised_at timestamptz;
comment on column plan.project_id is 'That of the task, from a trigger.';
comment on column plan.revised_at is 'When the current revision was written, from a trigger.';

-- As in api/db/views/place_plan.sql, and already here, so that plans that are written while this
-- runs are placed.
create function place_plan() returns trigger language plpgsql as $$
begin
  select project_id into new.project_id from task where id = new.task_id;
  select created_at into new.revised_at from plan_revision
   where task_id = new.task_id and version = new.version;
  return new;
end $$;
create trigger plan_is_placed before insert or update of version on plan
  for each row execute function place_plan();

update plan
   set project_id = task.project_id, revised_at = revision.created_at
  from task, plan_revision revision
 where task.id = plan.task_id and revision.task_id = plan.task_id
   and revision.version = plan.version;

create trigger task_stays before update of project_id on task
  for each row execute function keep_columns('project_id');
