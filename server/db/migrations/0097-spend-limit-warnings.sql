-- Mail about spend limits: docs/decisions/0059-spend-limits.md.
alter table spend_limit
  add column warned_in  date,
  add column reached_in date;
comment on column spend_limit.warned_in is
  'The first day of the month for which four fifths of this amount were found to be spent.';
comment on column spend_limit.reached_in is 'The same for all of it.';

create table spend_limit_warning (
  id         uuid primary key default uuid_v7(),
  limit_id   uuid not null references spend_limit on delete cascade,
  user_id    uuid not null references app_user on delete cascade,
  month      date not null check (extract(day from month) = 1),
  level      text not null check (level in ('warned', 'reached')),
  amount     bigint not null check (amount > 0),
  created_at timestamptz not null default now(),
  constraint spend_limit_warning_once unique (limit_id, month, level, amount, user_id)
);
comment on table spend_limit_warning is
  'Mail about a limit to one person, once for each month, level and amount: the subject of the mail.';
create index spend_limit_warning_of_user on spend_limit_warning (user_id);
grant select, insert, delete on spend_limit_warning to guildhall_app;

alter table app_user add column mail_warnings boolean not null default true;
comment on column app_user.mail_warnings is
  'Whether warnings about balances are sent to them by mail, of their own and of workspaces that they administer.';

alter table mail drop constraint mail_kind_check;
alter table mail add constraint mail_kind_check
  check (kind in ('workspace_invitation', 'project_invitation', 'sign_in_link',
                  'security_notice', 'spend_limit')) not valid;
comment on column mail.subject_id is
  'What the mail is about: the invitation, the link, the audit row of the change, or the warning.';
