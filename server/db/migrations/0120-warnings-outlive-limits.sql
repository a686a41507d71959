-- A warning names what its limit is on, so that a limit that is removed and added again as it was
-- warns no one twice: docs/decisions/0059-spend-limits.md. The unique key follows in 0121 and 0122.
alter table spend_limit_warning
  add column account_id uuid references billing_account,
  add column subject_id uuid;
update spend_limit_warning w set account_id = l.account_id, subject_id = l.subject_id
  from spend_limit l where l.id = w.limit_id;
alter table spend_limit_warning alter column account_id set not null;

-- As in api/db/views/place_spend_limit_warning.sql.
create function place_spend_limit_warning() returns trigger language plpgsql as $$
begin
  select l.account_id, l.subject_id into new.account_id, new.subject_id
    from spend_limit l where l.id = new.limit_id;
  return new;
end $$;
create trigger spend_limit_warning_has_its_place before insert on spend_limit_warning
  for each row execute function place_spend_limit_warning();

comment on table spend_limit_warning is
  'Mail about a limit to one person, once for each month, level and amount: the subject of the mail. It stays when the limit is removed.';
comment on column spend_limit_warning.limit_id is 'The limit as it was then; it may be gone.';
comment on column spend_limit_warning.account_id is 'The balance of the limit, by a trigger.';
comment on column spend_limit_warning.subject_id is
  'What the limit is on, by a trigger: a project, a person or a task; null for the whole balance.';
