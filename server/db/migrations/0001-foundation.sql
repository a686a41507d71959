-- Guildhall's first schema. Rules live here first: what a constraint can refuse, no code has to.

-- 1. Rows that are history ------------------------------------------------------------------------

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is insert-only', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;

-- 2. People and their keys ------------------------------------------------------------------------

create table app_user (
  id          uuid primary key default gen_random_uuid(),
  email       text not null check (email = btrim(email) and position('@' in email) > 1 and length(email) <= 320),
  name        text check (length(name) between 1 and 200),
  is_active   boolean not null default true,
  two_factor  boolean not null default false,
  created_at  timestamptz not null default now()
);
create unique index app_user_email_key on app_user (lower(email));

-- A key is kept as the SHA-256 of its text, so a stolen table opens nothing.
create table api_key (
  id           uuid primary key default gen_random_uuid(),
  user_id      uuid not null references app_user,
  name         text not null check (length(name) between 1 and 100),
  secret_hash  bytea not null unique check (octet_length(secret_hash) = 32),
  created_at   timestamptz not null default now(),
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz
);
create index api_key_user on api_key (user_id);

-- 3. Workspaces, roles, members -------------------------------------------------------------------

create table organization (
  id            uuid primary key default gen_random_uuid(),
  name          text not null check (length(name) between 1 and 100),
  color         text check (color ~ '^#[0-9A-Fa-f]{6}$'),
  icon          text check (length(icon) between 1 and 100),
  require_2fa   boolean not null default false,
  owner_user_id uuid not null,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now()
);

-- Built-in roles have no organization_id; a workspace's custom roles are rows of its own that act as a built-in one.
-- `owner` is here for its name and colour only: nobody can be given it (see the checks of membership).
create table role (
  id              uuid primary key default gen_random_uuid(),
  organization_id uuid references organization,
  scope           text not null check (scope in ('workspace', 'project')),
  slug            text not null check (slug ~ '^[a-z][a-z0-9_-]{0,49}$'),
  name            text not null check (length(name) between 1 and 100),
  color           text not null check (color ~ '^#[0-9A-F]{6}$'),
  acts_as         text not null check (acts_as in ('owner', 'admin', 'member', 'viewer')),
  assignable      boolean not null generated always as (acts_as <> 'owner') stored,
  unique nulls not distinct (organization_id, scope, slug),
  unique (id, scope, assignable),
  check (acts_as <> 'owner' or (organization_id is null and scope = 'workspace' and slug = 'owner'))
);
insert into role (id, scope, slug, name, color, acts_as) values
  ('00000000-0000-4000-8000-000000000001', 'workspace', 'owner',  'Owner',  '#7C3AED', 'owner'),
  ('00000000-0000-4000-8000-000000000002', 'workspace', 'admin',  'Admin',  '#2563EB', 'admin'),
  ('00000000-0000-4000-8000-000000000003', 'workspace', 'member', 'Member', '#059669', 'member'),
  ('00000000-0000-4000-8000-000000000004', 'workspace', 'viewer', 'Viewer', '#6B7280', 'viewer'),
  ('00000000-0000-4000-8000-000000000012', 'project',   'admin',  'Project admin',  '#1D4ED8', 'admin'),
  ('00000000-0000-4000-8000-000000000013', 'project',   'member', 'Project member', '#047857', 'member'),
  ('00000000-0000-4000-8000-000000000014', 'project',   'viewer', 'Project viewer', '#4B5563', 'viewer');

create function check_role_belongs() returns trigger language plpgsql as $$
declare
  belongs boolean;
begin
  if tg_table_name = 'project_grant' then
    select r.organization_id is null or r.organization_id = p.organization_id into belongs
      from role r, project p where r.id = new.role_id and p.id = new.project_id;
  else
    select r.organization_id is null or r.organization_id = new.organization_id into belongs
      from role r where r.id = new.role_id;
  end if;
  if not coalesce(belongs, true) then
    raise exception 'role % belongs to another workspace', new.role_id using errcode = 'foreign_key_violation';
  end if;
  return new;
end $$;

create table membership (
  organization_id uuid not null references organization,
  user_id         uuid not null references app_user,
  role_id         uuid not null,
  scope           text not null default 'workspace' check (scope = 'workspace'),
  assignable      boolean not null default true check (assignable),
  created_at      timestamptz not null default now(),
  primary key (organization_id, user_id),
  foreign key (role_id, scope, assignable) references role (id, scope, assignable)
);
create index membership_user on membership (user_id);
create index membership_role on membership (role_id);
create trigger membership_role_belongs before insert or update of role_id on membership
  for each row execute function check_role_belongs();

-- Exactly one owner, who is a member: by construction. The owner's own membership says `admin`, which is what
-- remains of it after a transfer.
alter table organization add constraint organization_owner_is_member
  foreign key (id, owner_user_id) references membership (organization_id, user_id) deferrable initially deferred;

-- One open invitation per workspace and address. No token is kept: it is derived from the id and the generation.
create table invitation (
  id                 uuid primary key default gen_random_uuid(),
  organization_id    uuid not null references organization,
  email              text not null check (email = btrim(email) and position('@' in email) > 1 and length(email) <= 320),
  role_id            uuid not null,
  scope              text not null default 'workspace' check (scope = 'workspace'),
  assignable         boolean not null default true check (assignable),
  status             text not null default 'pending' check (status in ('pending', 'accepted', 'declined', 'revoked')),
  generation         integer not null default 1 check (generation > 0),
  invited_by_user_id uuid references app_user,
  invited_by_name    text not null default '',
  created_at         timestamptz not null default now(),
  expires_at         timestamptz not null default now() + interval '7 days',
  foreign key (role_id, scope, assignable) references role (id, scope, assignable)
);
create unique index invitation_one_open on invitation (organization_id, lower(email)) where status = 'pending';
create index invitation_newest on invitation (organization_id, created_at desc, id desc) where status = 'pending';
create index invitation_role on invitation (role_id);
create trigger invitation_role_belongs before insert or update of role_id on invitation
  for each row execute function check_role_belongs();

