-- A statement that writes raises its refusal here instead of answering it: whatever it wrote is undone.
create function deny(reason text) returns text language plpgsql as $$
begin
  raise exception '%', reason using errcode = 'GH403';
end $$;
grant execute on function deny(text) to guildhall_app;

-- The id is no foreign key: a key of a deleted workspace keeps its scope, and so opens nothing.
alter table api_key
  add column read_only boolean not null default false,
  add column organization_id uuid;
comment on column api_key.read_only is 'The key may only read.';
comment on column api_key.organization_id is 'The key opens this workspace alone.';

create table session (
  id         uuid primary key default gen_random_uuid(),
  user_id    uuid not null references app_user,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  pending    boolean not null default true,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at   timestamptz,
  constraint session_expires_after_it_begins check (expires_at > created_at)
);
comment on table session is 'A sign-in of a browser. The cookie holds the token; the table, its SHA-256.';
comment on column session.pending is 'The second factor is still missing: the session opens nothing.';
create index session_of_user on session (user_id);
create trigger session_stays before update of id, user_id, token_hash, created_at on session
  for each row execute function keep_columns('id', 'user_id', 'token_hash', 'created_at');
grant select, insert, update on session to guildhall_app;

alter table audit_event add column session_id uuid;
