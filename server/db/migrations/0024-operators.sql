-- Operators: people who may call /api/operator, and what they are shown.

create table operator (
  user_id    uuid primary key,
  user_kind  text not null default 'person' check (user_kind = 'person'),
  created_at timestamptz not null default now(),
  constraint operator_is_person foreign key (user_id, user_kind) references app_user (id, kind)
);
comment on table operator is
  'People who operate this server. The command line adds them; a deactivation removes them for good.';
comment on column operator.user_kind is 'Constant: with user_id it refers to a person.';
grant select, insert, delete on operator to guildhall_app;
-- FOR SHARE and FOR UPDATE need the right to update; no column ever changes.
grant update on operator to guildhall_app;
create trigger operator_stays before update on operator
  for each row execute function keep_columns('user_id', 'user_kind', 'created_at');

alter table audit_event add column for_operators boolean not null default false;
comment on column audit_event.for_operators is
  'Whether operators see it: done or tried under /api/operator, or done on the command line.';

-- A link that an operator has seen opens an account: its person is told.
drop trigger audit_event_warns on audit_event;
create trigger audit_event_warns after insert on audit_event
  for each row
  when (new.outcome = 'done'
        and (new.action = 'user.reset_two_factor'
             or new.session_id is not null
                and (new.action in ('password.set', 'totp.enable', 'totp.disable',
                                    'recovery_codes.renew', 'passkey.create', 'passkey.delete',
                                    'key.create', 'identity.create', 'identity.delete')
                     or new.action = 'sign_in_link.create' and new.for_operators)))
  execute function queue_security_notice();

alter table task_worker
  add column version text check (length(version) between 1 and 50),
  add column host text check (length(host) between 1 and 255),
  add column driver text check (length(driver) between 1 and 50);
comment on column task_worker.version is 'Of the program; null of one before 0.1.0.';
comment on column task_worker.host is 'What its machine or container calls itself.';
comment on column task_worker.driver is 'What its pods are made of.';
