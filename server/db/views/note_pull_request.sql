create or replace function note_pull_request() returns trigger language plpgsql as $$
begin
  perform note_task_event(new.task_id, 'pull_request', json_strip_nulls(json_build_object(
    'number', new.number, 'state', new.state, 'base', new.base, 'head_sha', new.head_sha,
    'mergeable', new.mergeable, 'url', new.url,
    'opened_by_user_id', new.opened_by_user_id)));
  return null;
end $$;
comment on function note_pull_request() is 'How a pull request is now, as an event of its task.';

create or replace trigger pull_request_opened after insert on pull_request
  for each row execute function note_pull_request();

-- Whether it can be merged is unknown after each push, until the code host has computed it.
create or replace trigger pull_request_changed
  after update of state, base, head_sha, mergeable on pull_request
  for each row
  when ((old.state, old.base, old.head_sha) is distinct from (new.state, new.base, new.head_sha)
        or old.mergeable is distinct from new.mergeable and new.mergeable is not null)
  execute function note_pull_request();
