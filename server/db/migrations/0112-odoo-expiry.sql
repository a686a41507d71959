-- Warnings before the secret of a connection expires: docs/decisions/0065-odoo-connections.md.
alter table odoo_connection
  add column warned_of_expiry  timestamptz,
  add column noted_as_expired  timestamptz;
comment on column odoo_connection.warned_of_expiry is
  'The expiry that people were warned of; another one is another warning.';
comment on column odoo_connection.noted_as_expired is 'The expiry that people were told had come.';

create table odoo_expiry_warning (
  id            uuid primary key default uuid_v7(),
  connection_id uuid not null references odoo_connection on delete cascade,
  user_id       uuid not null references app_user on delete cascade,
  level         text not null check (level in ('expires', 'expired')),
  expires_at    timestamptz not null,
  created_at    timestamptz not null default now(),
  constraint odoo_expiry_warning_once unique (connection_id, expires_at, level, user_id)
);
comment on table odoo_expiry_warning is
  'Mail to one person that the secret of a connection expires, once for each expiry and level: the subject of the mail.';
create index odoo_expiry_warning_of_user on odoo_expiry_warning (user_id);
grant select, insert, delete on odoo_expiry_warning to guildhall_app;

alter table mail drop constraint mail_kind_check;
alter table mail add constraint mail_kind_check
  check (kind in ('workspace_invitation', 'project_invitation', 'sign_in_link', 'security_notice',
                  'spend_limit', 'receipt', 'billing_notice', 'odoo_expiry')) not valid;
