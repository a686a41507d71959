-- People open, restart and reset throwaway Odoos, and read their logs and mails.

alter table erp_instance
  add column asked text check (asked in ('restart', 'reset')),
  add column entry_url text check (length(entry_url) between 1 and 500);
comment on column erp_instance.entry_url is
  'Where a link signs people in; null if people sign in by themselves, or do not reach it.';
comment on column erp_instance.asked is
  'What a person has asked for that a worker has not done yet: it is started again, with its database or with a new one.';

create table erp_instance_visit (
  id uuid primary key default uuid_v7(),
  instance_id uuid not null references erp_instance on delete cascade,
  user_id uuid not null references app_user,
  ticket_hash bytea not null unique check (length(ticket_hash) = 32),
  session_hash bytea unique check (length(session_hash) = 32),
  created_at timestamptz not null default now(),
  opened_at timestamptz,
  constraint erp_instance_visit_is_opened_completely
    check ((session_hash is null) = (opened_at is null))
);
create index erp_instance_visit_of_instance on erp_instance_visit (instance_id, id);
create index erp_instance_visit_of_user on erp_instance_visit (user_id);
comment on table erp_instance_visit is
  'A link that lets a person into an ERP instance once, and then what their browser is known by there. It ends with the instance, and with what the person may do.';
comment on column erp_instance_visit.ticket_hash is 'SHA-256 of what the link has.';
comment on column erp_instance_visit.session_hash is 'SHA-256 of the cookie.';

create table erp_instance_log (
  instance_id uuid primary key references erp_instance on delete cascade,
  text text not null check (length(text) <= 66000),
  updated_at timestamptz not null default now()
);
comment on table erp_instance_log is
  'The end of what the program of an ERP instance has printed, as its worker has read it last.';

create table erp_instance_mail (
  id uuid primary key default uuid_v7(),
  instance_id uuid not null references erp_instance on delete cascade,
  received_at timestamptz not null default now(),
  sender text not null check (length(sender) <= 500),
  recipients text[] not null check (cardinality(recipients) <= 50),
  subject text not null check (length(subject) <= 1000),
  text text not null check (length(text) <= 16000)
);
create index erp_instance_mail_of_instance on erp_instance_mail (instance_id, id);
comment on table erp_instance_mail is
  'A mail that an ERP instance wanted to send. Nobody gets it; the newest of an instance are kept.';

grant select, insert, update on erp_instance_visit, erp_instance_log to guildhall_app;
grant select, insert on erp_instance_mail to guildhall_app;
grant delete on erp_instance_visit, erp_instance_log, erp_instance_mail to guildhall_app;
