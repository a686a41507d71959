create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is insert-only', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;
comment on function refuse_change() is
  'Refuses any change of a table whose rows are history.';
