-- Passwords, and links that set one. A link to sign up is for an address that has no user yet.
create table password (
  user_id uuid primary key references app_user,
  phc     text not null check (phc like '$argon2id$%' and length(phc) <= 300),
  set_at  timestamptz not null default now()
);
comment on table password is 'The passwords of people, hashed by Argon2id in the PHC string format.';
grant select, insert, update, delete on password to guildhall_app;

alter table sign_in_link
  add column purpose text not null default 'sign_in'
    check (purpose in ('sign_in', 'sign_up', 'reset')),
  add column email text,
  alter column user_id drop not null,
  add constraint sign_in_link_is_for_one check
    ((purpose = 'sign_up') = (user_id is null) and (purpose = 'sign_up') = (email is not null))
    not valid;
comment on column sign_in_link.purpose is
  '`sign_in` begins a session, `sign_up` makes a user, `reset` sets a password first.';
comment on column sign_in_link.email is 'The address that signs up: there is no user yet.';

drop index sign_in_link_open;
create unique index sign_in_link_open on sign_in_link (user_id, purpose) where ended_at is null;
create unique index sign_in_link_sign_up on sign_in_link (lower(email))
  where ended_at is null and purpose = 'sign_up';
drop trigger sign_in_link_stays on sign_in_link;
create trigger sign_in_link_stays
  before update of id, user_id, token_hash, created_at, expires_at, purpose, email on sign_in_link
  for each row execute function keep_columns(
    'id', 'user_id', 'token_hash', 'created_at', 'expires_at', 'purpose', 'email');

create table totp (
  user_id      uuid primary key references app_user,
  secret       bytea not null,
  created_at   timestamptz not null default now(),
  confirmed_at timestamptz,
  last_step    bigint not null default 0
);
comment on table totp is 'An authenticator app of a person: a factor once its first code was confirmed.';
comment on column totp.secret is
  'AES-256-GCM by a key that is derived from the server''s secret: nonce, ciphertext and tag.';
comment on column totp.last_step is
  'The time step of the last code that was accepted: neither it nor an earlier one works again.';
grant select, insert, update, delete on totp to guildhall_app;

create table recovery_code (
  id         uuid primary key default gen_random_uuid(),
  user_id    uuid not null references app_user,
  code_hash  bytea not null unique check (octet_length(code_hash) = 32),
  created_at timestamptz not null default now(),
  used_at    timestamptz
);
comment on table recovery_code is
  'Codes that stand in for a lost second factor, each once. The table has their SHA-256.';
create index recovery_code_of_user on recovery_code (user_id);
grant select, insert, update, delete on recovery_code to guildhall_app;
