-- Files: the bytes are in the file store, and a row is written once they are safe there.
create table attachment (
  id                  uuid primary key default uuid_v7(),
  project_id          uuid not null references project on delete cascade,
  task_id             uuid,
  message_number      integer,
  uploaded_by_user_id uuid not null references app_user,
  name                text not null,
  media_type          text not null,
  size                bigint not null,
  sha256              text not null,
  storage_key         text collate "C" not null,
  created_at          timestamptz not null default now(),
  constraint attachment_stored_once unique (storage_key),
  constraint attachment_of_task foreign key (task_id, project_id)
    references task (id, project_id) on delete cascade,
  constraint attachment_of_message foreign key (task_id, message_number)
    references task_message on delete set null (message_number),
  constraint attachment_of_message_is_of_task check (message_number is null or task_id is not null),
  constraint attachment_name_check check (
    octet_length(name) between 1 and 255 and name !~ '[\u0001-\u001f\u007f-\u009f/\\]' and name not in ('.', '..')),
  constraint attachment_media_type_check check (media_type ~ '^[a-z0-9.+-]+/[a-z0-9.+-]+$' and length(media_type) <= 127),
  constraint attachment_size_check check (size >= 0),
  constraint attachment_sha256_check check (sha256 ~ '^[0-9a-f]{64}$'),
  constraint attachment_storage_key_check check (storage_key ~ '^[0-9a-f-]{36}/[0-9a-f-]{36}$')
);
create trigger attachment_stays before update on attachment for each row
  execute function keep_columns('id', 'project_id', 'uploaded_by_user_id', 'name', 'media_type', 'size', 'sha256', 'storage_key', 'created_at');
create trigger attachment_stays_with_its_task before update of task_id on attachment
  for each row when (old.task_id is not null) execute function keep_columns('task_id');
create index attachment_list on attachment (task_id, created_at, id);
create index attachment_message on attachment (task_id, message_number);
create index attachment_project on attachment (project_id);
create index attachment_uploaded_by on attachment (uploaded_by_user_id);
create index attachment_unused on attachment (created_at) where task_id is null;
comment on table attachment is
  'A file that a person gives to a task. Without a task, it waits for the first message of one, for a day.';
comment on column attachment.message_number is 'The message of the task that it was sent with.';
comment on column attachment.name is 'For people. It is never a path: the bytes are under storage_key.';
comment on column attachment.media_type is 'From the bytes, not from what their sender said.';
grant select, insert, update, delete on attachment to guildhall_app;

create table artifact (
  id          uuid primary key default uuid_v7(),
  project_id  uuid not null references project on delete cascade,
  task_id     uuid not null,
  turn_id     uuid not null references task_turn on delete cascade,
  path        text not null,
  name        text not null generated always as (regexp_replace(path, '^.*/', '')) stored,
  media_type  text not null,
  size        bigint not null,
  sha256      text not null,
  storage_key text collate "C" not null,
  created_at  timestamptz not null default now(),
  constraint artifact_stored_once unique (storage_key),
  constraint artifact_of_task foreign key (task_id, project_id)
    references task (id, project_id) on delete cascade,
  constraint artifact_path_once unique (turn_id, path),
  constraint artifact_path_check check (
    octet_length(path) between 1 and 1024 and path !~ '[\u0001-\u001f\u007f-\u009f\\]'
    and path !~ '(^|/)([.]{0,2})(/|$)'),
  constraint artifact_name_check check (octet_length(name) between 1 and 255),
  constraint artifact_media_type_check check (media_type ~ '^[a-z0-9.+-]+/[a-z0-9.+-]+$' and length(media_type) <= 127),
  constraint artifact_size_check check (size >= 0),
  constraint artifact_sha256_check check (sha256 ~ '^[0-9a-f]{64}$'),
  constraint artifact_storage_key_check check (storage_key ~ '^[0-9a-f-]{36}/[0-9a-f-]{36}$')
);
create index artifact_list on artifact (task_id, created_at, id);
create index artifact_project on artifact (project_id);
comment on table artifact is 'A file that a turn of the agent has produced.';
comment on column artifact.path is
  'Where the agent wrote it, relative to its folder. The bytes are under storage_key.';
comment on column artifact.name is 'The last part of the path.';
grant select, insert, delete on artifact to guildhall_app;

create table project_storage (
  project_id uuid primary key references project on delete cascade,
  files      bigint not null default 0 check (files >= 0),
  bytes      bigint not null default 0 check (bytes >= 0)
);
comment on table project_storage is
  'How many files a project has and how large they are, from triggers.';
grant select, insert, update on project_storage to guildhall_app;

create table file_removal (
  storage_key text collate "C" primary key,
  removed_at  timestamptz not null default now()
);
comment on table file_removal is
  'Bytes whose row is gone, written by the statement that deleted it. A row stays until the file store has deleted them.';
grant select, insert, delete on file_removal to guildhall_app;

-- As in api/db/views/count_stored_files.sql.
create function count_stored_files() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into project_storage as s (project_id, files, bytes)
    select project_id, count(*), sum(size) from changed group by project_id order by project_id
    on conflict (project_id) do update
       set files = s.files + excluded.files, bytes = s.bytes + excluded.bytes;
  else
    update project_storage s set files = s.files - gone.files, bytes = s.bytes - gone.bytes
      from (select project_id, count(*) as files, sum(size) as bytes
              from changed group by project_id) gone
     where s.project_id = gone.project_id;
    insert into file_removal (storage_key) select storage_key from changed on conflict do nothing;
  end if;
  return null;
end $$;
create trigger attachment_stored after insert on attachment
  referencing new table as changed for each statement execute function count_stored_files();
create trigger attachment_deleted after delete on attachment
  referencing old table as changed for each statement execute function count_stored_files();
create trigger artifact_stored after insert on artifact
  referencing new table as changed for each statement execute function count_stored_files();
create trigger artifact_deleted after delete on artifact
  referencing old table as changed for each statement execute function count_stored_files();
