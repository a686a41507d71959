create or replace function drop_service_mail() returns trigger language plpgsql as $$
begin
  return null;
end $$;
comment on function drop_service_mail() is
  'Mail to a service account is not queued: it has no mailbox. Whoever tells the admins of a workspace need not know which of them are people.';

create or replace trigger mail_not_to_service_accounts before insert on mail
  for each row when (new.recipient like '%@service.invalid') execute function drop_service_mail();