-- 4. Projects, teams ------------------------------------------------------------------------------

-- Owned by a workspace, by a user, or (released, after its workspace was deleted) by nobody.
create table project (
  id              uuid primary key default gen_random_uuid(),
  organization_id uuid references organization,
  owner_user_id   uuid references app_user,
  name            text not null check (length(name) between 1 and 200),
  erp_version     text not null check (length(erp_version) between 1 and 20),
  erp_edition     text not null check (erp_edition in ('community', 'enterprise')),
  created_at      timestamptz not null default now(),
  unique (id, organization_id),
  check (num_nonnulls(organization_id, owner_user_id) <= 1)
);
create index project_organization on project (organization_id);

-- A role set for a person on a project. Whether it is an override or an outside collaboration follows from
-- membership when it is read, so a collaborator who joins the workspace needs no change here.
create table project_grant (
  project_id uuid not null references project on delete cascade,
  user_id    uuid not null references app_user,
  role_id    uuid not null,
  scope      text not null default 'project' check (scope = 'project'),
  assignable boolean not null default true check (assignable),
  created_at timestamptz not null default now(),
  primary key (project_id, user_id),
  foreign key (role_id, scope, assignable) references role (id, scope, assignable)
);
create index project_grant_user on project_grant (user_id);
create index project_grant_role on project_grant (role_id);
create trigger project_grant_role_belongs before insert or update of role_id on project_grant
  for each row execute function check_role_belongs();

-- Overrides of a member end with the membership (ruling 3.5).
create function end_overrides() returns trigger language plpgsql as $$
begin
  delete from project_grant g using project p
   where p.id = g.project_id and p.organization_id = old.organization_id and g.user_id = old.user_id;
  return null;
end $$;
create trigger membership_ends_overrides after delete on membership for each row execute function end_overrides();

create table team (
  id                   uuid primary key default gen_random_uuid(),
  organization_id      uuid not null references organization,
  name                 text not null check (length(name) between 1 and 100 and name = btrim(name)),
  add_to_new_projects  boolean not null default false,
  can_create_projects  boolean not null default false,
  can_merge_production boolean not null default false,
  can_merge_staging    boolean not null default false,
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now(),
  unique (id, organization_id)
);
create unique index team_name_taken on team (organization_id, lower(name));

create table team_member (
  team_id         uuid not null,
  organization_id uuid not null,
  user_id         uuid not null,
  primary key (team_id, user_id),
  foreign key (team_id, organization_id) references team (id, organization_id) on delete cascade,
  foreign key (organization_id, user_id) references membership (organization_id, user_id) on delete cascade
);
create index team_member_membership on team_member (organization_id, user_id);

create table team_project (
  team_id         uuid not null,
  organization_id uuid not null,
  project_id      uuid not null,
  primary key (team_id, project_id),
  foreign key (team_id, organization_id) references team (id, organization_id) on delete cascade,
  foreign key (project_id, organization_id) references project (id, organization_id)
);
create index team_project_project on team_project (project_id, organization_id);

-- `add_to_new_projects` looks forward only (ruling 4.5): it acts when a project is created, in that transaction.
create function add_teams_to_new_project() returns trigger language plpgsql as $$
begin
  insert into team_project (team_id, organization_id, project_id)
  select t.id, t.organization_id, new.id from team t
   where t.organization_id = new.organization_id and t.add_to_new_projects;
  return null;
end $$;
create trigger project_joins_teams after insert on project
  for each row when (new.organization_id is not null) execute function add_teams_to_new_project();

-- 5. Tasks and plans ------------------------------------------------------------------------------

create table task (
  id                 uuid primary key default gen_random_uuid(),
  project_id         uuid not null references project on delete cascade,
  title              text not null check (length(title) between 1 and 300),
  created_by_user_id uuid not null references app_user,
  created_at         timestamptz not null default now()
);
create index task_project on task (project_id);

-- What an agent wrote, word for word, never changed.
create table plan_revision (
  task_id    uuid not null references task,
  version    integer not null check (version > 0),
  body       text not null,
  sha256     bytea not null,
  created_at timestamptz not null default now(),
  primary key (task_id, version)
);
create function hash_plan_revision() returns trigger language plpgsql as $$
begin
  new.sha256 := sha256(convert_to(new.body, 'UTF8'));
  return new;
end $$;
create trigger plan_revision_hash before insert on plan_revision for each row execute function hash_plan_revision();
create trigger plan_revision_insert_only before update or delete on plan_revision
  for each row execute function refuse_change();

create table plan_approval (
  task_id             uuid not null,
  version             integer not null,
  approved_by_user_id uuid not null references app_user,
  approved_at         timestamptz not null default now(),
  primary key (task_id, version),
  foreign key (task_id, version) references plan_revision (task_id, version)
);
create trigger plan_approval_insert_only before update or delete on plan_approval
  for each row execute function refuse_change();

-- The plan as it stands: which revision is current, which one is approved.
create table plan (
  task_id             uuid primary key references task,
  version             integer not null,
  approved_version    integer check (approved_version <= version),
  approved_by_user_id uuid,
  approved_at         timestamptz,
  foreign key (task_id, version) references plan_revision (task_id, version),
  foreign key (task_id, approved_version) references plan_approval (task_id, version),
  check (num_nulls(approved_version, approved_by_user_id, approved_at) in (0, 3))
);
