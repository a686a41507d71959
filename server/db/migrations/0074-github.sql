-- Installations of the GitHub App, who may use them, and what GitHub has sent
-- (docs/decisions/0043-github.md).
create table github_installation (
  id                   bigint primary key check (id > 0),
  account_login        text not null check (length(account_login) between 1 and 100),
  account_type         text not null check (account_type in ('User', 'Organization', 'Enterprise')),
  repository_selection text not null check (repository_selection in ('all', 'selected')),
  permissions          jsonb not null check (jsonb_typeof(permissions) = 'object'),
  suspended_at         timestamptz,
  deleted_at           timestamptz,
  looked_at            timestamptz not null default now(),
  created_at           timestamptz not null default now()
);
comment on table github_installation is
  'Where the GitHub App is installed, as GitHub said when it was last looked at.';
comment on column github_installation.id is 'The id that GitHub gave it.';
comment on column github_installation.permissions is 'By name: read, write or admin.';

create table github_connection (
  id                   uuid primary key default gen_random_uuid(),
  installation_id      bigint not null references github_installation,
  organization_id      uuid references organization on delete cascade,
  user_id              uuid references app_user on delete cascade,
  created_at           timestamptz not null default now(),
  constraint github_connection_of_one check (num_nonnulls(organization_id, user_id) = 1)
);
create unique index github_connection_of_workspace
  on github_connection (organization_id, installation_id);
create unique index github_connection_of_user on github_connection (user_id, installation_id);
create index github_connection_installation on github_connection (installation_id);
comment on table github_connection is
  'That a workspace, or a person for personal projects, may use an installation.';

create table github_delivery (
  id              uuid primary key,
  event           text not null check (length(event) between 1 and 100),
  action          text check (length(action) between 1 and 100),
  installation_id bigint,
  repository_id   bigint,
  subject         jsonb not null default '{}',
  received_at     timestamptz not null default now(),
  not_before      timestamptz not null default now(),
  attempts        integer not null default 0 check (attempts >= 0),
  done_at         timestamptz,
  last_error      text check (length(last_error) between 1 and 500)
);
create index github_delivery_due on github_delivery (not_before) where done_at is null;
create index github_delivery_received on github_delivery (received_at);
comment on table github_delivery is
  'What a webhook of GitHub was about, so that a worker looks at it; not what it said.';
comment on column github_delivery.id is 'The id that GitHub gave the delivery: it counts once.';
comment on column github_delivery.subject is
  'What the event names in the repository: numbers of pull requests, commits, branches.';

create table github_rate_limit (
  installation_id bigint primary key check (installation_id >= 0),
  until           timestamptz not null,
  refusals        integer not null default 0 check (refusals >= 0),
  refused_at      timestamptz
);
comment on table github_rate_limit is
  'Until when GitHub may not be asked for an installation; 0 is the App itself.';
comment on column github_rate_limit.refusals is 'How often in a row it has refused.';

-- Members of an Enterprise have logins such as octocat_acme.
alter table repository
  drop constraint repository_name_of_host,
  add constraint repository_name_of_host check (case host
    when 'local'  then full_name ~ '^[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9_-])?$'
                       and full_name !~ '\.\.' and full_name !~ '\.(git|lock)$'
    when 'github' then full_name ~ '^[A-Za-z0-9_-]{1,39}/[A-Za-z0-9._-]{1,100}$' end) not valid,
  add column unavailable_reason text check (unavailable_reason in
    ('installation_gone', 'installation_suspended', 'permission_missing', 'repository_gone')),
  add column looked_at timestamptz not null default now(),
  add column updated_at timestamptz not null default now(),
  add constraint repository_installation foreign key (installation_id)
    references github_installation not valid,
  add constraint repository_unavailable_on_host
    check (unavailable_reason is null or host = 'github') not valid;
alter table repository validate constraint repository_name_of_host;
alter table repository validate constraint repository_installation;
alter table repository validate constraint repository_unavailable_on_host;
comment on column repository.unavailable_reason is
  'Why GitHub does not let this server use it, since it was last looked at.';
create index repository_installation on repository (installation_id);

-- Two repositories on GitHub can swap their names: there the id tells them apart.
drop index repository_name_taken;
create unique index repository_name_taken on repository (project_id, lower(full_name))
  where host = 'local';
-- Named like the error that it is answered with.
alter index repository_of_host rename to repository_attached;

grant select, insert, update on github_installation to guildhall_app;
grant select, insert, update, delete on github_connection, github_delivery, github_rate_limit
  to guildhall_app;
