-- A session is begun by its person's own sign-in, and its token changes whenever they prove who they are.
alter table session
  add column proven_at    timestamptz,
  add column last_seen_at timestamptz,
  add column user_agent   text check (length(user_agent) <= 300),
  add column network      text check (length(network) between 1 and 64);
comment on column session.proven_at is
  'When its person last proved who they are, with every factor that they have.';
comment on column session.user_agent is 'What the browser called itself when it signed in.';
comment on column session.network is 'The IPv4 address or /64 network of IPv6 that it signed in from.';
comment on table session is
  'A sign-in of a browser. The cookie holds the token; the table, its SHA-256.';

drop trigger session_stays on session;
create trigger session_stays before update of id, user_id, created_at, user_agent, network on session
  for each row execute function keep_columns('id', 'user_id', 'created_at', 'user_agent', 'network');

-- As in api/db/views/check_session_change.sql.
create function check_session_change() returns trigger language plpgsql as $$
begin
  if old.ended_at is not null and (new.ended_at is null or new.token_hash <> old.token_hash) then
    raise exception 'a session that has ended stays so'
      using errcode = 'integrity_constraint_violation', constraint = 'session_ended';
  end if;
  if (new.token_hash = old.token_hash) <> (new.proven_at is not distinct from old.proven_at)
     or new.pending <> old.pending and (new.pending or new.token_hash = old.token_hash)
  then
    raise exception 'a session gets a new token with each proof, and only then'
      using errcode = 'integrity_constraint_violation', constraint = 'session_token';
  end if;
  return new;
end $$;
comment on function check_session_change() is
  'A session gets a new token with each proof, and only then; one that has ended stays so.';
create trigger session_changes before update of token_hash, pending, proven_at, ended_at on session
  for each row execute function check_session_change();
