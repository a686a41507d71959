-- Which key of the servers sealed a value: docs/decisions/0065-odoo-connections.md. The previous
-- release writes rows without it, and reads the others as before.
alter table totp add column key_id text check (length(key_id) = 16);
comment on column totp.key_id is
  'Which key of the servers opens the secret; null if it was not noted, and any may.';
alter table recovery_code add column key_id text check (length(key_id) = 16);
comment on column recovery_code.key_id is
  'Which key of the servers made the hash; null if it was not noted.';
