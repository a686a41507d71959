create or replace function keep_columns() returns trigger language plpgsql as $$
declare
  name text;
begin
  foreach name in array tg_argv loop
    if to_jsonb(new) -> name is distinct from to_jsonb(old) -> name then
      raise exception '%.% never changes', tg_table_name, name
        using errcode = 'integrity_constraint_violation';
    end if;
  end loop;
  return new;
end $$;
comment on function keep_columns() is
  'Refuses a change of the columns that are named in the trigger.';
