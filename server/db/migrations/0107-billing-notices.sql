-- Mail about balances and cards: docs/decisions/0062-monthly-report.md.
create table billing_notice (
  id                uuid primary key default uuid_v7(),
  kind              text not null check (kind in ('auto_reload_failed', 'low_balance', 'card_expiring', 'card_expired')),
  user_id           uuid not null references app_user on delete cascade,
  account_id        uuid not null references billing_account,
  occasion          text not null check (length(occasion) between 1 and 200),
  top_up_id         uuid references top_up,
  payment_method_id text references payment_method,
  expires_at        timestamptz,
  threshold         bigint,
  created_at        timestamptz not null default now(),
  constraint billing_notice_once unique (kind, occasion, user_id)
);
comment on table billing_notice is
  'Mail to one person about a balance or a card, once for each occasion: the subject of the mail.';
comment on column billing_notice.account_id is 'The balance that it is about.';
comment on column billing_notice.occasion is
  'The charge that failed, the posting after which the balance was low, or the card with its expiry.';
comment on column billing_notice.expires_at is 'When the card ends, as it was then.';
comment on column billing_notice.threshold is 'Micro-USD that the balance fell below.';
create index billing_notice_of_user on billing_notice (user_id);
create index billing_notice_of_account on billing_notice (account_id);
create index billing_notice_of_top_up on billing_notice (top_up_id);
create index billing_notice_of_card on billing_notice (payment_method_id);
grant select, insert on billing_notice to guildhall_app;

alter table mail drop constraint mail_kind_check;
alter table mail add constraint mail_kind_check
  check (kind in ('workspace_invitation', 'project_invitation', 'sign_in_link',
                  'security_notice', 'spend_limit', 'receipt', 'billing_notice')) not valid;
comment on column mail.subject_id is
  'What the mail is about: the invitation, the link, the audit row of the change, the warning, the invoice or note, or the notice.';
