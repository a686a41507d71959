-- Tables that grow without end get ids that begin with the time. Rows that exist keep theirs.
-- The function is defined in api/db/views/uuid_v7.sql; this first text of it is replaced right after the migrations.
create function uuid_v7() returns uuid language sql volatile parallel safe as 'select gen_random_uuid()';

alter table audit_event alter column id set default uuid_v7();
alter table ledger_transfer alter column id set default uuid_v7();
alter table outbox alter column id set default uuid_v7();
alter table usage_event alter column id set default uuid_v7();
