-- Dumps of Odoo databases, from which the throwaway Odoos of a project start.

create table odoo_dump (
  id uuid primary key default gen_random_uuid(),
  project_id uuid not null references project on delete cascade,
  uploaded_by_user_id uuid not null references app_user,
  production boolean not null,
  approved_by_user_id uuid references app_user,
  approved_by_kind text not null default 'person' check (approved_by_kind = 'person'),
  erp_version text not null check (length(erp_version) between 1 and 20),
  size bigint not null check (size > 0),
  unpacked_size bigint not null check (unpacked_size > 0),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  storage_key text not null check (storage_key ~ '^[0-9a-f-]{36}/[0-9a-f-]{36}$'),
  state text not null default 'preparing' check (state in ('preparing', 'ready', 'failed')),
  reason text check (length(reason) between 1 and 1000),
  created_at timestamptz not null default now(),
  prepared_at timestamptz,
  owner text check (length(owner) between 1 and 200),
  lease_until timestamptz,
  not_before timestamptz not null default now(),
  attempt integer not null default 0 check (attempt >= 0),
  constraint odoo_dump_of_project unique (project_id),
  constraint odoo_dump_stored_once unique (storage_key),
  constraint odoo_dump_of_production_is_approved check (production = (approved_by_user_id is not null)),
  constraint odoo_dump_is_approved_by_person
    foreign key (approved_by_user_id, approved_by_kind) references app_user (id, kind),
  constraint odoo_dump_failed_for_a_reason check ((state = 'failed') = (reason is not null)),
  constraint odoo_dump_ready_once_prepared check (state <> 'ready' or prepared_at is not null),
  constraint odoo_dump_is_leased_completely check ((owner is null) = (lease_until is null)),
  constraint odoo_dump_leased_while_preparing check (state = 'preparing' or owner is null)
);
create index odoo_dump_preparing on odoo_dump (not_before) where state = 'preparing';
create index odoo_dump_uploaded_by on odoo_dump (uploaded_by_user_id);
create index odoo_dump_approved_by on odoo_dump (approved_by_user_id);
comment on table odoo_dump is
  'The backup of an Odoo database from which the ERP instances of a project start, once a worker has restored and neutralised it. A project has at most one.';
comment on column odoo_dump.production is 'Whether it is a copy of a production system.';
comment on column odoo_dump.approved_by_user_id is
  'The person who has said that a copy of a production system may be used.';
comment on column odoo_dump.approved_by_kind is
  'Constant: with approved_by_user_id it refers to a person.';
comment on column odoo_dump.erp_version is 'As its manifest has it.';
comment on column odoo_dump.unpacked_size is 'What its files take up unpacked, in bytes.';
comment on column odoo_dump.state is
  'ready: the database that instances are copied from is there, and was checked. It is preparing again where that is lost.';
comment on column odoo_dump.owner is 'The worker that prepares it, until lease_until; then any other.';
comment on column odoo_dump.not_before is 'When a worker may try again what has failed.';
comment on column odoo_dump.attempt is 'How often a worker has begun to prepare it.';

create trigger odoo_dump_stored after insert on odoo_dump
  referencing new table as changed for each statement execute function count_stored_files();
create trigger odoo_dump_deleted after delete on odoo_dump
  referencing old table as changed for each statement execute function count_stored_files();
create trigger odoo_dump_stays before update on odoo_dump
  for each row execute function keep_columns(
    'id', 'project_id', 'uploaded_by_user_id', 'production', 'approved_by_user_id', 'erp_version',
    'size', 'unpacked_size', 'sha256', 'storage_key', 'created_at');
create trigger odoo_dump_stays_failed before update of state on odoo_dump
  for each row when (old.state = 'failed') execute function keep_columns('state');

grant select, insert, delete,
      update (state, reason, prepared_at, owner, lease_until, not_before, attempt)
   on odoo_dump to guildhall_app;

alter table erp_instance
  add column data text check (data in ('empty', 'demo', 'dump'));
comment on column erp_instance.data is
  'What its database began with; null until it was ready, and where its program does not say.';
