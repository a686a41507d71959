create or replace function webhook_on_deploy() returns trigger language plpgsql as $$
declare
  task uuid;
  workspace uuid;
begin
  select m.task_id into task from merge m where m.id = new.merge_id;
  select p.organization_id into workspace from project p where p.id = new.project_id;
  perform note_webhook_event(
    case new.state when 'failed' then 'deploy.failed' else 'deploy.succeeded' end,
    workspace, new.project_id, task,
    jsonb_build_object('deploy_id', new.id, 'state', new.state, 'branch', new.branch,
                       'stage', new.stage, 'commit_sha', new.commit_sha));
  return null;
end $$;
comment on function webhook_on_deploy() is 'What came of a deploy, for webhooks.';

create or replace trigger deploy_ended_for_webhooks after update of state on deploy
  for each row
  when (old.state <> new.state and new.state in ('success', 'warning', 'failed'))
  execute function webhook_on_deploy();
create or replace trigger deploy_found_ended_for_webhooks after insert on deploy
  for each row when (new.state in ('success', 'warning', 'failed'))
  execute function webhook_on_deploy();
