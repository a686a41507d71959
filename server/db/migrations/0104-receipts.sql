-- Receipts by mail: docs/decisions/0060-invoices.md. What is due now was posted before they existed.
alter table invoice_due add column mails_receipt boolean not null default false;
alter table invoice_due alter column mails_receipt set default true;
comment on column invoice_due.mails_receipt is
  'Whether its document may be mailed; false for what was posted before receipts existed.';

alter table mail drop constraint mail_kind_check;
alter table mail add constraint mail_kind_check
  check (kind in ('workspace_invitation', 'project_invitation', 'sign_in_link',
                  'security_notice', 'spend_limit', 'receipt')) not valid;
comment on column mail.subject_id is
  'What the mail is about: the invitation, the link, the audit row of the change, the warning, or the invoice or note.';
