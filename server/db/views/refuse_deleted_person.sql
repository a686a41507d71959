create or replace function refuse_deleted_person() returns trigger language plpgsql as $$
declare
  person uuid := (to_jsonb(new) ->> tg_argv[0])::uuid;
  deleted boolean;
begin
  -- Waits for a deletion that is under way.
  select deleted_at is not null into deleted from app_user where id = person for share;
  if deleted then
    raise exception 'person % has deleted their account', person
      using errcode = 'integrity_constraint_violation', constraint = 'person_deleted';
  end if;
  return new;
end $$;
comment on function refuse_deleted_person() is
  'Nothing becomes that of a person who has deleted their account, also when both happen at once. The argument is the column that has the person.';

create or replace trigger membership_of_present_person before insert on membership
  for each row execute function refuse_deleted_person('user_id');
create or replace trigger project_grant_of_present_person before insert on project_grant
  for each row execute function refuse_deleted_person('user_id');
create or replace trigger organization_of_present_person before insert or update of owner_user_id
  on organization for each row execute function refuse_deleted_person('owner_user_id');
create or replace trigger project_of_present_person before insert or update of owner_user_id on project
  for each row when (new.owner_user_id is not null)
  execute function refuse_deleted_person('owner_user_id');
create or replace trigger payment_method_of_present_person before insert on payment_method
  for each row execute function refuse_deleted_person('user_id');
create or replace trigger routine_of_present_person before insert or update of on_behalf_of_user_id
  on routine for each row execute function refuse_deleted_person('on_behalf_of_user_id');
create or replace trigger identity_of_present_person before insert on identity
  for each row execute function refuse_deleted_person('user_id');
create or replace trigger push_subscription_of_present_person before insert on push_subscription
  for each row execute function refuse_deleted_person('user_id');
