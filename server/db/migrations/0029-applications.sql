-- Connected applications: programs that a person lets in by OAuth. Each is a key of that person, whose
-- secret is a short-lived access token that the application renews.

create table oauth_client (
  id            uuid primary key default gen_random_uuid(),
  name          text not null check (length(name) between 1 and 100 and is_name(name)),
  redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 5),
  created_at    timestamptz not null default now()
);
comment on table oauth_client is
  'A program that has registered itself to be connected (RFC 7591). It has no secret; nobody has checked what it says of itself.';
create index oauth_client_created on oauth_client (created_at);
create trigger oauth_client_stays before update on oauth_client
  for each row execute function keep_columns('id', 'name', 'redirect_uris', 'created_at');
grant select, insert, update, delete on oauth_client to guildhall_app;

alter table api_key
  add column oauth_client_id uuid references oauth_client,
  add constraint api_key_of_application_expires
    check (oauth_client_id is null or user_kind = 'person' and expires_at is not null),
  add constraint api_key_of_application unique (id, oauth_client_id);
comment on column api_key.oauth_client_id is
  'The connected application that has this key. Its secret is an access token: it opens /mcp alone, and is replaced when it is renewed.';
create index api_key_of_oauth_client on api_key (oauth_client_id);
drop trigger api_key_stays on api_key;
create trigger api_key_stays before update of id, user_id, created_at, oauth_client_id on api_key
  for each row execute function keep_columns('id', 'user_id', 'created_at', 'oauth_client_id');
create trigger api_key_keeps_secret before update of secret_hash on api_key
  for each row when (old.oauth_client_id is null) execute function keep_columns('secret_hash');

create table oauth_connection (
  key_id          uuid primary key,
  oauth_client_id uuid not null,
  redirect_uri    text not null check (length(redirect_uri) between 1 and 500),
  code_hash       bytea not null unique check (octet_length(code_hash) = 32),
  code_challenge  bytea not null check (octet_length(code_challenge) = 32),
  redeemed_at     timestamptz,
  family_hash     bytea unique check (octet_length(family_hash) = 32),
  refresh_hash    bytea check (octet_length(refresh_hash) = 32),
  expires_at      timestamptz,
  previous_hash   bytea check (octet_length(previous_hash) = 32),
  rotated_at      timestamptz,
  constraint oauth_connection_of_key
    foreign key (key_id, oauth_client_id) references api_key (id, oauth_client_id),
  constraint oauth_connection_is_whole
    check (num_nulls(redeemed_at, family_hash, refresh_hash, expires_at) in (0, 4)),
  constraint oauth_connection_has_turned
    check (num_nulls(previous_hash, rotated_at) in (0, 2) and (rotated_at is null or redeemed_at is not null))
);
comment on table oauth_connection is
  'How the key of a connected application began, and how it is renewed. Of codes and tokens it has the SHA-256 alone.';
comment on column oauth_connection.code_challenge is 'The SHA-256 of what redeems the code (PKCE, S256).';
comment on column oauth_connection.redeemed_at is 'When the code was exchanged for tokens, which it is once.';
comment on column oauth_connection.family_hash is 'Of the part that all refresh tokens of this connection share.';
comment on column oauth_connection.refresh_hash is 'Of the refresh token that is valid now.';
comment on column oauth_connection.expires_at is 'When that ends; each renewal begins a new time.';
comment on column oauth_connection.previous_hash is
  'Of the refresh token before it, which gets the same answer for a moment: an answer may be lost, and two windows may ask at once.';
create trigger oauth_connection_stays before update of key_id, oauth_client_id, redirect_uri, code_hash, code_challenge, family_hash
  on oauth_connection for each row when (old.redeemed_at is not null)
  execute function keep_columns('key_id', 'oauth_client_id', 'redirect_uri', 'code_hash', 'code_challenge', 'family_hash');
create trigger oauth_connection_is_redeemed_once before update of redeemed_at on oauth_connection
  for each row when (old.redeemed_at is not null) execute function keep_columns('redeemed_at');
grant select, insert, update, delete on oauth_connection to guildhall_app;

-- A person is told of it by mail, as of a new key.
drop trigger audit_event_warns on audit_event;
create trigger audit_event_warns
  after insert on audit_event
  for each row
  when (new.outcome = 'done' and (
    new.action = 'user.reset_two_factor'
    or new.session_id is not null and (
      new.action in ('password.set', 'totp.enable', 'totp.disable', 'recovery_codes.renew',
                     'passkey.create', 'passkey.delete', 'key.create', 'application.connect',
                     'identity.create', 'identity.delete')
      or new.action = 'sign_in_link.create' and new.for_operators)))
  execute function queue_security_notice();
