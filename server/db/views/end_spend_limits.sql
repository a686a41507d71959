create or replace function end_spend_limits() returns trigger language plpgsql as $$
begin
  delete from spend_limit l
   where l.project_id = new.id
      or l.task_id in (select t.id from task t where t.project_id = new.id);
  return null;
end $$;
comment on function end_spend_limits() is
  'The limits on a project and its tasks are those of whoever pays for it: they end when it is given to another owner.';

create or replace trigger project_leaves_spend_limits
  after update of organization_id, owner_user_id on project
  for each row when ((old.organization_id, old.owner_user_id)
                     is distinct from (new.organization_id, new.owner_user_id))
  execute function end_spend_limits();
