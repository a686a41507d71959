-- Which hosts the processes of a project may reach, by what they reach them for.

create table project_network_host (
  project_id uuid references project on delete cascade,
  purpose    text check (purpose in ('setup', 'agent', 'checks', 'deploy')),
  host       text check (length(host) between 1 and 261 and host = lower(host)),
  primary key (project_id, purpose, host),
  constraint project_network_host_is_pattern
    check (host ~ '^(\*\.)?[a-z0-9_.-]+(:(80|443))?$' and host !~ '^[0-9.]+(:[0-9]+)?$')
);
comment on table project_network_host is
  'A host that processes of the project may reach, beside those that the operator gives to all.';
comment on column project_network_host.host is
  'A name, or `*.` and a name for all below it; with a port, or for the ports 443 and 80.';
grant select, insert, update, delete on project_network_host to guildhall_app;
