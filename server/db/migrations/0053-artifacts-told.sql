-- An artifact is appended to the events of its task once. What there is was produced before a worker
-- could do so.
alter table artifact add column told_at timestamptz;
update artifact set told_at = created_at;
comment on column artifact.told_at is
  'When it was appended to the events of its task.';
grant update (told_at) on artifact to guildhall_app;
