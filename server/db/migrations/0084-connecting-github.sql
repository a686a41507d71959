-- Browsers that were sent to GitHub to install the App (docs/decisions/0054-connecting-github.md).
alter table provider_attempt
  add column organization_id uuid references organization on delete cascade,
  add column installation_id bigint check (installation_id > 0);
create index provider_attempt_organization on provider_attempt (organization_id);
comment on column provider_attempt.organization_id is
  'The workspace that the installation is for; null for the person.';
comment on column provider_attempt.installation_id is
  'What the browser said was installed. It proves nothing until GitHub says so to the person.';
