-- Accounts elsewhere with which people sign in (docs/decisions/0052-identities.md).
create table identity (
  id           uuid primary key default gen_random_uuid(),
  user_id      uuid not null references app_user,
  provider     text not null check (provider ~ '^[a-z0-9-]{1,30}$'),
  issuer       text not null check (length(issuer) between 1 and 2000),
  subject      text not null check (length(subject) between 1 and 500),
  email        text check (length(email) between 1 and 320),
  created_at   timestamptz not null default now(),
  last_used_at timestamptz
);
-- Named like the error that it is answered with.
create unique index identity_taken on identity (issuer, subject);
create index identity_of_user on identity (user_id, created_at);
create trigger identity_stays
  before update of id, user_id, provider, issuer, subject, created_at on identity
  for each row
  execute function keep_columns('id', 'user_id', 'provider', 'issuer', 'subject', 'created_at');
comment on table identity is 'An account elsewhere that signs a person in.';
comment on column identity.provider is 'The id of the provider in addresses, when it was linked.';
comment on column identity.issuer is
  'Who vouches for the subject: another issuer under the same id is another provider.';
comment on column identity.subject is 'What identifies the person there for ever.';
comment on column identity.email is 'The address there, for people to recognise it; it opens nothing.';

create table provider_attempt (
  token_hash  bytea primary key check (octet_length(token_hash) = 32),
  provider    text not null check (length(provider) between 1 and 30),
  session_id  uuid references session,
  return_to   text not null check (length(return_to) between 1 and 1000),
  expires_at  timestamptz not null
);
create index provider_attempt_session on provider_attempt (session_id);
create index provider_attempt_expires on provider_attempt (expires_at);
comment on table provider_attempt is
  'A browser that was sent to a provider. Its cookie holds the token, and it comes back once.';
comment on column provider_attempt.session_id is 'The session to whose person the account is linked.';

grant select, insert, update, delete on identity, provider_attempt to guildhall_app;
