create or replace function remove_conversations(archived_before timestamptz, most integer)
  returns integer language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
declare
  -- Counted, so that the turns of these tasks are looked at, not those of all.
  due uuid[] := array(
    select t.id from task t
     where t.archived_at < archived_before
       and (t.conversation_removed_at is null or t.conversation_removed_at < t.archived_at)
       and (select count(*) from task_turn u where u.task_id = t.id and u.ended_at is null) = 0
     order by t.archived_at limit most
       for update of t skip locked);
begin
  update task set conversation_removed_at = clock_timestamp() where id = any (due);
  delete from diff_comment where task_id = any (due);
  delete from plan_comment where task_id = any (due);
  delete from agent_request where task_id = any (due);
  -- A row stays, so that what is read on GitHub again is not sent to the agent once more.
  update github_review set text = '', comments = '[]' where task_id = any (due);
  delete from task_message where task_id = any (due);
  update task_turn set prompt = '', error = null where task_id = any (due);
  -- Who approved which text stays, and the hash that proves it.
  update plan_revision set body = '' where task_id = any (due) and body <> '';
  return cardinality(due);
end $$;
comment on function remove_conversations(timestamptz, integer) is
  'Removes what was said in tasks that were archived before a time: messages, texts of plans, comments, questions. Oldest first, at most so many tasks. Returns how many.';
