-- People hear by mail that something was changed by which they, or others, sign in as them.
alter table mail drop constraint mail_kind_check;
alter table mail add constraint mail_kind_check check
  (kind in ('workspace_invitation', 'project_invitation', 'sign_in_link', 'security_notice')) not valid;
comment on column mail.subject_id is
  'What the mail is about: the invitation, the link, or the audit row of the change.';

-- As in api/db/views/queue_security_notice.sql.
create function queue_security_notice() returns trigger language plpgsql as $$
begin
  insert into mail (kind, recipient, subject_id)
  select 'security_notice', u.email, new.id
    from app_user u
   where u.id = case when new.action = 'user.reset_two_factor' then new.target_id::uuid
                     else new.actor_user_id end
     and u.is_active
     and u.created_at < now();
  return null;
end $$;
comment on function queue_security_notice() is
  'Queues a mail to the person whose sign-in was changed, in the same transaction; but not about what they set while they sign up.';
-- What is done with an API key or by the command line is not about a browser's session.
create trigger audit_event_warns after insert on audit_event for each row
  when (new.outcome = 'done' and (
    new.action = 'user.reset_two_factor'
    or new.session_id is not null and new.action in (
      'password.set', 'totp.enable', 'totp.disable', 'recovery_codes.renew', 'passkey.create',
      'passkey.delete', 'key.create', 'identity.create', 'identity.delete')))
  execute function queue_security_notice();
