create table sign_in_link (
  id         uuid primary key default gen_random_uuid(),
  user_id    uuid not null references app_user,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at   timestamptz,
  session_id uuid unique references session,
  constraint sign_in_link_expires_after_it_begins check (expires_at > created_at),
  constraint sign_in_link_ends_when_used check (session_id is null or ended_at is not null)
);
comment on table sign_in_link is
  'A link that signs one person in, once. The link holds the token; the table, its SHA-256.';
comment on column sign_in_link.ended_at is
  'When it was used, was replaced by a newer link, or its user was deactivated.';
comment on column sign_in_link.session_id is 'The session that it began.';
create index sign_in_link_of_user on sign_in_link (user_id);
create unique index sign_in_link_open on sign_in_link (user_id) where ended_at is null;
create trigger sign_in_link_stays before update of id, user_id, token_hash, created_at, expires_at
  on sign_in_link for each row
  execute function keep_columns('id', 'user_id', 'token_hash', 'created_at', 'expires_at');
grant select, insert, update on sign_in_link to guildhall_app;
