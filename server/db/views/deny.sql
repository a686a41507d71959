create or replace function deny(reason text) returns text language plpgsql strict as $$
begin
  raise exception '%', reason using errcode = 'GH403';
end $$;
comment on function deny(text) is
  'Called by a statement that writes when its caller lacks the right (a null reason is none): the error undoes whatever the statement wrote.';
