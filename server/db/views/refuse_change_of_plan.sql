create or replace function refuse_change_of_plan() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and not exists (select from task where id = old.task_id) then
    return old;
  end if;
  if tg_op = 'UPDATE' and to_jsonb(new) ->> 'body' = ''
     and to_jsonb(new) - 'body' = to_jsonb(old) - 'body'
     and exists (select from task where id = old.task_id and conversation_removed_at >= archived_at)
  then
    return new;
  end if;
  raise exception '% is insert-only, and goes with its task', tg_table_name
    using errcode = 'integrity_constraint_violation';
end $$;
comment on function refuse_change_of_plan() is
  'Refuses any change of a plan''s revisions and approvals. They are deleted with their task; the text of a revision is removed with the conversation of an archived task, its hash stays.';

create or replace trigger plan_revision_insert_only before update or delete on plan_revision
  for each row execute function refuse_change_of_plan();
create or replace trigger plan_revision_no_truncate before truncate on plan_revision
  for each statement execute function refuse_change();
create or replace trigger plan_approval_insert_only before update or delete on plan_approval
  for each row execute function refuse_change_of_plan();
create or replace trigger plan_approval_no_truncate before truncate on plan_approval
  for each statement execute function refuse_change();
