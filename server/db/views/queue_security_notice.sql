create or replace function queue_security_notice() returns trigger language plpgsql as $$
begin
  insert into mail (kind, recipient, subject_id)
  select 'security_notice', u.email, new.id
    from app_user u
   where u.id = case when new.action in ('user.reset_two_factor', 'sign_in_link.create')
                     then new.target_id::uuid else new.actor_user_id end
     and u.is_active
     and u.created_at < now();
  return null;
end $$;
comment on function queue_security_notice() is
  'Queues a mail to the person whose sign-in was changed, in the same transaction; but not about what they set while they sign up.';
