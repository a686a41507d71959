alter table idempotency_key add column brief_body text;
comment on column idempotency_key.brief_body is
  'The whole answer, for ten minutes, where body lacks a secret that opens something for a while.';

update idempotency_key set body = (body::jsonb - 'client_secret')::text
 where body like '{%"client_secret":%';
