-- Servers of the Model Context Protocol that agents of a project are given.
create table project_mcp_server (
  id                 uuid primary key default gen_random_uuid(),
  project_id         uuid not null references project on delete cascade,
  name               text not null check (name ~ '^[A-Za-z0-9_-]{1,50}$'),
  url                text check (length(url) between 1 and 2000),
  host               text check (length(host) between 1 and 255 and host = lower(host)),
  port               integer check (port between 1 and 65535),
  headers            jsonb not null default '[]' check (jsonb_typeof(headers) = 'array'),
  command            text check (length(command) between 1 and 500),
  args               text[] not null default '{}' check (array_position(args, null) is null),
  env                jsonb not null default '[]' check (jsonb_typeof(env) = 'array'),
  turns              text[] not null,
  read_only          boolean not null,
  updated_at         timestamptz not null default now(),
  updated_by_user_id uuid not null references app_user,
  constraint project_mcp_server_is_one unique (project_id, name),
  constraint project_mcp_server_has_one_kind check (num_nonnulls(url, command) = 1),
  constraint project_mcp_server_address_is_whole check (num_nulls(url, host, port) in (0, 3)),
  constraint project_mcp_server_has_fields_of_its_kind
    check (case when url is null then headers = '[]' else args = '{}' and env = '[]' end),
  -- Each of the two at most once, and nothing else.
  constraint project_mcp_server_turns_are_known
    check (cardinality(turns) >= 1 and array_position(turns, null) is null
      and cardinality(turns) = ('plan' = any (turns))::integer + ('build' = any (turns))::integer),
  constraint project_mcp_server_plans_only_read check (read_only or not 'plan' = any (turns))
);
comment on table project_mcp_server is
  'A server of the Model Context Protocol that agents of a project are given: at an address, or a command of their pod.';
comment on column project_mcp_server.host is 'Of the address, as lists of hosts write it.';
comment on column project_mcp_server.headers is
  'Name and value of each. ${NAME} in a value stands for a variable of the project.';
comment on column project_mcp_server.env is 'The same for the environment of the command.';
comment on column project_mcp_server.turns is 'What gets it: turns that plan, turns that build.';
comment on column project_mcp_server.read_only is
  'Whether an admin says that it changes nothing; only then may turns that plan have it.';
create index project_mcp_server_by_user on project_mcp_server (updated_by_user_id);
grant select, insert, update, delete on project_mcp_server to guildhall_app;
