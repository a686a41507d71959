-- Connections to Odoo: docs/decisions/0065-odoo-connections.md.
create table odoo_connection (
  id                uuid primary key default gen_random_uuid(),
  project_id        uuid not null references project on delete cascade,
  name              text not null check (length(name) between 1 and 100),
  url               text not null check (length(url) between 1 and 2000),
  database          text check (length(database) between 1 and 100),
  login             text check (length(login) between 1 and 254),
  kind              text not null check (kind in ('api_key', 'password')),
  environment       text not null check (environment in ('production', 'staging', 'development')),
  agent_access      text not null default 'read' check (agent_access in ('none', 'read', 'write')),
  production_write_allowed_at timestamptz,
  secret            bytea,
  secret_key_id     text check (length(secret_key_id) = 16),
  secret_set_at     timestamptz,
  secret_expires_at timestamptz,
  erp_version       text check (length(erp_version) between 1 and 50),
  edition           text not null default 'unknown'
                    check (edition in ('community', 'enterprise', 'unknown')),
  last_probe        jsonb not null,
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now(),
  constraint odoo_connection_of_project unique (project_id, id),
  constraint odoo_connection_name_is_name check (is_name(name)),
  -- An address and nothing else: no credential, query or fragment.
  constraint odoo_connection_url_is_address
    check (url ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*)?$'),
  constraint odoo_connection_secret_is_whole
    check (num_nulls(secret, secret_key_id, secret_set_at) in (0, 3)),
  constraint odoo_connection_production_write
    check ((environment = 'production' and agent_access = 'write')
           = (production_write_allowed_at is not null))
);
create unique index odoo_connection_name_taken
  on odoo_connection (project_id, name_key(name) collate "C");
create index odoo_connection_expires on odoo_connection (secret_expires_at)
  where secret_expires_at is not null;
comment on table odoo_connection is
  'An Odoo that tasks of a project may use, with its sealed credential. It belongs to the project and stays when that is given to another owner.';
comment on column odoo_connection.production_write_allowed_at is
  'When an admin of the project let agents write to this production database. Set by that act alone.';
comment on column odoo_connection.secret is
  'AES-256-GCM: nonce, ciphertext and tag, bound to this row, its project and the origin of its address.';
comment on column odoo_connection.secret_key_id is 'Which key of the servers opens the secret.';
comment on column odoo_connection.secret_expires_at is
  'As the server said when it was last asked, or as people wrote it.';
comment on column odoo_connection.last_probe is 'What the server answered when it was last asked, and when.';

create table task_odoo_connection (
  task_id              uuid not null,
  project_id           uuid not null,
  connection_id        uuid not null,
  activated_by_user_id uuid not null references app_user,
  activated_at         timestamptz not null default now(),
  primary key (task_id, connection_id),
  constraint task_odoo_connection_of_task
    foreign key (task_id, project_id) references task (id, project_id) on delete cascade,
  constraint task_odoo_connection_of_connection
    foreign key (project_id, connection_id) references odoo_connection (project_id, id)
    on delete cascade
);
create index task_odoo_connection_by_connection on task_odoo_connection (connection_id);
create index task_odoo_connection_by_user on task_odoo_connection (activated_by_user_id);
comment on table task_odoo_connection is
  'That the agent of a task may use a connection of its project, through the gateway of the worker.';

-- As in api/db/views/end_production_write.sql.
create function end_production_write() returns trigger language plpgsql as $$
begin
  update odoo_connection c
     set agent_access = 'read', production_write_allowed_at = null,
         updated_at = greatest(clock_timestamp(), c.updated_at + interval '1 microsecond')
   where c.project_id = new.id and c.production_write_allowed_at is not null;
  return null;
end $$;
create trigger project_leaves_production_write after update of organization_id, owner_user_id on project
  for each row when ((old.organization_id, old.owner_user_id)
                     is distinct from (new.organization_id, new.owner_user_id))
  execute function end_production_write();

grant select, insert, update, delete on odoo_connection, task_odoo_connection to guildhall_app;
