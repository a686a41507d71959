-- Whose open event streams are to be checked now: docs/decisions/0047-sign-in.md. The triggers that fill
-- it are in api/db/views/note_revocation.sql.
create table revocation (
  id       uuid primary key default uuid_v7(),
  user_id  uuid not null,
  noted_at timestamptz not null default clock_timestamp()
);
comment on table revocation is
  'A session, key, membership or role of a person has ended. Every process that has event streams reads the latest rows each second; they are kept for an hour.';
comment on column revocation.user_id is
  'Not a foreign key: a revocation waits for no lock on its person.';
create index revocation_noted on revocation (noted_at);
grant select, insert, delete on revocation to guildhall_app;
