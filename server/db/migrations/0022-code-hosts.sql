-- Gitea and Forgejo beside GitHub: a workspace connects such a server with a token.

create table gitea_connection (
  id                 uuid primary key default gen_random_uuid(),
  organization_id    uuid not null references organization on delete cascade,
  url                text not null
    check (length(url) between 8 and 500 and url ~ '^https?://[^/[:space:]]' and url !~ '/$'),
  token              bytea not null check (octet_length(token) between 32 and 4096),
  token_key_id       text not null check (length(token_key_id) = 16),
  created_at         timestamptz not null default now(),
  updated_at         timestamptz not null default now(),
  constraint gitea_connection_once unique (organization_id, url)
);
comment on table gitea_connection is
  'A Gitea or Forgejo server whose repositories the projects of a workspace may use.';
comment on column gitea_connection.url is 'Where it is, without a slash at the end.';
comment on column gitea_connection.token is
  'AES-256-GCM: the access token, bound to the row and the address.';
comment on column gitea_connection.token_key_id is 'Which key of the servers opens it.';
grant select, insert, update, delete on gitea_connection to guildhall_app;

alter table repository
  add column connection_id uuid references gitea_connection on delete set null,
  add column host_url text check (length(host_url) between 8 and 500);
comment on column repository.connection_id is
  'What opens one on Gitea; null when the connection was removed, until there is one to the same server.';
comment on column repository.host_url is 'The address of its Gitea, as in gitea_connection.';
create index repository_connection on repository (connection_id);

alter table repository
  drop constraint repository_host_check,
  drop constraint repository_id_of_host,
  drop constraint repository_name_of_host,
  drop constraint repository_unavailable_on_host,
  drop constraint repository_unavailable_reason_check,
  add constraint repository_host_check check (host in ('local', 'github', 'gitea')),
  add constraint repository_id_of_host check (
    (host <> 'local') = (host_repository_id is not null)
    and (host = 'github') = (installation_id is not null)
    and (host = 'gitea') = (host_url is not null)
    and (host = 'gitea' or connection_id is null)),
  add constraint repository_name_of_host check (
    case host
      when 'local' then full_name ~ '^[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9_-])?$'
                        and full_name !~ '\.\.' and full_name !~ '\.(git|lock)$'
      when 'github' then full_name ~ '^[A-Za-z0-9_-]{1,39}/[A-Za-z0-9._-]{1,100}$'
      when 'gitea' then full_name ~ '^[A-Za-z0-9_][A-Za-z0-9._-]{0,39}/[A-Za-z0-9._-]{1,100}$'
    end),
  add constraint repository_unavailable_on_host check (unavailable_reason is null or host <> 'local'),
  add constraint repository_unavailable_reason_check check (
    unavailable_reason in ('installation_gone', 'installation_suspended', 'permission_missing',
                           'repository_gone', 'token_refused'));

create index repository_of_project on repository (project_id);

-- Each Gitea numbers its repositories from one on.
drop index repository_attached;
create unique index repository_attached
  on repository (project_id, host_repository_id, coalesce(host_url, ''));

create table gitea_webhook (
  repository_id uuid primary key references repository on delete cascade,
  host_hook_id  bigint check (host_hook_id > 0),
  secret        bytea not null check (octet_length(secret) between 32 and 4096),
  secret_key_id text not null check (length(secret_key_id) = 16),
  not_before    timestamptz not null default now(),
  last_error    text check (length(last_error) between 1 and 500)
);
comment on table gitea_webhook is
  'The webhook that this server has registered in a repository on Gitea. It only says that something may have changed.';
comment on column gitea_webhook.host_hook_id is 'The id that Gitea gave it; null until it has.';
comment on column gitea_webhook.secret is 'AES-256-GCM: signs what it sends; bound to the repository.';
comment on column gitea_webhook.secret_key_id is 'Which key of the servers opens it.';
comment on column gitea_webhook.not_before is 'When it is registered, or that is tried again.';
create index gitea_webhook_due on gitea_webhook (not_before) where host_hook_id is null;
grant select, insert, update, delete on gitea_webhook to guildhall_app;
