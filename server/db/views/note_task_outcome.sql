create or replace function note_task_outcome() returns trigger language plpgsql as $$
begin
  if new.status in ('ready', 'failed') then
    insert into task_outcome (task_id, project_id, user_id, since)
    values (new.id, new.project_id, new.created_by_user_id, new.updated_at)
    on conflict (task_id) do update set since = excluded.since;
  else
    delete from task_outcome where task_id = new.id;
  end if;
  return null;
end $$;
comment on function note_task_outcome() is
  'A task that becomes ready or failed is in the inbox of whoever began it, until it goes on.';

create or replace trigger task_ended after update of status on task
  for each row when (old.status is distinct from new.status
                     and (new.status in ('ready', 'failed') or old.status in ('ready', 'failed')))
  execute function note_task_outcome();
