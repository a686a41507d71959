-- What operations on workspaces, people, invitations and projects need.

-- Prefix and substring search. A trusted extension: the owner of a database may install it.
create extension if not exists pg_trgm;

alter table organization add column admins_manage_admins boolean not null default true;
comment on column organization.admins_manage_admins is
  'Whether admins may make and unmake admins. The owner decides.';

alter table app_user add column updated_at timestamptz not null default now();

alter table membership add column updated_at timestamptz not null default now();

alter table role
  add column created_at timestamptz not null default now(),
  add column updated_at timestamptz not null default now();

alter table project
  add column default_model text,
  add column plan_approval text not null default 'required',
  add column spend_cap     bigint,
  add column archived_at   timestamptz,
  add constraint project_default_model_check check (length(default_model) between 1 and 100),
  add constraint project_plan_approval_check check (plan_approval in ('required', 'automatic')),
  add constraint project_spend_cap_check check (spend_cap > 0);
comment on column project.default_model is 'The model of a task that names none; null is the catalog''s default.';
comment on column project.plan_approval is
  '`automatic`: the agent''s plans are approved by this policy instead of a person.';
comment on column project.spend_cap is 'Micro-USD that the tasks of the project may cost in all.';
comment on column project.archived_at is 'Archived projects take no new tasks and are left out of lists.';

-- An invitation is to a workspace or to a project.
alter table invitation
  alter column organization_id drop not null,
  add column project_id uuid references project on delete cascade,
  add column updated_at timestamptz not null default now(),
  drop constraint invitation_scope_check,
  add constraint invitation_scope_check check (
    case scope when 'workspace' then organization_id is not null and project_id is null
               when 'project'   then project_id is not null and organization_id is null
               else false end);
comment on table invitation is
  'An offer of membership in a workspace, or of a role on a project. One may be pending per address and workspace or project.';
comment on column invitation.scope is '`workspace` or `project`; with role_id it refers to a role of that kind.';
create unique index invitation_one_open_of_project on invitation (project_id, lower(email))
 where status = 'pending';

create table invitation_team (
  invitation_id   uuid not null references invitation on delete cascade,
  organization_id uuid not null,
  team_id         uuid not null,
  primary key (invitation_id, team_id),
  constraint invitation_team_of_team
    foreign key (team_id, organization_id) references team (id, organization_id) on delete cascade
);
create index invitation_team_team on invitation_team (team_id, organization_id);
comment on table invitation_team is 'The teams that whoever accepts an invitation joins.';
grant select, insert, delete on invitation_team to guildhall_app;

-- The audit trail is also what happened, in order: the view `event` reads it.
alter table audit_event
  add column project_id uuid,
  add column transaction_id xid8;
alter table audit_event alter column transaction_id set default pg_current_xact_id();
comment on column audit_event.project_id is 'The project that the change is about or in, if any.';
comment on column audit_event.transaction_id is
  'Null for rows from before it was recorded. A reader that stops at pg_snapshot_xmin(pg_current_snapshot()) misses no row that commits late.';

create table mail (
  id              uuid primary key default uuid_v7(),
  kind            text not null,
  recipient       text not null,
  subject_id      uuid not null,
  generation      integer not null default 1,
  status          text not null default 'queued',
  attempts        integer not null default 0,
  next_attempt_at timestamptz default now(),
  last_error      text,
  created_at      timestamptz not null default now(),
  ended_at        timestamptz,
  constraint mail_kind_check check (kind in ('workspace_invitation', 'project_invitation', 'sign_in_link')),
  constraint mail_recipient_check check (recipient = btrim(recipient) and position('@' in recipient) > 1 and length(recipient) <= 320),
  constraint mail_status_check check (status in ('queued', 'sent', 'dead', 'obsolete')),
  constraint mail_queued_is_due check ((status = 'queued') = (next_attempt_at is not null)),
  constraint mail_queued_has_no_end check ((status = 'queued') = (ended_at is null)),
  constraint mail_attempts_check check (attempts >= 0),
  constraint mail_once unique (kind, subject_id, generation)
);
create index mail_due on mail (next_attempt_at) where status = 'queued';
create index mail_newest on mail (created_at desc, id desc);
comment on table mail is
  'Mail to send after the commit that caused it. The text is made when it is sent, from what subject_id refers to, so no link is stored.';
comment on column mail.subject_id is 'What the mail is about: the invitation.';
comment on column mail.generation is 'That of the invitation: mail of an earlier one is obsolete.';
comment on column mail.status is '`dead`: given up after the last attempt; an operator may send it again.';
grant select, insert, update on mail to guildhall_app;
