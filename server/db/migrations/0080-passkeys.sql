-- Passkeys, and the challenges that they sign (docs/decisions/0051-passkeys.md).
create table passkey (
  id            uuid primary key default gen_random_uuid(),
  user_id       uuid not null references app_user,
  credential_id bytea not null check (octet_length(credential_id) between 1 and 1023),
  public_key    bytea not null check (octet_length(public_key) between 1 and 2048),
  counter       bigint not null check (counter >= 0),
  transports    text[] not null,
  backed_up     boolean not null,
  name          text not null check (length(name) between 1 and 100),
  created_at    timestamptz not null default now(),
  last_used_at  timestamptz,
  constraint passkey_name_is_name check (is_name(name))
);
-- Named like the error that it is answered with.
create unique index passkey_known on passkey (credential_id);
create index passkey_of_user on passkey (user_id, created_at);
create trigger passkey_stays
  before update of id, user_id, credential_id, public_key, created_at on passkey
  for each row
  execute function keep_columns('id', 'user_id', 'credential_id', 'public_key', 'created_at');
comment on table passkey is 'A credential of WebAuthn with which a person signs in.';
comment on column passkey.public_key is 'In COSE.';
comment on column passkey.counter is
  'How often its device has signed. One that goes back is a copy; devices that do not count send 0.';
comment on column passkey.backed_up is 'Whether it is kept in more than one device.';

-- As in api/db/views/check_passkey_counter.sql.
create function check_passkey_counter() returns trigger language plpgsql as $$
begin
  if new.counter < old.counter or new.counter = old.counter and new.counter > 0 then
    raise exception 'the counter of a passkey rises'
      using errcode = 'integrity_constraint_violation', constraint = 'passkey_counter_rises';
  end if;
  return new;
end $$;
comment on function check_passkey_counter() is
  'The counter of a passkey rises with each use, or stays at 0.';
create trigger passkey_counter before update of counter on passkey
  for each row execute function check_passkey_counter();

create table passkey_challenge (
  challenge  bytea primary key check (octet_length(challenge) = 32),
  purpose    text not null check (purpose in ('register', 'sign_in', 'second_factor', 'proof')),
  session_id uuid references session,
  expires_at timestamptz not null,
  constraint passkey_challenge_of_session check ((session_id is null) = (purpose = 'sign_in'))
);
create index passkey_challenge_session on passkey_challenge (session_id);
create index passkey_challenge_expires on passkey_challenge (expires_at);
comment on table passkey_challenge is
  'What a passkey is asked to sign. It is deleted with the first answer, right or wrong.';

grant select, insert, update, delete on passkey to guildhall_app;
grant select, insert, update, delete on passkey_challenge to guildhall_app;
