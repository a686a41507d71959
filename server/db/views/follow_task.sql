create or replace function follow_task() returns trigger language plpgsql as $$
begin
  insert into task_subscription as s (user_id, task_id, state)
  values (new.author_user_id, new.task_id, 'following')
  on conflict (user_id, task_id) do update set state = 'following', updated_at = now()
   where s.state = 'unfollowed';
  return null;
end $$;
comment on function follow_task() is
  'Who writes a message in a task follows it, unless they have muted it.';

create or replace trigger message_follows after insert on task_message
  for each row when (new.author_user_id is not null) execute function follow_task();
