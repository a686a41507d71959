create or replace function note_change_of_task() returns trigger language plpgsql as $$
begin
  insert into task_change (object_id, project_id)
  select t.id, t.project_id from task t where t.id = new.task_id
  on conflict do nothing;
  return null;
end $$;
comment on function note_change_of_task() is
  'Notes a task of which something changed that its lists show and another table holds: its cost, its pull request, its plan.';

create or replace trigger task_turn_cost_is_noted after update of spent_nano on task_turn
  for each row when (old.spent_nano is distinct from new.spent_nano)
  execute function note_change_of_task();
create or replace trigger pull_request_opened_is_noted after insert on pull_request
  for each row execute function note_change_of_task();
create or replace trigger pull_request_changed_is_noted after update of state, base on pull_request
  for each row when ((old.state, old.base) is distinct from (new.state, new.base))
  execute function note_change_of_task();
create or replace trigger plan_written_is_noted after insert on plan
  for each row execute function note_change_of_task();
-- With its approval, a task that rests is shown as queued.
create or replace trigger plan_changed_is_noted
  after update of version, approved_version on plan
  for each row
  when ((old.version, old.approved_version) is distinct from (new.version, new.approved_version))
  execute function note_change_of_task();
