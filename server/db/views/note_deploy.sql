create or replace function note_deploy() returns trigger language plpgsql as $$
declare
  task uuid;
begin
  -- Two statements: one condition for both would read every merge there is.
  if new.merge_id is not null then
    select m.task_id into task from merge m where m.id = new.merge_id;
  else
    -- A code host may deploy a merge several times: only the first deploy names it.
    select m.task_id into task
      from merge m join pull_request pr on pr.task_id = m.task_id
     where m.state = 'merged' and m.merge_commit_sha = new.commit_sha
       and pr.repository_id = new.repository_id
     limit 1;
  end if;
  if task is null then return null; end if;
  perform note_task_event(task, 'deploy', json_strip_nulls(json_build_object(
    'deploy_id', new.id, 'state', new.state, 'branch', new.branch, 'stage', new.stage,
    'commit_sha', new.commit_sha, 'reason', new.reason, 'url', new.url)));
  return null;
end $$;
comment on function note_deploy() is
  'That a commit of a task is deployed, and what came of it, as an event of the task.';

create or replace trigger deploy_made after insert on deploy
  for each row execute function note_deploy();
create or replace trigger deploy_changed after update of state on deploy
  for each row when (old.state <> new.state) execute function note_deploy();
