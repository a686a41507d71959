create or replace function note_mentions() returns trigger language plpgsql as $$
begin
  perform note_webhook_of_task('comment.mentioned', new.task_id, jsonb_build_object(
    'comment_id', new.id, 'author_user_id', new.author_user_id));
  return null;
end $$;
comment on function note_mentions() is
  'That a comment on a plan or on code may mention people: `@` and their address.';

create or replace trigger plan_comment_mentions after insert on plan_comment
  for each row when (new.text ~ '@\S+@') execute function note_mentions();
create or replace trigger diff_comment_mentions after insert on diff_comment
  for each row when (new.text ~ '@\S+@') execute function note_mentions();
